import Domain
import Support
import Testing

@Suite("Radios over BlueZ's emulator", .needsBTVirt, .timeLimit(.minutes(15)))
struct EmulatorTests {
    @Test("two radios find each other by one report that tells no signal, and a single credit carries all frames")
    func pair() throws {
        let air = try BTVirt()
        let one = try RadioStation([air.address], seed: 1)
        let two = try RadioStation([air.address], seed: 2)
        let (here, there) = (try one.link(), try two.link())
        #expect(here.isOutgoing != there.isOutgoing)
        let frames = (0..<100).map { numberedFrame($0, count: 500) }
        for (sender, receiver, link) in [(one, two, here.id), (two, one, there.id)] {
            var turns = 0
            for frame in frames {
                while sender.radios.send(frame, on: link) == .full {
                    let wanted = turns + 1
                    turns = wanted
                    try sender.until("a writable link") { $0.writables.count >= wanted ? true : nil }
                }
            }
            let received = try receiver.until("all frames") { $0.frames.count >= frames.count ? $0.frames : nil }
            #expect(received.map(\.bytes) == frames)
        }
    }
}
