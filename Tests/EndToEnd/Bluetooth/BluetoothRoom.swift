import Domain
import Foundation
import Support
import Testing

/// Nodes in processes of their own, each on a controller of one virtual air, and with no other links.
final class BluetoothRoom {
    let folder: TemporaryDirectory
    let air: VirtualAir
    let nodes: [SatchelNode]

    /// Starts the nodes, which have not met yet.
    ///
    /// - Parameters:
    ///   - names: Their nicknames; the first is on controller 0 and so on.
    ///   - apart: Pairs that are out of range of each other.
    ///   - options: What each node is started with besides.
    init(_ names: [String], apart: [(Int, Int)] = [], options: [String] = []) throws {
        let folder = try TemporaryDirectory()
        let air = try VirtualAir(adapters: names.count)
        for (one, other) in apart { try air.block(one, other) }
        nodes = try names.enumerated().map { index, name in
            try SatchelNode(name, in: folder, adapter: air.address(of: index), options: options)
        }
        self.folder = folder
        self.air = air
        for node in nodes { try node.start() }
    }

    /// Starts them and waits until each knows all the others: as neighbours, or also through others.
    static func met(_ names: [String], directly: Bool = true) throws -> BluetoothRoom {
        let room = try BluetoothRoom(names)
        for node in room.nodes {
            for other in room.nodes where other !== node { try node.meet(other, directly: directly) }
        }
        return room
    }

    /// What the controllers count as mistakes of their hosts. Nothing ever is to be counted.
    var mistakes: [UInt64] { get throws { try air.counts().map(\.mistakes) } }
}

extension SatchelNode {
    /// A node that has one Bluetooth adapter and is in no air directory.
    convenience init(
        _ name: String, in folder: TemporaryDirectory, adapter: String, options: [String] = []
    ) throws {
        try self.init(
            name, in: folder, options: ["--nickname", name, "--air", "off", "--adapter", adapter] + options)
    }

    /// How many lines the log has: the place to wait from for what comes next.
    var logMark: Int { get throws { try log.lines(.errors).count } }

    /// Waits for a line of the log that contains all the words.
    @discardableResult
    func logs(
        _ words: String..., from mark: Int = 0, within seconds: Double = SatchelNode.patience
    ) throws -> String {
        try log.line(.errors, from: mark, within: seconds) { line in words.allSatisfy { line.contains($0) } }
    }

    /// Waits until an adapter is at work.
    func takesAdapter(from mark: Int = 0) throws { try logs("on the air as", from: mark) }

    /// The sequence number of the last event: what is behind it is news.
    var lastEvent: UInt64 { get throws { try history().last?["sequence"]?.unsigned ?? 0 } }

    /// How the first adapter stands, as `status --json` says it.
    var adapter: JSONValue {
        get throws { try #require(json("status")["adapters"]?.array?.first) }
    }

    /// The links, as `status --json` lists them.
    var links: [JSONValue] { get throws { try json("status")["links"]?.array ?? [] } }

    /// Asks for the status until it is as wanted; each question takes a process, so nothing spins.
    @discardableResult
    func status(
        within seconds: Double = SatchelNode.patience, sourceLocation: SourceLocation = #_sourceLocation,
        until isWanted: (JSONValue) -> Bool
    ) throws -> JSONValue {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while true {
            let status = try json("status")
            if isWanted(status) { return status }
            try #require(
                Date() < deadline, "\(name): \(String(decoding: status.encoded, as: UTF8.self))",
                sourceLocation: sourceLocation)
        }
    }

    /// Asks for the peers until one can be reached, over whatever links.
    func reaches(_ peer: SatchelNode, within seconds: Double = SatchelNode.patience) throws {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while try self.peer(peer.name)?["isReachable"] != true {
            try #require(Date() < deadline, "\(name) does not reach \(peer.name)")
        }
    }

    /// Waits for a message, public or private, and answers its event.
    @discardableResult
    func hears(_ text: String, after sequence: UInt64 = 0) throws -> JSONValue {
        try events().wait(after: sequence) { $0["text"]?.string == text && $0["isOwn"] == false }
    }

    /// The texts of others that the log holds behind an event, in order.
    func heardTexts(after sequence: UInt64 = 0) throws -> [String] {
        try history().filter { ($0["sequence"]?.unsigned ?? 0) > sequence && $0["isOwn"] == false }
            .compactMap { $0["text"]?.string }
    }
}

/// Talks both ways, in public and in private, and checks what arrives.
func talk(_ one: SatchelNode, _ other: SatchelNode, _ topic: String = "weather") throws {
    for (sender, receiver) in [(one, other), (other, one)] {
        let (open, sealed) = ("\(sender.name) on the \(topic), to all", "\(sender.name) on the \(topic), to you")
        let published = try sender.json("send", "--wait", "sent", open)
        let heard = try receiver.hears(open)
        #expect(heard["type"] == "publicMessage")
        #expect(heard["id"] == published["ids"]?.array?.first)
        #expect(heard["senderName"]?.string == sender.name)
        let sent = try sender.json("send", "--to", receiver.name, "--wait", "delivered", sealed)
        #expect(sent["status"] == "delivered")
        let read = try receiver.hears(sealed)
        #expect(read["type"] == "privateMessage")
        #expect(read["id"] == sent["ids"]?.array?.first)
        #expect(read["sender"]?.string == (try sender.identifier))
    }
}

/// Sends a file of random bytes to everyone, and waits until it lies at the receiver's, whole.
///
/// - Returns: How long it took, in seconds.
@discardableResult
func sendFile(
    _ count: Int, named name: String = "noise.bin", from sender: SatchelNode, to receiver: SatchelNode,
    in folder: TemporaryDirectory
) throws -> Double {
    var dice = SystemRandomNumberGenerator()
    let content = (0..<count).map { _ in UInt8.random(in: 0...255, using: &dice) }
    try folder.write(content, to: name)
    let begin = Date()
    let sent = try sender.json("send", "--file", folder.file(name), "--wait", "sent")
    let event = try receiver.events().wait { $0["type"] == "file" && $0["name"]?.string == name }
    let seconds = Date().timeIntervalSince(begin)
    #expect(event["id"] == sent["ids"]?.array?.first)
    #expect(event["size"]?.unsigned == UInt64(count))
    let path = try #require(event["path"]?.string)
    #expect(Array(try Data(contentsOf: URL(fileURLWithPath: path))) == content)
    return seconds
}

/// A number with two digits behind the point, for the figures that tests print.
func figure(_ number: Double) -> String { String(format: "%.2f", number) }
