import Domain

/// One line from a client, read by the rules of JSON-RPC 2.0.
enum RPCLine {
    /// Nothing but white space: ignored, so that a person may press return.
    case blank
    /// One call.
    case single(RPCCall)
    /// Several calls; the answers go out together. Never empty.
    case batch([RPCCall])
    /// No call at all; the answer to give.
    case refused(ControlError)

    /// Reads a line.
    init(parsing line: [UInt8]) {
        if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
            self = .blank
            return
        }
        let json: JSONValue
        do { json = try JSONValue(parsing: line) } catch {
            self = .refused(ControlError(code: ControlError.parseError, message: "not JSON: \(error)"))
            return
        }
        guard case .array(let elements) = json else {
            self = .single(RPCCall(json))
            return
        }
        self =
            elements.isEmpty
            ? .refused(ControlError(code: ControlError.invalidRequest, message: "an empty batch"))
            : .batch(elements.map { RPCCall($0) })
    }
}

/// One call in a line: a request, a notification, or something that is neither.
enum RPCCall {
    /// Wants an answer under this identifier: a string, a number or `null`.
    case request(id: JSONValue, ControlRequest)
    /// Wants no answer.
    case notification(ControlRequest)
    /// Not a call; the identifier to answer under is `null` when it cannot be told.
    case invalid(id: JSONValue, ControlError)

    init(_ json: JSONValue) {
        let claimed = json["id"]
        let id = claimed.flatMap { Self.isIdentifier($0) ? $0 : nil } ?? .null
        let problem: String? =
            if json.members == nil {
                "a request is an object"
            } else if json["jsonrpc"] != "2.0" {
                "\"jsonrpc\" is not \"2.0\""
            } else if claimed.map({ !Self.isIdentifier($0) }) ?? false {
                "an id is a string, a number or null"
            } else if json["method"]?.string == nil {
                "\"method\" is not a string"
            } else if json["params"].map({ $0.members == nil && $0.array == nil }) ?? false {
                "\"params\" is neither an object nor an array"
            } else { nil }
        guard problem == nil, let method = json["method"]?.string else {
            let reason = problem ?? "not a request"
            self = .invalid(id: id, ControlError(code: ControlError.invalidRequest, message: reason))
            return
        }
        let request = ControlRequest(method: method, params: json["params"])
        self = claimed == nil ? .notification(request) : .request(id: id, request)
    }

    private static func isIdentifier(_ json: JSONValue) -> Bool {
        switch json {
        case .string, .number, .null: true
        case .bool, .array, .object: false
        }
    }
}

/// What goes out, without the line end.
enum RPCWriter {
    /// A response.
    static func response(to id: JSONValue, _ reply: ControlReply) -> JSONValue {
        switch reply {
        case .success(let result): .object(["jsonrpc": "2.0", "result": result, "id": id])
        case .failure(let error): .object(["jsonrpc": "2.0", "error": error.json, "id": id])
        }
    }

    /// A call that wants no answer.
    static func notification(_ method: String, _ params: JSONValue) -> JSONValue {
        .object(["jsonrpc": "2.0", "method": .string(method), "params": params])
    }

    /// A call that wants an answer.
    static func request(_ request: ControlRequest, id: UInt64) -> JSONValue {
        .object([
            "jsonrpc": "2.0", "id": .number(id), "method": .string(request.method), "params": request.params,
        ])
    }
}

extension JSONValue {
    /// The document and a line end.
    var line: [UInt8] { encoded + [0x0A] }
}
