import Application
import Domain
import InMemory
import SimulationHash
import Testing

@Suite("Crowd")
struct CrowdTests {
    @Test("in a rough night nothing happens that must not", arguments: isSoak ? Array(1...20) : [1, 2])
    func rough(seed: UInt64) {
        let crowd = Crowd(seed: seed, nodes: 20)
        let watch = Watch(crowd)
        crowd.run(seconds: isSoak ? 600 : 40)
        #expect(watch.violations == [])
        // What was watched did take place.
        #expect(watch.arrivals > 100)
        #expect(watch.receipts > 5)
        #expect(watch.relays > 1000)
        #expect(crowd.tally.crashes > 0)
        #expect(crowd.tally.linksLost > 3)
    }

    @Test("on a calm day everybody hears everything, and every private message is confirmed", arguments: [1, 2])
    func calm(seed: UInt64) {
        let crowd = Crowd(seed: seed, nodes: 12, .calm)
        let watch = Watch(crowd)
        crowd.run(seconds: 60)
        crowd.isTalking = false
        crowd.run(seconds: 20)
        let tally = crowd.tally
        #expect(watch.violations == [])
        #expect(tally.publicSent > 10)
        #expect(tally.publicReceived == tally.publicSent * 11)
        #expect(tally.privateSent > 10)
        #expect(tally.privatePartsSent == tally.privateReceived)
        #expect(tally.delivered == tally.privatePartsSent)
        #expect(tally.filesReceived == tally.filesSent * 11)
        #expect(tally.refused == 0)
    }

    @Test("a crowd of one says nothing and waits for company")
    func alone() {
        let crowd = Crowd(seed: 1, nodes: 1)
        crowd.run(seconds: 60)
        #expect(crowd.world.air.framesSent == 0)
        #expect(crowd.tally.events == 0)
    }
}
