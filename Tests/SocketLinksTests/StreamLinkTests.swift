import Application
import Foundation
import Testing

@testable import SocketLinks

@Suite("TCP links", .timeLimit(.minutes(2)))
struct StreamLinkTests {
    private let hello = Hello(frameLimit: 65_536, node: 77).bytes

    private func listener(
        _ number: UInt64 = 1, at address: String = "127.0.0.1:0", policy: SocketLinksPolicy = .hasty
    ) throws -> (node: TestNode, address: String) {
        let node = try TestNode(
            number, SocketLinksConfiguration(listens: [HostPort(parsing: address)], policy: policy))
        return (node, try #require(node.links.listeningAddresses.first))
    }

    private func connector(_ number: UInt64, to address: String, policy: SocketLinksPolicy = .hasty) throws -> TestNode
    {
        try TestNode(number, SocketLinksConfiguration(connects: [HostPort(parsing: address)], policy: policy))
    }

    /// A port that nobody listens on, for now.
    private func freeAddress() throws -> String {
        let (node, address) = try listener()
        node.stop()
        return address
    }

    @Test("frames cross both ways whole and in order", arguments: ["127.0.0.1", "[::1]", "localhost"])
    func frames(host: String) async throws {
        let (server, address) = try listener(at: "\(host):0")
        defer { server.stop() }
        let port = try HostPort(parsing: address).port
        let client = try connector(2, to: "\(host):\(port)")
        defer { client.stop() }
        let (outgoing, incoming) = (try await client.link(), try await server.link())
        #expect(outgoing.isOutgoing && !incoming.isOutgoing)
        #expect(outgoing.name == "tcp:\(address)")
        #expect(outgoing.frameLimit == 65_536 && incoming.frameLimit == 65_536)
        let frames = [1, 65_536, 2, 300, 65_535].map { count in (0..<count).map { UInt8(truncatingIfNeeded: $0) } }
        for (sender, link, receiver) in [(client, outgoing, server), (server, incoming, client)] {
            for frame in frames { #expect(sender.links.send(frame, on: link.id) == .accepted) }
            let seen = try await receiver.witness.until { $0.frames.count >= frames.count }
            #expect(seen.frames.map(\.bytes) == frames)
            #expect(sender.links.send([UInt8](repeating: 0, count: 65_537), on: link.id) == .refused)
        }
    }

    @Test("a foreign implementation that dribbles understands us and is understood")
    func foreign() async throws {
        let (server, address) = try listener()
        defer { server.stop() }
        let peer = try ForeignPeer(ForeignPeer.streamScript, [String(HostPort(parsing: address).port)])
        let link = try await server.link()
        let frames = [[1, 2, 3], (0..<65_536).map { UInt8(truncatingIfNeeded: $0 / 7) }, [9]]
        for frame in frames { #expect(server.links.send(frame, on: link.id) == .accepted) }
        let seen = try await server.witness.until { $0.frames.count >= frames.count }
        #expect(seen.frames.map(\.bytes) == frames.map { $0.reversed() })
        peer.kill()
        try await server.witness.until { !$0.downs.isEmpty }
    }

    @Test("the smaller of both frame limits holds")
    func limits() async throws {
        let (server, address) = try listener()
        defer { server.stop() }
        var policy = SocketLinksPolicy.hasty
        policy.frameLimit = 1000
        let client = try connector(2, to: address, policy: policy)
        defer { client.stop() }
        let link = try await server.link()
        #expect(link.frameLimit == 1000)
        #expect(server.links.send([UInt8](repeating: 0, count: 1001), on: link.id) == .refused)
        #expect(try await client.link().frameLimit == 1000)
    }

    @Test(
        "a length of zero or beyond the limit closes the link with the reason",
        arguments: [
            ([0, 0, 0, 0], "0 bytes"), ([0, 1, 0, 1], "65537 bytes"), ([255, 255, 255, 255], "4294967295 bytes"),
        ]
            as [([UInt8], String)])
    func badLength(length: [UInt8], reason: String) async throws {
        let (server, address) = try listener()
        defer { server.stop() }
        let peer = try RawPeer(tcp: address)
        try peer.send(hello + [0, 0, 0, 2, 5, 6] + length)
        let seen = try await server.witness.until { !$0.downs.isEmpty }
        #expect(seen.frames.map(\.bytes) == [[5, 6]])
        #expect(seen.downs[0].reason.contains(reason))
        #expect(peer.receive(20) == Hello(frameLimit: 65_536, node: 1).bytes)
        #expect(peer.isEnded())
        #expect(server.links.counters.brokenStreams == 1)
    }

    @Test(
        "who does not say our hello is turned away at once, and never becomes a link",
        arguments: [
            (Array("GET / HTTP/1.1\r\n".utf8), "does not speak"), ([0x16], "does not speak"),
            (Hello.magic + [2], "speaks version 2 of the link protocol, we speak 1"),
        ] as [([UInt8], String)])
    func stranger(bytes: [UInt8], reason: String) async throws {
        let (server, address) = try listener()
        defer { server.stop() }
        let peer = try RawPeer(tcp: address)
        try peer.send(bytes)
        let seen = try await server.witness.until { $0.logs.contains { $0.text.contains(reason) } }
        #expect(peer.isEnded())
        #expect(seen.ups.isEmpty)
        #expect(server.links.counters.failedHandshakes == 1)
    }

    @Test("who says nothing is turned away after a while")
    func silence() async throws {
        var policy = SocketLinksPolicy.hasty
        policy.handshakeTimeout = 30
        let (server, address) = try listener(policy: policy)
        defer { server.stop() }
        let peer = try RawPeer(tcp: address)
        try peer.send(Array(hello.dropLast()))
        try await server.witness.until { $0.logs.contains { $0.text.contains("no hello in time") } }
        #expect(peer.isEnded())
        #expect(server.witness.seen.ups.isEmpty)
    }

    @Test("a lost link comes back when the listener does")
    func restart() async throws {
        let (first, address) = try listener()
        let client = try connector(2, to: address)
        defer { client.stop() }
        let link = try await client.link()
        first.stop()
        try await client.witness.until { $0.downs.contains { $0.link == link.id } }
        let (second, _) = try listener(3, at: address)
        defer { second.stop() }
        let again = try await client.link()
        #expect(again.id > link.id)
        #expect(client.links.send([1], on: again.id) == .accepted)
        try await second.witness.until { !$0.frames.isEmpty }
    }

    @Test("a neighbour that is not there yet is tried until it is, with one line in the log")
    func patience() async throws {
        let address = try freeAddress()
        let client = try connector(2, to: address)
        defer { client.stop() }
        try await client.witness.until { $0.logs.count { $0.text.contains("next try in") } >= 3 }
        #expect(client.witness.seen.logs.count { $0.level == .warning } == 1)
        let (server, _) = try listener(at: address)
        defer { server.stop() }
        _ = try await client.link()
    }

    @Test("a host without an address is no reason not to start when connecting, and is one when listening")
    func noSuchHost() async throws {
        let client = try connector(2, to: "no-such-host.invalid:1")
        try await client.witness.until { $0.logs.contains { $0.level == .warning && $0.text.contains("no-such-host") } }
        client.stop()
        let error = #expect(throws: SocketLinksError.self) { try listener(at: "no-such-host.invalid:1") }
        guard case .noSuchHost("no-such-host.invalid:1", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("an address in use, or of another machine, says so; what was opened before is closed again")
    func cannotListen() throws {
        let folder = try TemporaryDirectory()
        let (server, address) = try listener()
        defer { server.stop() }
        #expect(throws: SocketLinksError.addressInUse(address)) {
            try TestNode(2, SocketLinksConfiguration(airs: [folder["air"]], listens: [HostPort(parsing: address)]))
        }
        #expect(try folder.files("air") == [])
        #expect(throws: SocketLinksError.addressNotAvailable("192.0.2.1:4000")) { try listener(at: "192.0.2.1:4000") }
        #expect(throws: SocketLinksError.self) { try connector(2, to: "127.0.0.1:0") }
    }

    @Test("a node that dials itself has no link")
    func itself() async throws {
        let address = try HostPort(parsing: try freeAddress())
        let node = try TestNode(
            1, SocketLinksConfiguration(listens: [address], connects: [address], policy: .hasty))
        defer { node.stop() }
        let seen = try await node.witness.until { $0.logs.contains { $0.text.contains("leads back to this node") } }
        #expect(seen.ups.isEmpty)
    }

    @Test("one address cannot take all places, and its places come back")
    func perAddress() async throws {
        var policy = SocketLinksPolicy.hasty
        policy.maximumLinksPerAddress = 2
        let (server, address) = try listener(policy: policy)
        defer { server.stop() }
        let first = try RawPeer(tcp: address)
        let second = try RawPeer(tcp: address)
        for peer in [first, second] { try peer.send(hello) }
        _ = try await server.links(2)
        #expect(try RawPeer(tcp: address).isEnded())
        #expect(server.links.counters.refusedLinks == 1)
        let elsewhere = try RawPeer(tcp: address, from: "127.0.0.2")
        try elsewhere.send(hello)
        _ = try await server.links(3)
        first.close()
        try await server.witness.until { !$0.downs.isEmpty }
        let third = try RawPeer(tcp: address)
        try third.send(hello)
        _ = try await server.links(3)
    }

    @Test("two hundred connections, half of them never greeted, leave no descriptor and no place behind")
    func descriptors() async throws {
        let (server, address) = try listener()
        defer { server.stop() }
        let before = FileManager.default.openDescriptors
        for round in 1...100 {
            let peer = try RawPeer(tcp: address)
            try peer.send(hello)
            try await server.witness.until { $0.ups.count == round }
            let silent = try RawPeer(tcp: address)
            silent.close()
            peer.close()
            try await server.witness.until { $0.downs.count == round }
        }
        #expect(FileManager.default.openDescriptors < before + 50)
        #expect(server.links.counters.refusedLinks == 0)
    }
}
