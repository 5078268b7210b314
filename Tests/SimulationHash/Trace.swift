import Domain
import InMemory

/// A hash over everything that happened, in order: two runs are the same if and only if their hashes are.
package struct Trace {
    /// The hash so far.
    package private(set) var hash = Bytes32(high: 0, low: 0)
    /// How many things were added.
    package private(set) var count = 0

    private let cryptography = ModelCryptography()

    mutating func add(_ text: String) { add(Array(text.utf8)) }

    mutating func add(_ kind: String, _ frame: FrameInFlight) {
        let arrivals = frame.arrivals.map { String($0.milliseconds) }.joined(separator: ",")
        let header =
            "\(kind) \(frame.sentAt.milliseconds) \(frame.sender.name) \(frame.senderLink.rawValue) \(arrivals)"
        add(Array(header.utf8) + frame.bytes)
    }

    private mutating func add(_ record: [UInt8]) {
        count += 1
        let before = hash.bytes
        hash = cryptography.sha256(before.span, record.span)
    }
}
