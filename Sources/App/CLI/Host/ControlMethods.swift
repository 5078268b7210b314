import Application
import ControlSocket
import Domain
import Glibc
import NativeCryptography

/// The methods of the control protocol: what a client may ask, mapped to the node's commands and queries.
extension NodeHost {
    /// Answers a request; from any thread, the reply may come later.
    nonisolated func handle(_ request: ControlRequest, _ reply: @escaping Reply) {
        // A file of a megabyte is decoded before it enters the node's queue, where everything else would wait for it.
        let content = request.method == "sendFile" ? request.params?["content"]?.string.flatMap(Base64.decode) : nil
        post { $0.answer(request, content, reply) }
    }

    private func answer(_ request: ControlRequest, _ content: [UInt8]?, _ reply: @escaping Reply) {
        do {
            if let result = try result(of: request, content, reply) { reply(.success(result)) }
        } catch let refusal as Refusal {
            reply(.failure(ControlError(refusal)))
        } catch let error as ControlError {
            reply(.failure(error))
        } catch {
            reply(.failure(ControlError(code: ControlError.internalError, message: "\(error)")))
        }
    }

    /// The result; `nil` when it comes later.
    private func result(of request: ControlRequest, _ content: [UInt8]?, _ reply: @escaping Reply) throws -> JSONValue?
    {
        let params = Params(request.params)
        switch request.method {
        case "version": return Version.json
        case "identity": return try identity()
        case "status": return try status()
        case "peers": return try peers()
        case "topology": return try running { $0.topology.json }
        case "trace": return try trace(to: params.text("to"))
        case "send": return try send(params.text("text"), to: params.optionalText("to"))
        case "sendFile":
            return try sendFile(
                content, name: params.text("name"), mime: params.optionalText("mime"))
        case "nickname": return try rename(params.text("name"))
        case "markRead": return try markRead(params.texts("ids"), from: params.text("peer"))
        case "panic":
            reply(.success(.object(["process": .number(getpid()), "restarts": .bool(listeners.panic.restarts)])))
            panic()
            return nil
        case "ping":
            let peer = try params.text("to")
            let id = try running { node throws(Refusal) in try node.ping(node.resolve(peer)) }
            expect(ping: id, reply)
            return nil
        default:
            throw ControlError(
                code: ControlError.unknownMethod, message: "there is no method \"\(request.method)\"")
        }
    }
}

extension NodeHost {
    /// Does something with the node; a host that has none is about to stop.
    private func running<Result>(
        _ body: (Node<NativeCryptography>) throws(Refusal) -> Result
    ) throws -> Result {
        guard let result = try withNode(body) else {
            throw ControlError(code: Int(ExitCode.notRunning.rawValue), message: "the node stops")
        }
        return result
    }

    private func identity() throws -> JSONValue {
        let report = try running { $0.report }
        let own = [
            JSONValue.Member("nickname", .string(report.nickname)),
            JSONValue.Member("role", .string(report.role.rawValue)),
            JSONValue.Member("afterWipe", .bool(Environment.read()[FreshStart.variable] != nil)),
        ]
        return .object(own + (card.members ?? []))
    }

    private func status() throws -> JSONValue {
        let (now, wall) = (SystemClock.uptime, SystemClock.wall)
        let report = try running { $0.report.json }
        let own: [JSONValue.Member] = [
            JSONValue.Member("adapters", .array(adapters().map { $0.json(at: now, wall: wall) })),
            JSONValue.Member("process", .number(getpid())), JSONValue.Member("version", .string(Version.number)),
        ]
        return .object((report.members ?? []) + own)
    }

    private func peers() throws -> JSONValue {
        let (now, wall) = (SystemClock.uptime, SystemClock.wall)
        return try running { .object(["peers": .array($0.peers.map { $0.json(at: now, wall: wall) })]) }
    }

    private func trace(to name: String) throws -> JSONValue {
        try running { node throws(Refusal) in
            let peer = try node.resolve(name)
            let names = Dictionary(node.peers.map { ($0.id, $0.displayName) }) { first, _ in first }
            return try node.trace(to: peer).json(to: peer) { names[$0] }
        }
    }

    private func send(_ text: String, to name: String?) throws -> JSONValue {
        try running { node throws(Refusal) in
            var peer: PeerID?
            if let name { peer = try node.resolve(name) }
            let ids: [String]
            if let peer { ids = try node.sendPrivate(text, to: peer) } else { ids = [try node.sendPublic(text)] }
            let clock = node.clock.judgement
            return .object([
                "ids": .array(ids.map { .string($0) }), "peer": peer.map { .string($0.hex) },
                "held": clock.isWrong ? .string("the clock is wrong: \(clock.explanation)") : nil,
            ])
        }
    }

    private func sendFile(_ content: [UInt8]?, name: String, mime: String?) throws -> JSONValue {
        guard let bytes = content else {
            throw ControlError(code: ControlError.invalidParams, message: "the parameter \"content\" must be base64")
        }
        return try running { node throws(Refusal) in
            .object([
                "id": .string(
                    try node.sendFile(bytes, name: name, mime: mime ?? FileType.mime(ofName: name, content: bytes)))
            ])
        }
    }

    private func rename(_ name: String) throws -> JSONValue {
        let name = try running { node throws(Refusal) in try node.setNickname(name) }
        listeners.nicknameChanged(name)
        return .object(["nickname": .string(name)])
    }

    private func markRead(_ ids: [String], from peer: String) throws -> JSONValue {
        try running { node throws(Refusal) in
            try node.markRead(ids, from: try node.resolve(peer))
            return .object([])
        }
    }
}

/// Reads the parameters of a request, and says which one is wrong.
private struct Params {
    private let json: JSONValue?

    init(_ json: JSONValue?) { self.json = json }

    private func wrong(_ name: String, _ expected: String) -> ControlError {
        ControlError(code: ControlError.invalidParams, message: "the parameter \"\(name)\" must be \(expected)")
    }

    func text(_ name: String) throws -> String {
        guard let text = json?[name]?.string else { throw wrong(name, "text") }
        return text
    }

    func optionalText(_ name: String) throws -> String? {
        guard let value = json?[name], !value.isNull else { return nil }
        return try text(name)
    }

    func texts(_ name: String) throws -> [String] {
        guard let elements = json?[name]?.array else { throw wrong(name, "a list of texts") }
        let texts = elements.compactMap(\.string)
        guard texts.count == elements.count else { throw wrong(name, "a list of texts") }
        return texts
    }
}

extension ControlError {
    /// A refusal of the node, with the exit code that a command ends with and what to do about it.
    init(_ refusal: Refusal) {
        let code: ExitCode
        let hint: String?
        switch refusal {
        case .invalid: (code, hint) = (.badInput, nil)
        case .tooLong, .tooManyParts: (code, hint) = (.badInput, "shorten it, or send it in several messages")
        case .noSuchPeer: (code, hint) = (.notFound, "'satchel peers' lists who is here")
        case .ambiguous: (code, hint) = (.ambiguous, "name the peer with its suffix, like name#1a2b, or by its ID")
        case .nobodyHere: (code, hint) = (.notYet, "'satchel status' lists the links; try again when one is up")
        case .notReachable: (code, hint) = (.notYet, "try again when 'satchel peers' lists it as reachable")
        case .busy: (code, hint) = (.notYet, "try again in a moment")
        case .clockWrong: (code, hint) = (.notYet, "'satchel doctor' says how the clock stands")
        case .forbidden: (code, hint) = (.refused, nil)
        }
        var members = refusal.json.members ?? []
        if let hint { members.append(JSONValue.Member("hints", [.string(hint)])) }
        self.init(code: Int(code.rawValue), message: refusal.explanation, data: .object(members))
    }
}
