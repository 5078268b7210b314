import Domain
import Testing

@Suite("Devices that wait for a connection (spec: mesh §21)")
struct CandidateQueueTests {
    private func candidate(_ device: Int, _ signal: Int8, at time: Int64 = 0) -> ConnectionCandidate<Int> {
        ConnectionCandidate(device: device, signal: signal, seenAt: Uptime(milliseconds: time))
    }

    @Test("stronger first, then older, then the lower device")
    func order() {
        var queue = CandidateQueue<Int>()
        for entry in [
            candidate(1, -80, at: 5), candidate(2, -60, at: 9), candidate(3, -80, at: 1), candidate(5, -80, at: 5),
            candidate(4, -80, at: 5),
        ] { queue.insert(entry) }
        #expect(queue.entries.map(\.device) == [2, 3, 1, 4, 5])
    }

    @Test("one entry for each device, the latest")
    func replace() {
        var queue = CandidateQueue<Int>()
        queue.insert(candidate(1, -50))
        queue.insert(candidate(2, -60))
        queue.insert(candidate(1, -70, at: 3))
        #expect(queue.entries == [candidate(2, -60), candidate(1, -70, at: 3)])
    }

    @Test("a hundred at most; the weakest and youngest goes")
    func bound() {
        var queue = CandidateQueue<Int>()
        for device in 0..<100 { queue.insert(candidate(device, -70, at: Int64(device))) }
        queue.insert(candidate(100, -71))
        #expect(queue.count == 100)
        #expect(!queue.entries.contains { $0.device == 100 })
        queue.insert(candidate(101, -69))
        #expect(queue.count == 100)
        #expect(queue.entries.first?.device == 101)
        #expect(!queue.entries.contains { $0.device == 99 })
    }

    @Test("what was taken out is gone")
    func remove() {
        var queue = CandidateQueue<Int>()
        for device in 1...3 { queue.insert(candidate(device, -50 - Int8(device))) }
        queue.remove(2)
        queue.remove(7)
        #expect(queue.entries.map(\.device) == [1, 3])
    }
}
