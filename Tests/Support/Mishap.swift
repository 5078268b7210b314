import Testing

/// What can befall an adapter, and how it ends.
public enum Mishap: String, Sendable, CaseIterable, CustomTestStringConvertible {
    /// Gone for a moment.
    case unplugged
    /// Gone until it is put in again.
    case pulledOut
    /// The controller says that it is broken.
    case hardwareError
    /// The firmware hangs: nobody hears of it.
    case mute

    /// Its name.
    public var testDescription: String { rawValue }

    /// Lets it happen to an adapter.
    public func happen(to index: Int, in air: VirtualAir) throws {
        switch self {
        case .unplugged: try air.unplug(index)
        case .pulledOut: try air.remove(index)
        case .hardwareError: try air.hardwareError(index)
        case .mute: try air.mute(index)
        }
    }

    /// Ends it. What is over at once has no end.
    public func end(for index: Int, in air: VirtualAir) throws {
        switch self {
        case .unplugged, .hardwareError: break
        case .pulledOut: try air.insert(index)
        case .mute: try air.unmute(index)
        }
    }
}
