import Application
import Foundation
import Testing

@testable import SocketLinks

@Suite("Backpressure", .timeLimit(.minutes(2)))
struct BackpressureTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// Two linked nodes, of which the second reads only once its gate is open.
    private func pair(_ kind: String, gate: Gate) async throws -> (sender: TestNode, reader: TestNode) {
        guard kind == "tcp" else {
            let configuration = SocketLinksConfiguration(airs: [folder["air"]], policy: .hasty)
            return (try TestNode(1, configuration), try TestNode(2, configuration, gate: gate))
        }
        let reader = try TestNode(
            2, SocketLinksConfiguration(listens: [HostPort(parsing: "127.0.0.1:0")], policy: .hasty), gate: gate)
        let address = try #require(reader.links.listeningAddresses.first)
        let sender = try TestNode(
            1, SocketLinksConfiguration(connects: [HostPort(parsing: address)], policy: .hasty))
        return (sender, reader)
    }

    @Test("a full link says so, and says when it has room; nothing accepted is lost", arguments: ["air", "tcp"])
    func fullThenWritable(kind: String) async throws {
        let gate = Gate()
        let (sender, reader) = try await pair(kind, gate: gate)
        defer {
            gate.open()
            sender.stop()
            reader.stop()
        }
        let link = try await sender.link()
        var accepted: [[UInt8]] = []
        while true {
            let frame = [UInt8](repeating: UInt8(truncatingIfNeeded: accepted.count), count: 60_000 - accepted.count)
            let outcome = sender.links.send(frame, on: link.id)
            guard outcome == .accepted else {
                #expect(outcome == .full)
                break
            }
            accepted.append(frame)
            try #require(accepted.count < 10_000)
        }
        #expect(accepted.count >= 16)
        gate.open()
        try await sender.witness.until { !$0.writables.isEmpty }
        let last = [UInt8](repeating: 255, count: 3)
        #expect(sender.links.send(last, on: link.id) == .accepted)
        let expected = accepted + [last]
        let seen = try await reader.witness.until { $0.frames.count >= expected.count }
        #expect(seen.frames.map(\.bytes) == expected)
        #expect(sender.witness.seen.downs.isEmpty)
    }

    @Test("a neighbour that does not read delays nobody else")
    func slowReader() async throws {
        let gate = Gate()
        let configuration = SocketLinksConfiguration(airs: [folder["air"]], policy: .hasty)
        let sender = try TestNode(1, configuration)
        let slow = try TestNode(2, configuration, gate: gate)
        let slowLink = try await sender.link()
        // The highest name, so that it is dialled by both and the sender knows its link by age.
        let quick = try TestNode(3, configuration)
        defer {
            gate.open()
            for node in [sender, slow, quick] { node.stop() }
        }
        let quickLink = try #require(try await sender.links(2).last)
        while sender.links.send([UInt8](repeating: 1, count: 65_536), on: slowLink.id) == .accepted {}
        for number in 0..<50 as Range<UInt8> {
            #expect(sender.links.send([number], on: quickLink.id) == .accepted)
            let seen = try await quick.witness.until { $0.frames.count > Int(number) }
            #expect(seen.frames.last?.bytes == [number])
        }
        #expect(slow.witness.seen.frames.isEmpty)
    }

    @Test("a neighbour that floods us does not keep the others from being heard")
    func flood() async throws {
        let gate = Gate()
        let node = try TestNode(
            1, SocketLinksConfiguration(airs: [folder["air"]], policy: .hasty), gate: gate)
        defer {
            gate.open()
            node.stop()
        }
        let path = folder["air/\(AirName(rawValue: 1).file(.socket))"]
        let flooder = try RawPeer(air: path)
        let modest = try RawPeer(air: path)
        _ = try await node.links(2)
        var flooded = 0
        while flooded < 150, flooder.offer([0]) { flooded += 1 }
        try modest.send([1])
        try #require(flooded > 4 * SocketLinksPolicy().framesPerTurn)
        gate.open()
        let seen = try await node.witness.until { [flooded] in $0.frames.count == flooded + 1 }
        let place = try #require(seen.frames.firstIndex { $0.bytes == [1] })
        #expect(place <= 3 * SocketLinksPolicy().framesPerTurn)
    }
}
