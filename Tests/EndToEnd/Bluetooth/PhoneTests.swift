import Domain
import Foundation
import Support
import Testing

/// A node and a phone that meet, and which of them connects.
struct Encounter: Sendable, CustomTestStringConvertible {
    let manner: Phone.Manner
    /// Whether the phone is the central; else the node is.
    let phoneConnects: Bool

    static let all = Phone.Manner.allCases.flatMap { manner in
        [true, false].map { Encounter(manner: manner, phoneConnects: $0) }
    }

    /// What the kept trace is called: what kind of phone, in which role.
    var name: String { "\(manner.rawValue)-\(phoneConnects ? "central" : "peripheral")" }
    var testDescription: String { name }
    /// Where the kept trace lies.
    var path: String { Vectors.folder.appendingPathComponent("btsnoop/\(name).btsnoop").path }
}

extension EndToEnd {
    /// An independent host plays the phone: Bumble's GATT, bitchat4agents' packets and sessions.
    @Suite("A node and a phone over Bluetooth", .needsInteropPython)
    struct BluetoothPhoneTests {
        /// How much later than the contract says something may come on a machine that does much else, in milliseconds.
        static let slack = 2000.0

        /// Set, the traces of these tests become the kept ones.
        private static let keepsTraces = ProcessInfo.processInfo.environment["SATCHEL_KEEP_TRACES"] == "1"

        /// One meeting, and all that takes part in it.
        private final class Meeting {
            let encounter: Encounter
            let folder: TemporaryDirectory
            let air: VirtualAir
            let node: SatchelNode
            let phone: Phone
            let app: PhoneApp

            init(_ encounter: Encounter) throws {
                self.encounter = encounter
                folder = try TemporaryDirectory()
                air = try VirtualAir(adapters: 2)
                node = try SatchelNode(
                    "node", in: folder, adapter: air.address(of: 0), options: ["--hci-log", folder.file("trace")])
                let peerID: [UInt8] = encounter.manner == .android ? [1, 2, 3, 4, 5, 6, 7, 8] : []
                phone = try Phone(air.address(of: 1), manner: encounter.manner, peerID: peerID)
                app = try PhoneApp(phone, isCentral: encounter.phoneConnects)
                if encounter.phoneConnects {
                    try node.start()
                    try node.takesAdapter()
                    // Else the announce of the start, 0.6 s after it, may come first by chance.
                    try node.status { $0["uptime"]?.integer ?? 0 > 1000 }
                    try phone.setAnnounce(try app.announce())
                    try phone.connect()
                } else {
                    try phone.setAnnounce(try app.announce())
                    try phone.advertise()
                    try node.start()
                }
            }
        }

        @Test(
            "it discovers, subscribes, exchanges the MTU, gets our announce in time and chats both ways",
            arguments: Encounter.all)
        func meet(encounter: Encounter) throws {
            let meeting = try Meeting(encounter)
            let (node, phone, app) = (meeting.node, meeting.phone, meeting.app)
            let subscribed = try encounter.phoneConnects ? checkDiscovery(phone) : checkSubscription(phone)
            let key = try checkAnnounce(meeting, after: subscribed)
            try node.events().wait { $0["kind"] == "connected" && $0["name"]?.string == app.nickname }
            try chatInPublic(meeting, key)
            try chatInPrivate(meeting)
            #expect(try node.peer(app.nickname)?["id"]?.string == app.id)
            #expect(try node.links.map { $0["isAuthenticated"] } == [true])
            #expect(try phone.events("failed").isEmpty && phone.events("disconnected").isEmpty)
            #expect(try phone.events(encounter.phoneConnects ? "enabled" : "subscribed").count == 1)
            #expect(try node.stop() == 0)
            try phone.event("disconnected")
            #expect(try meeting.air.counts().map(\.mistakes) == [0, 0])
            try checkTrace(meeting)
        }

        /// The phone looks for us and finds what it needs.
        private func checkDiscovery(_ phone: Phone) throws -> Phone.Event {
            let found = try phone.event("found")
            // Flags, and the complete list of 128-bit UUIDs with our service; no name (spec: ble-gatt §3).
            #expect(found.bytes.map { Hex.encode($0) } == "0201061107" + "5c4b3a2c1d8e3f9b5a4c9e4a2d5e7bf4")
            let discovered = try phone.event("discovered")
            #expect(discovered.json["properties"]?.unsigned == 0x1E)
            #expect(try phone.event("mtu").json["mtu"]?.unsigned == 517)
            return try phone.event("enabled")
        }

        /// We look for the phone and subscribe.
        private func checkSubscription(_ phone: Phone) throws -> Phone.Event {
            let mtu = try phone.event("mtu")
            #expect(mtu.json["mtu"]?.unsigned == 517)
            let subscribed = try phone.event("subscribed")
            #expect(mtu.index < subscribed.index)
            return subscribed
        }

        /// Our announce is the first that the phone gets. Answers the key that it is signed with, as text.
        private func checkAnnounce(_ meeting: Meeting, after subscribed: Phone.Event) throws -> JSONValue? {
            let app = meeting.app
            let first = try app.receiveFirst()
            #expect(first.json["type"]?.unsigned == UInt64(MessageType.announce.rawValue))
            #expect(first.ttl == 7)
            #expect(first.sender == (try meeting.node.identifier))
            let announcement = try app.announcement(in: first)
            #expect(announcement["nickname"]?.string == "node")
            #expect(try app.isSigned(first, by: announcement["signing_key"]) == true)
            let delay = first.event.delay(after: subscribed)
            let due = meeting.encounter.phoneConnects ? 400.0 : 0
            print("Bluetooth, \(meeting.encounter.name): our announce came \(figure(delay)) ms after the subscription")
            #expect(delay <= due + Self.slack)
            return announcement["signing_key"]
        }

        private func chatInPublic(_ meeting: Meeting, _ key: JSONValue?) throws {
            let (node, app) = (meeting.node, meeting.app)
            try app.publish("hello from the phone")
            let heard = try node.hears("hello from the phone")
            #expect(heard["type"] == "publicMessage")
            #expect(heard["sender"]?.string == app.id)
            #expect(heard["senderName"]?.string == app.nickname)
            let mark = meeting.phone.mark
            _ = try node.json("send", "--wait", "sent", "hello from the node")
            let packet = try app.receive(.message, from: mark)
            #expect(packet.payload == Array("hello from the node".utf8))
            #expect(try app.isSigned(packet, by: key) == true)
        }

        /// Who connected begins the session.
        private func chatInPrivate(_ meeting: Meeting) throws {
            let (node, app) = (meeting.node, meeting.app)
            let identifier = try node.identifier
            let mark = meeting.phone.mark
            var sending: ChildProcess?
            if meeting.encounter.phoneConnects {
                try app.beginSession(with: identifier)
            } else {
                sending = try node.spawn(["send", "--to", app.nickname, "--wait", "delivered", "psst, phone"])
                try app.answerSession(of: identifier, from: mark)
            }
            #expect(try app.sessionKey == node.json("identity")["noiseKey"]?.string)
            let id = "3B9F6C1E-7A55-4E0D-9B43-0C9D2F5A1E77"
            try app.whisper("psst, node", id: id, to: identifier)
            let heard = try node.hears("psst, node")
            #expect(heard["type"] == "privateMessage")
            #expect(heard["id"]?.string == id)
            #expect(try app.open(.delivered) == Array(id.utf8))
            let process =
                try sending ?? node.spawn(["send", "--to", app.nickname, "--wait", "delivered", "psst, phone"])
            let message = try app.openMessage()
            #expect(message.text == "psst, phone")
            try app.confirm(try #require(message.id), to: identifier)
            #expect(try process.exitStatus(within: SatchelNode.patience) == 0)
        }

        private func checkTrace(_ meeting: Meeting) throws {
            let encounter = meeting.encounter
            let order = try SetUpOrder(try PacketTrace(path: meeting.folder.file("trace")))
            #expect(order.connection.isCentral != encounter.phoneConnects)
            let delay = try order.check()
            #expect(delay <= (encounter.phoneConnects ? 400.0 : 0) + Self.slack)
            guard Self.keepsTraces else { return }
            let folder = URL(fileURLWithPath: encounter.path).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(meeting.folder.read("trace")).write(to: URL(fileURLWithPath: encounter.path))
        }

        @Test("the kept traces hold the set-up that the contract wants, at its times", arguments: Encounter.all)
        func kept(encounter: Encounter) throws {
            let order = try SetUpOrder(try PacketTrace(path: encounter.path))
            #expect(order.connection.isCentral != encounter.phoneConnects)
            let delay = try order.check()
            // The node begins to wait a little before its answer to the subscription is on the way, and so in the trace.
            switch (encounter.phoneConnects, encounter.manner) {
            // It has announced itself by then, and is answered at once (spec: mesh §12.3).
            case (true, .ios): #expect((0..<500).contains(delay))
            case (true, .android): #expect((390..<500).contains(delay))
            case (false, _): #expect((0..<100).contains(delay))
            }
            let types: [MessageType] = [.announce, .message, .noiseHandshake, .noiseEncrypted]
            for areSent in [true, false] {
                #expect(order.packetTypes(areSent: areSent).isSuperset(of: types.map(\.rawValue)))
            }
        }
    }
}
