import Domain
import Testing

/// The memory by reference, so that expectations can call what changes it.
private final class Memory {
    private var opened: OpenedMail

    init(capacity: Int = CourierPolicy.openedMemory) { opened = OpenedMail(capacity: capacity) }

    var count: Int { opened.count }
    func key(_ sender: UInt8, _ id: String) -> OpenedMail.Key {
        OpenedMail.Key(sender: Pouch.key(sender), message: MessageID(id))
    }
    func admit(_ sender: UInt8, _ id: String, isBlocked: Bool = false) -> OpenedMail.Admission {
        opened.admit(key(sender, id), isBlocked: isBlocked)
    }
    func contains(_ sender: UInt8, _ id: String) -> Bool { opened.contains(key(sender, id)) }
    func forget(_ sender: UInt8, _ id: String) -> Bool { opened.forget(key(sender, id)) }
    func restore(_ ids: [String]) -> [OpenedMail.Key] { opened.restore(ids.map { key(1, $0) }) }
}

@Suite("Opened mail")
struct OpenedMailTests {
    @Test("two envelopes with one message inside are one message")
    func once() {
        let memory = Memory()
        #expect(memory.admit(1, "a") == .new(forgotten: nil))
        #expect(memory.admit(1, "a") == .known)
        #expect(memory.admit(1, "b") == .new(forgotten: nil))
    }

    @Test("REF-GAP: nobody suppresses another's message by using its identifier")
    func senders() {
        let memory = Memory()
        #expect(memory.admit(2, "a") == .new(forgotten: nil), "an attacker's message with the identifier")
        #expect(memory.admit(1, "a") == .new(forgotten: nil), "the true one still arrives")
        #expect(memory.admit(1, "a") == .known && memory.admit(2, "a") == .known)
    }

    @Test("REF-GAP: a blocked sender's message is dropped and not remembered")
    func blocked() {
        let memory = Memory()
        #expect(memory.admit(1, "a", isBlocked: true) == .blocked)
        #expect(memory.count == 0 && !memory.contains(1, "a"))
        #expect(memory.admit(1, "a") == .new(forgotten: nil), "the block was lifted")
        #expect(memory.admit(1, "a", isBlocked: true) == .blocked)
    }

    @Test("the oldest makes room, and a repetition makes nothing younger")
    func bound() {
        let memory = Memory(capacity: 3)
        for id in ["a", "b", "c"] { #expect(memory.admit(1, id) == .new(forgotten: nil)) }
        #expect(memory.admit(1, "a") == .known)
        #expect(memory.admit(1, "d") == .new(forgotten: memory.key(1, "a")))
        #expect(memory.admit(1, "a") == .new(forgotten: memory.key(1, "b")))
        #expect(memory.count == 3)
    }

    @Test("512 are remembered")
    func capacity() {
        let memory = Memory()
        for number in 0..<513 { _ = memory.admit(1, String(number)) }
        #expect(memory.count == 512 && !memory.contains(1, "0") && memory.contains(1, "1"))
    }

    @Test("what could not be delivered is new when it comes again")
    func forgotten() {
        let memory = Memory()
        #expect(memory.admit(1, "a") == .new(forgotten: nil))
        #expect(memory.forget(1, "a") && !memory.forget(1, "a"))
        #expect(memory.admit(1, "a") == .new(forgotten: nil))
    }

    @Test("records bring the memory back in its order; those too many are named")
    func restored() {
        let memory = Memory(capacity: 2)
        #expect(memory.restore(["a", "b", "b", "c"]) == [memory.key(1, "a")])
        #expect(memory.admit(1, "b") == .known && memory.admit(1, "c") == .known)
        #expect(memory.admit(1, "d") == .new(forgotten: memory.key(1, "b")))
    }
}
