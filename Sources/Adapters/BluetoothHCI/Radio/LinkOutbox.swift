import Application

/// Frames that one link was given and the radio has not fetched. Few: what waits longer waits in the node, where a chat
/// message still overtakes a file (spec: mesh §20).
///
/// Once a frame was turned away the box owes its link a notice, due when half of the places are free again.
struct LinkOutbox {
    /// The adapter that the link belongs to, by its place in the configuration.
    let radio: Int
    private let frameLimit: Int
    private var frames: [[UInt8]] = []
    private var owesNotice = false

    init(radio: Int, frameLimit: Int) {
        self.radio = radio
        self.frameLimit = frameLimit
    }

    /// Takes a frame, unless it is empty or beyond the link's limit, or all places are taken.
    mutating func append(_ frame: [UInt8]) -> SendOutcome {
        guard !frame.isEmpty, frame.count <= frameLimit else { return .refused }
        guard frames.count < BluetoothPolicy.framesPerLink else {
            owesNotice = true
            return .full
        }
        frames.append(frame)
        return .accepted
    }

    /// Gives out the oldest frame, and says whether the link is to be told that it takes frames again.
    mutating func next() -> (frame: [UInt8], isNoticeDue: Bool)? {
        guard !frames.isEmpty else { return nil }
        let frame = frames.removeFirst()
        let isDue = owesNotice && frames.count <= BluetoothPolicy.framesPerLink / 2
        if isDue { owesNotice = false }
        return (frame, isDue)
    }
}
