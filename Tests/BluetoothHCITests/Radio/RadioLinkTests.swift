import Application
import BluetoothHCI
import Domain
import Support
import Testing

@Suite("Radios that find each other", .needsInteropPython, .timeLimit(.minutes(2)))
struct RadioLinkTests {
    @Test("two radios make one connection, a client link here and a server link there, and carry frames both ways")
    func pair() throws {
        let air = try VirtualAir(adapters: 2)
        let (one, two) = (
            try RadioStation([air.address(of: 0)], seed: 1), try RadioStation([air.address(of: 1)], seed: 2)
        )
        let (here, there) = (try one.link(), try two.link())
        #expect(here.isOutgoing != there.isOutgoing)
        #expect(here.frameLimit == 512 && there.frameLimit == 512)
        let (hello, answer) = (frame(1), frame(2, count: 512))
        #expect(one.radios.send(hello, on: here.id) == .accepted)
        #expect(try two.frame(hello) == there.id)
        #expect(two.radios.send(answer, on: there.id) == .accepted)
        #expect(try one.frame(answer) == here.id)
        let links = try air.adapters().map(\.links.count)
        #expect(links == [1, 1])
    }
}
