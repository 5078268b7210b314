import Application
import ControlSocket
import Domain

/// The running node, as a verb talks to it; every fault comes out as a ``Failure`` with its exit code.
struct NodeConnection {
    private let client: ControlClient
    private let places: Places

    /// Connects to the node of this home; without one the failure says how to start it.
    static func open(_ places: Places) throws(Failure) -> NodeConnection {
        do {
            return NodeConnection(client: try ControlClient(path: places.controlSocket), places: places)
        } catch {
            throw failure(error, places: places)
        }
    }

    /// Connects if a node runs; `nil` when none does. Other faults are thrown.
    static func openIfRunning(_ places: Places) throws(Failure) -> NodeConnection? {
        do throws(Failure) {
            return try open(places)
        } catch {
            guard error.code == .notRunning else { throw error }
            return nil
        }
    }

    /// Asks and waits for the answer.
    func call(
        _ method: String, _ params: JSONValue? = nil, timeout: Milliseconds? = .seconds(30)
    ) throws(Failure) -> JSONValue {
        do { return try client.call(method, params, timeout: timeout) } catch {
            throw Self.failure(error, places: places)
        }
    }

    /// Asks to be told of events after a cursor (`nil`: from now on).
    ///
    /// - Parameter types: Wanted types; `nil`: all.
    /// - Returns: The cursor that holds, and whether events before it are gone for good.
    func subscribe(
        after: UInt64?, types: [String]? = nil
    ) throws(Failure) -> (cursor: UInt64, missed: Bool) {
        do {
            let place = try client.subscribe(after: after, types: types)
            return (place["cursor"]?.unsigned ?? 0, place["missed"]?.bool ?? false)
        } catch {
            throw Self.failure(error, places: places)
        }
    }

    /// The next notification; `nil` when none came in time.
    func next(timeout: Milliseconds?) throws(Failure) -> (method: String, params: JSONValue)? {
        do { return try client.nextNotification(timeout: timeout) } catch {
            throw Self.failure(error, places: places)
        }
    }

    /// What a fault of the connection means for the command.
    static func failure(_ error: ControlClientError, places: Places) -> Failure {
        switch error {
        case .notRunning(let path):
            Failure(
                .notRunning, "no node is running: nothing answers at \(path)",
                hints: ["start one with: satchel run\(places.options)"])
        case .permission:
            Failure(.refused, error.description, hints: ["run the command as the user whose node it is"])
        case .pathTooLong: Failure(.configuration, error.description, hints: ["choose a shorter --home"])
        case .disconnected: Failure(.inputOutput, error.description, hints: ["its log says why"])
        case .timeout: Failure(.timeout, error.description, hints: ["its log says what it is busy with"])
        case .malformed: Failure(.protocolFault, error.description, hints: ["is it the same version of satchel?"])
        case .system: Failure(.inputOutput, error.description)
        case .refused(let refusal): failure(refusal)
        }
    }

    private static func failure(_ error: ControlError) -> Failure {
        let candidates = error.data?["candidates"]?.array?.compactMap(\.string) ?? []
        if let code = Int32(exactly: error.code).flatMap({ ExitCode(rawValue: $0) }), code != .done {
            let hints = error.data?["hints"]?.array?.compactMap(\.string) ?? []
            return Failure(code, error.message, hints: hints + candidates.map { "candidate: \($0)" })
        }
        switch error.code {
        case ControlError.unknownMethod, ControlError.invalidParams, ControlError.invalidRequest,
            ControlError.parseError:
            return Failure(
                .protocolFault, "the node did not understand: \(error.message)",
                hints: ["is it the same version of satchel?"])
        default: return Failure(.internalFault, "the node failed: \(error.message)", hints: ["its log may say why"])
        }
    }
}
