import Application
import BluetoothHCI
import Domain
import Support
import Testing

@Suite("Radios that find each other", .needsInteropPython, .timeLimit(.minutes(15)))
struct RadioLinkTests {
    /// Two radios with a link between them.
    struct Pair {
        let air: VirtualAir
        let one: RadioStation
        let two: RadioStation
        let here: LinkDescription
        let there: LinkDescription

        init(_ options: VirtualAir.Options = VirtualAir.Options()) throws {
            air = try VirtualAir(adapters: 2, options)
            one = try RadioStation([air.address(of: 0)], seed: 1)
            two = try RadioStation([air.address(of: 1)], seed: 2)
            here = try one.link()
            there = try two.link()
        }
    }

    @Test("two radios make one connection, a client link here and a server link there, and carry frames both ways")
    func pair() throws {
        let pair = try Pair()
        #expect(pair.here.isOutgoing != pair.there.isOutgoing)
        #expect(pair.here.frameLimit == 512 && pair.there.frameLimit == 512)
        let (hello, answer) = (numberedFrame(1), numberedFrame(2, count: 512))
        #expect(pair.one.radios.send(hello, on: pair.here.id) == .accepted)
        #expect(try pair.two.frame(hello) == pair.there.id)
        #expect(pair.two.radios.send(answer, on: pair.there.id) == .accepted)
        #expect(try pair.one.frame(answer) == pair.here.id)
        let links = try pair.air.adapters().map(\.links.count)
        #expect(links == [1, 1])
    }

    @Test("a link says when it is full, and when it takes frames again; none is lost and none overtakes another")
    func backpressure() throws {
        let pair = try Pair()
        let frames = (0..<300).map { numberedFrame($0, count: 500) }
        for (sender, link) in [(pair.one, pair.here.id), (pair.two, pair.there.id)] {
            var turns = 0
            for frame in frames {
                while sender.radios.send(frame, on: link) == .full {
                    let wanted = turns + 1
                    turns = wanted
                    try sender.until("a writable link") { $0.writables.count >= wanted ? true : nil }
                }
            }
            #expect(turns > 0)
        }
        for receiver in [pair.one, pair.two] {
            let received = try receiver.until("all frames") { $0.frames.count >= frames.count ? $0.frames : nil }
            #expect(received.map(\.bytes) == frames)
        }
        let mistakes = try pair.air.counts().map(\.mistakes)
        #expect(mistakes == [0, 0])
    }

    @Test("a frame that is empty or beyond the limit is refused, and so is one for a link that is gone")
    func refusals() throws {
        let pair = try Pair()
        #expect(pair.one.radios.send([], on: pair.here.id) == .refused)
        #expect(pair.one.radios.send(numberedFrame(1, count: 513), on: pair.here.id) == .refused)
        #expect(pair.one.radios.send(numberedFrame(1), on: LinkID(rawValue: 99)) == .refused)
        pair.one.radios.close(pair.here.id)
        try pair.one.until("the end here") { $0.downs.first { $0.link == pair.here.id } }
        try pair.two.until("the end there") { $0.downs.first { $0.link == pair.there.id } }
        #expect(pair.one.radios.send(numberedFrame(1), on: pair.here.id) == .refused)
    }

    @Test("links that were closed, or that broke, are made again")
    func again() throws {
        let pair = try Pair()
        pair.one.radios.close(pair.here.id)
        let second = try pair.two.link(besides: [pair.there.id])
        try pair.air.drop(0)
        let third = try pair.two.link(besides: [pair.there.id, second.id])
        let back = try pair.one.until("the link here") { seen in seen.alive.count == 1 ? seen.alive.first : nil }
        #expect(pair.two.radios.send(numberedFrame(7), on: third.id) == .accepted)
        #expect(try pair.one.frame(numberedFrame(7)) == back.id)
    }

    @Test("the meshes of released apps and of debug builds do not meet")
    func services() throws {
        let air = try VirtualAir(adapters: 3)
        let one = try RadioStation([air.address(of: 0)], seed: 1)
        let other = try RadioStation([air.address(of: 1)], service: .test, seed: 2)
        // The third finds the first, so there was time to find the other.
        let third = try RadioStation([air.address(of: 2)], service: .test, seed: 3)
        _ = (try other.link(), try third.link())
        #expect(one.seen.ups.isEmpty)
    }

    @Test("who stops says goodbye: the others need not wait for a timeout")
    func goodbye() throws {
        let pair = try Pair()
        pair.one.radios.stop()
        let end = try pair.two.until("the end there") { $0.downs.first { $0.link == pair.there.id }?.reason }
        #expect(end.contains("Power Off") || end.contains("User Terminated"))
        #expect(pair.one.seen.downs.map(\.link) == [pair.here.id])
        #expect(pair.one.radios.adapters.map(\.state) == [.stopped])
        pair.one.radios.stop()
    }

    @Test("a room of eight: each has one connection to each other, unless both have opened as many as they may")
    func room() throws {
        let air = try VirtualAir(adapters: 8)
        let stations = try (0..<8).map { try RadioStation([air.address(of: $0)], seed: UInt64($0 + 1)) }
        for station in stations {
            try station.until("all neighbours, or six links of its own") { seen in
                let isWhole = Set(seen.alive.compactMap(\.device)).count == 7
                return isWhole || seen.alive.count(where: \.isOutgoing) == RadioPolicy.maximumOutgoingLinks ? true : nil
            }
        }
        for adapter in try air.adapters() {
            let peers = adapter.links.map(\.peer)
            #expect(Set(peers).count == peers.count, "two connections to one neighbour")
            #expect(peers.count >= 6)
        }
    }

    @Test("two radios of one node are no neighbours of each other, and do not both connect to one device")
    func twoAdapters() throws {
        let air = try VirtualAir(adapters: 3)
        let both = try RadioStation([air.address(of: 0), air.address(of: 1)], seed: 1)
        let other = try RadioStation([air.address(of: 2)], seed: 2)
        // The other one sees two devices, and may well connect to both.
        let first = try other.link()
        let links = try both.until("a link") { $0.alive.isEmpty ? nil : $0.alive }
        #expect(both.radios.send(numberedFrame(1), on: try #require(links.first).id) == .accepted)
        try other.frame(numberedFrame(1))
        let adapters = try air.adapters()
        #expect(adapters[0].links.allSatisfy { $0.index == 2 } && adapters[1].links.allSatisfy { $0.index == 2 })
        #expect(adapters[0].links.count(where: \.isCentral) + adapters[1].links.count(where: \.isCentral) <= 1)
        _ = first
    }
}
