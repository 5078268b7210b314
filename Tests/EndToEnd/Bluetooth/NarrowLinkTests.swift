import Domain
import Foundation
import InMemory
import Support
import Testing

extension EndToEnd {
    /// Phones with every MTU that there is (spec: ble-gatt §7).
    @Suite("Links of every width", .needsInteropPython)
    struct NarrowLinkTests {
        /// A phone's MTU, and which of the two connects.
        struct Width: Sendable, CustomTestStringConvertible {
            let mtu: Int
            let phoneConnects: Bool
            /// The longest value that the node may send.
            var limit: Int { min(mtu - 3, 512) }
            var testDescription: String { "MTU \(mtu), \(phoneConnects ? "the phone" : "the node") connects" }

            static func all(_ mtus: [Int]) -> [Width] {
                mtus.flatMap { mtu in [true, false].map { Width(mtu: mtu, phoneConnects: $0) } }
            }
        }

        /// A node and a phone that connect.
        private final class Meeting {
            let folder: TemporaryDirectory
            let air: VirtualAir
            let node: SatchelNode
            let phone: Phone
            let app: PhoneApp

            init(_ width: Width) throws {
                folder = try TemporaryDirectory()
                air = try VirtualAir(adapters: 2)
                node = try SatchelNode(
                    "node", in: folder, adapter: air.address(of: 0), options: ["--hci-log", folder.file("trace")])
                phone = try Phone(air.address(of: 1), manner: .ios, mtu: width.mtu)
                app = try PhoneApp(phone, isCentral: width.phoneConnects)
                try node.start()
                try phone.setAnnounce(try app.announce())
                try width.phoneConnects ? phone.connect() : phone.advertise()
                try phone.event(width.phoneConnects ? "enabled" : "subscribed")
            }

            /// The lengths of all values that the node has sent, in bytes; the node has ended.
            func sentLengths() throws -> [Int] {
                let trace = try PacketTrace(path: folder.file("trace"))
                return trace.connections.flatMap(\.pdus)
                    .filter { $0.isSent && [ATT.writeCommand, ATT.notification].contains($0.opcode) }
                    .map(\.value.count)
            }
        }

        @Test("text, handshake and files keep to the width", arguments: Width.all([185, 247, 517]))
        func wide(width: Width) throws {
            let meeting = try Meeting(width)
            let (node, phone, app) = (meeting.node, meeting.phone, meeting.app)
            try node.events().wait { $0["kind"] == "connected" && $0["name"]?.string == app.nickname }
            #expect(try node.links.map { $0["frameLimit"]?.unsigned } == [UInt64(width.limit)])
            #expect(try app.receiveFirst().json["type"]?.unsigned == UInt64(MessageType.announce.rawValue))

            try app.beginSession(with: try node.identifier)
            try app.publish("hello from the phone")
            try node.hears("hello from the phone")
            _ = try node.json("send", "--wait", "sent", "hello from the node")
            #expect(try app.receive(.message).payload == Array("hello from the node".utf8))
            try app.whisper("psst, node", id: "F00D0001-0000-4000-8000-000000000001", to: try node.identifier)
            try node.hears("psst, node")
            #expect(try String(decoding: app.open(.delivered), as: UTF8.self).hasPrefix("F00D0001"))
            #expect(try node.links.map { $0["isAuthenticated"] } == [true])

            try checkFile(meeting)
            #expect(try phone.events("disconnected").isEmpty)
            #expect(try node.stop() == 0)
            let lengths = try meeting.sentLengths()
            #expect(lengths.allSatisfy { $0 <= width.limit }, "\(lengths.max() ?? 0)")
            // The pieces of the file fill what there is.
            #expect(lengths.max() ?? 0 > width.limit - 16)
        }

        /// A file for everyone arrives at the phone in pieces that it can put together.
        private func checkFile(_ meeting: Meeting) throws {
            // Nothing that could be compressed: the other make inflates in another way.
            let content = SeededRandomness(seed: 1).bytes(3000)
            try meeting.folder.write(content, to: "bytes.bin")
            let mark = meeting.phone.mark
            let process = try meeting.node.spawn([
                "send", "--file", meeting.folder.file("bytes.bin"), "--mime", "application/octet-stream", "--wait",
                "sent",
            ])
            #expect(try process.exitStatus(within: SatchelNode.patience) == 0)
            let file = try meeting.app.receiveFile(from: mark)
            #expect(file["content"]?.hex == content)
            #expect(file["file_name"]?.string == "bytes.bin")
        }

        @Test(
            "one that carries no announce is kept and named in the log, and carries nothing",
            arguments: Width.all([23, 100]))
        func tooNarrow(width: Width) throws {
            let meeting = try Meeting(width)
            let (node, phone) = (meeting.node, meeting.phone)
            try node.logs("warning", "its MTU of \(width.mtu) bytes")
            #expect(try node.links.isEmpty)
            let connections = try node.adapter["connections"]?.array
            #expect(connections?.map { $0["mtu"]?.unsigned } == [UInt64(width.mtu)])
            #expect(connections?.first?["links"]?.array?.isEmpty == true)
            if width.phoneConnects {
                // Answered, by a node that is still there.
                try phone.write([1, 2, 3], withResponse: true)
            } else {
                try phone.notify([1, 2, 3])
            }
            if EndToEnd.isSoak {
                // Longer than a connection without a subscription is suffered.
                #expect(throws: Unmet.self) { try phone.event("disconnected", within: 65) }
            }
            #expect(try phone.events("disconnected").isEmpty)
            let log = try node.log
            #expect(try node.stop() == 0)
            #expect(try meeting.sentLengths().isEmpty)
            #expect(log.lines(.errors).count { $0.contains("its MTU of") } == 1)
        }
    }
}
