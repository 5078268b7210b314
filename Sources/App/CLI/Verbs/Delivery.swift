import Application
import Domain

/// How far a message has come, as `send --wait` counts.
enum DeliveryStage: String, CaseIterable, Comparable, Sendable {
    /// Nothing is known.
    case none
    /// On the disk of the node; it will be sent.
    case queued
    /// Given to a transport.
    case sent
    /// With couriers, as far as their links can tell.
    case carried
    /// The receiver has it.
    case delivered
    /// The receiver saw it.
    case read

    /// The stage as a status of messages that have come so far.
    var word: String { self == .none ? "accepted" : rawValue }

    /// Orders by how far the message has come.
    static func < (left: DeliveryStage, right: DeliveryStage) -> Bool {
        (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }

    /// The stage that a status stands for; `nil` when the message failed.
    init?(_ status: DeliveryStatus) {
        switch status {
        case .sending, .partiallySent: self = .queued
        case .sent: self = .sent
        case .carried: self = .carried
        case .delivered: self = .delivered
        case .read: self = .read
        case .failed: return nil
        }
    }
}

/// Follows messages of ours through the events of the node.
struct DeliveryWatch {
    /// The messages, in order.
    let ids: [String]
    private var stages: [String: DeliveryStage] = [:]
    /// The first message that will not arrive, and why.
    private(set) var failure: (id: String, reason: String)?

    /// Watches over messages that have come so far already.
    init(ids: [String], stage: DeliveryStage = .none) {
        self.ids = ids
        for id in ids { stages[id] = stage }
    }

    /// How far all of them have come: as far as the last.
    var stage: DeliveryStage { ids.map { stages[$0] ?? .none }.min() ?? .none }

    /// Takes an event of the log into account.
    mutating func take(_ event: Event) {
        switch event {
        case .publicMessage(let message): advance(message.id, to: .sent)
        case .privateMessage(let message): advance(message.id, to: .queued)
        case .status(let change):
            if case .failed(let reason) = change.status {
                if ids.contains(change.id), failure == nil { failure = (change.id, reason) }
            } else if let stage = DeliveryStage(change.status) {
                advance(change.id, to: stage)
            }
        case .file, .peer: return
        }
    }

    private mutating func advance(_ id: String, to stage: DeliveryStage) {
        guard ids.contains(id) else { return }
        stages[id] = max(stages[id] ?? .none, stage)
    }
}
