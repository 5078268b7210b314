/// The types that a ``GossipStore`` holds, in the order in which they are served.
///
/// Board packets are served behind them, out of the board's own store.
///
/// Source: spec, store-and-forward §5.8.
enum GossipKind: Int, CaseIterable {
    case announce, message, fragment, fileTransfer, groupMessage, prekeyBundle

    init?(_ type: MessageType) {
        switch type {
        case .announce: self = .announce
        case .message: self = .message
        case .fragment: self = .fragment
        case .fileTransfer: self = .fileTransfer
        case .groupMessage: self = .groupMessage
        case .prekeyBundle: self = .prekeyBundle
        default: return nil
        }
    }

    var type: MessageType {
        switch self {
        case .announce: .announce
        case .message: .message
        case .fragment: .fragment
        case .fileTransfer: .fileTransfer
        case .groupMessage: .groupMessage
        case .prekeyBundle: .prekeyBundle
        }
    }

    /// The oldest that is kept and served.
    var window: Milliseconds {
        switch self {
        case .message, .groupMessage: SyncPolicy.messageWindow
        case .prekeyBundle: SyncPolicy.prekeyBundleWindow
        case .announce, .fragment, .fileTransfer: SyncPolicy.briefWindow
        }
    }

    /// Whether a request's cursor applies. Keys come regardless of it: without them the rest cannot be checked.
    var honoursCursor: Bool { self != .announce && self != .prekeyBundle }

    /// Whether it goes when its sender leaves. A bundle is needed precisely when its owner is away.
    var goesWithSender: Bool { self != .prekeyBundle }
}
