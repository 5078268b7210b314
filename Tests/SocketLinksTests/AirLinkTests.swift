import Application
import Foundation
import Testing

@testable import SocketLinks

@Suite("Links in an air", .timeLimit(.minutes(2)))
struct AirLinkTests {
    private let folder: TemporaryDirectory
    private var air: String { folder["air"] }

    init() throws { folder = try TemporaryDirectory() }

    private func node(_ number: UInt64, policy: SocketLinksPolicy = .hasty, gate: Gate? = nil) throws -> TestNode {
        try TestNode(number, SocketLinksConfiguration(airs: [air], policy: policy), gate: gate)
    }

    private func socketPath(_ number: UInt64) -> String { "\(air)/\(AirName(rawValue: number).file(.socket))" }

    @Test("two nodes meet in either order, and the one with the lower name dials", arguments: [[1, 2], [2, 1]])
    func meeting(order: [UInt64]) async throws {
        let nodes = try order.map { try node($0) }
        defer { nodes.forEach { $0.stop() } }
        for (number, node) in zip(order, nodes) {
            let link = try await node.link()
            #expect(link.isOutgoing == (number == 1))
            #expect(link.frameLimit == 65_536)
            #expect(link.name.hasPrefix("air:\(air)"))
        }
    }

    @Test("five nodes have exactly one link per pair")
    func five() async throws {
        let nodes = try [3, 1, 5, 2, 4].map { try node($0) }
        for node in nodes { _ = try await node.links(4) }
        // Each tells each other its number; whoever had two links to one other would hear it twice.
        for (number, node) in nodes.enumerated() {
            for link in node.witness.seen.alive {
                #expect(node.links.send([UInt8(number)], on: link.id) == .accepted)
            }
        }
        for (number, node) in nodes.enumerated() {
            let seen = try await node.witness.until { $0.frames.count >= 4 }
            #expect(seen.frames.map { Int($0.bytes[0]) }.sorted() == (0..<5).filter { $0 != number })
        }
        nodes.forEach { $0.stop() }
        #expect(nodes.reduce(0) { $0 + $1.witness.seen.ups.count } == 2 * 10)
        #expect(nodes.reduce(0) { $0 + $1.witness.seen.ups.count { $0.isOutgoing } } == 10)
    }

    @Test("frames keep their boundaries and order, from one byte to 65,536")
    func frames() async throws {
        let (left, right) = (try node(1), try node(2))
        defer {
            left.stop()
            right.stop()
        }
        let frames = [1, 22, 65_536, 2, 65_535, 512].map { count in (0..<count).map { UInt8(truncatingIfNeeded: $0) } }
        for (sender, receiver) in [(left, right), (right, left)] {
            let link = try await sender.link()
            for frame in frames { #expect(sender.links.send(frame, on: link.id) == .accepted) }
            let seen = try await receiver.witness.until { $0.frames.count >= frames.count }
            #expect(seen.frames.map(\.bytes) == frames)
        }
    }

    @Test("65,537 bytes, nothing, and an unknown link are refused")
    func refusals() async throws {
        let (left, right) = (try node(1), try node(2))
        defer {
            left.stop()
            right.stop()
        }
        let link = try await left.link()
        #expect(left.links.send([UInt8](repeating: 0, count: 65_537), on: link.id) == .refused)
        #expect(left.links.send([], on: link.id) == .refused)
        #expect(left.links.send([1], on: LinkID(rawValue: 999)) == .refused)
    }

    @Test("a frame beyond the limit from a neighbour is dropped and counted, the link stays")
    func oversized() async throws {
        let node = try node(1)
        defer { node.stop() }
        let peer = try RawPeer(air: socketPath(1))
        _ = try await node.link()
        try peer.send([UInt8](repeating: 1, count: 65_537))
        try peer.send([UInt8](repeating: 2, count: 70_000))
        try peer.send([3])
        let seen = try await node.witness.until { !$0.frames.isEmpty }
        #expect(seen.frames.map(\.bytes) == [[3]])
        #expect(node.links.counters.oversizedFrames == 2)
        #expect(seen.logs.count { $0.text.contains("beyond 65536 bytes") } == 1)
        #expect(seen.downs.isEmpty)
    }

    @Test("what a neighbour said before it went still arrives, then its end")
    func lastWords() async throws {
        let gate = Gate()
        let node = try node(1, gate: gate)
        defer { node.stop() }
        let peer = try RawPeer(air: socketPath(1))
        let link = try await node.link()
        // Unread, so that the end comes as a reset.
        #expect(node.links.send([9], on: link.id) == .accepted)
        for number in 0..<100 as Range<UInt8> { try peer.send([number]) }
        peer.close()
        gate.open()
        let seen = try await node.witness.until { !$0.downs.isEmpty }
        #expect(seen.frames.map(\.bytes) == (0..<100).map { [$0] })
        #expect(seen.order == ["up"] + Array(repeating: "frame", count: 100) + ["down"])
    }

    @Test("a foreign process speaks with us both ways; killed, its link is down at once")
    func foreign() async throws {
        let node = try node(5)
        defer { node.stop() }
        for name in ["0000000000000001", "0000000000000009"] {
            let peer = try ForeignPeer(ForeignPeer.airScript, [air, name])
            let link = try await node.link()
            #expect(link.isOutgoing == (name == "0000000000000009"))
            let frames = [[1, 2, 3], (0..<65_536).map { UInt8(truncatingIfNeeded: $0 / 7) }]
            let before = node.witness.seen.frames.count
            for frame in frames { #expect(node.links.send(frame, on: link.id) == .accepted) }
            let seen = try await node.witness.until { $0.frames.count >= before + 2 }
            #expect(seen.frames.suffix(2).map(\.bytes) == frames.map { $0.reversed() })
            peer.kill()
            let end = try await node.witness.until { $0.downs.contains { $0.link == link.id } }
            #expect(end.downs.last?.reason == "the neighbour closed it")
        }
    }

    @Test("what a killed node left is swept by the next one")
    func remains() async throws {
        let peer = try ForeignPeer(ForeignPeer.airScript, [air, "0000000000000001"])
        // Stays only until the other is seen to be there.
        let observer = try node(5)
        _ = try await observer.link()
        observer.stop()
        peer.kill()
        try #require(try folder.files("air").sorted() == ["0000000000000001.air", "0000000000000001.lck"])
        let (left, right) = (try node(2), try node(3))
        defer {
            left.stop()
            right.stop()
        }
        // A node looks around before it dials: whoever has dialled has swept.
        _ = try await left.link()
        let files = try folder.files("air").sorted()
        #expect(files == [2, 3].flatMap { [AirName(rawValue: $0).file(.socket), AirName(rawValue: $0).file(.lock)] })
    }

    @Test("a link that dies while both live is made again")
    func redial() async throws {
        let (left, right) = (try node(1), try node(2))
        defer {
            left.stop()
            right.stop()
        }
        for closer in [left, right] {
            let link = try await closer.link()
            let others = closer.witness === left.witness ? right : left
            let ups = others.witness.seen.ups.count
            closer.links.close(link.id)
            let seen = try await closer.witness.until { seen in seen.downs.contains { $0.link == link.id } }
            #expect(seen.downs.last?.reason == "this node closed it")
            #expect(closer.links.send([1], on: link.id) == .refused)
            try await others.witness.until { $0.ups.count > ups && $0.alive.count == 1 }
            try await closer.witness.until { $0.alive.count == 1 }
        }
    }

    @Test("stopping hands over what was accepted, ends every link, and removes the files")
    func stopping() async throws {
        let (left, right) = (try node(1), try node(2))
        defer { right.stop() }
        let link = try await left.link()
        #expect(left.links.send([7, 7], on: link.id) == .accepted)
        left.stop()
        left.stop()
        #expect(left.witness.seen.order == ["up", "down"])
        #expect(left.witness.seen.downs.first?.reason == "this node is stopping")
        #expect(left.links.send([1], on: link.id) == .refused)
        let seen = try await right.witness.until { !$0.downs.isEmpty }
        #expect(seen.frames.map(\.bytes) == [[7, 7]])
        #expect(try folder.files("air").sorted() == ["0000000000000002.air", "0000000000000002.lck"])
        #expect(throws: SocketLinksError.alreadyStarted) { try left.links.start() }
    }

    @Test("a directory that vanishes is made again and reported; links stay, newcomers are found")
    func vanishing() async throws {
        let (left, right) = (try node(1), try node(2))
        defer {
            left.stop()
            right.stop()
        }
        let link = try await left.link()
        try FileManager.default.moveItem(atPath: air, toPath: folder["gone"])
        for node in [left, right] {
            try await node.witness.until { $0.logs.contains { $0.level == .warning && $0.text.contains("removed") } }
        }
        let third = try node(3)
        defer { third.stop() }
        _ = try await third.links(2)
        #expect(left.witness.seen.downs.isEmpty)
        #expect(left.links.send([4], on: link.id) == .accepted)
        let seen = try await right.witness.until { !$0.frames.isEmpty }
        #expect(seen.frames.map(\.bytes) == [[4]])
        #expect(left.witness.seen.ups.count == 2)
    }

    @Test("nodes beyond the limit on links are turned away and counted")
    func limit() async throws {
        var policy = SocketLinksPolicy.hasty
        policy.maximumLinks = 1
        let node = try node(1, policy: policy)
        defer { node.stop() }
        let first = try RawPeer(air: socketPath(1))
        _ = try await node.link()
        let second = try RawPeer(air: socketPath(1))
        #expect(second.isEnded())
        #expect(node.links.counters.refusedLinks == 1)
        try first.send([1])
        try await node.witness.until { $0.frames.count == 1 }
        #expect(node.witness.seen.ups.count == 1)
    }

    @Test("two hundred neighbours that come and go leave no descriptor behind")
    func descriptors() async throws {
        let node = try node(1)
        defer { node.stop() }
        let before = FileManager.default.openDescriptors
        for round in 1...200 {
            let peer = try RawPeer(air: socketPath(1))
            try await node.witness.until { $0.ups.count == round }
            peer.close()
            try await node.witness.until { $0.downs.count == round }
        }
        // Other tests run beside this one and hold some of their own.
        #expect(FileManager.default.openDescriptors < before + 100)
    }
}
