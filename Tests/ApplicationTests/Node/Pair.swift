import Application
import Domain
import InMemory
import NativeCryptography
import Testing
import UnistringNormalization
import ZlibCompression

/// A world with the real primitives.
typealias RealWorld = World<NativeCryptography>
/// A node of it.
typealias RealMember = Member<NativeCryptography>

extension World where C == NativeCryptography {
    /// A world with the real primitives, the real deflate and the real tables.
    static func real(seed: UInt64 = 1) -> RealWorld {
        World(
            seed: seed, cryptography: NativeCryptography(), compression: ZlibCompression(),
            normalization: UnistringNormalization())
    }

    /// Runs until `condition` holds; `false` when it does not within `span`.
    func run(atMost span: Milliseconds, until condition: () -> Bool) -> Bool {
        let end = time.now + span
        while !condition() {
            guard let next = time.nextTime, next <= end else { return condition() }
            _ = time.step()
        }
        return true
    }
}

extension Member where C == NativeCryptography {
    /// Texts of public messages from others, in order.
    var publicTexts: [String] {
        events.compactMap { if case .publicMessage(let message) = $0, !message.isOwn { message.text } else { nil } }
    }

    /// Texts of private messages from others, in order.
    var privateTexts: [String] {
        events.compactMap { if case .privateMessage(let message) = $0, !message.isOwn { message.text } else { nil } }
    }

    /// The statuses that one of our messages went through, in order.
    func statuses(of id: String) -> [DeliveryStatus] {
        events.compactMap { if case .status(let change) = $0, change.id == id { change.status } else { nil } }
    }

    /// A counter's value.
    func counter(_ name: CounterName) -> UInt64 {
        node?.report.counters.first { $0.name == name.rawValue }?.value ?? 0
    }
}
