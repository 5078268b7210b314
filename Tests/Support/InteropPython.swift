import Foundation
import Testing

/// The Python programs that lend the tests independent implementations.
public enum InteropPython {
    /// The interpreter that has the packages of `Tests/Interop/requirements.txt`; `make test` names it.
    public static let path = ProcessInfo.processInfo.environment["SATCHEL_INTEROP_PYTHON"]
    /// Why a suite does not run without it.
    public static let reason: Comment = "SATCHEL_INTEROP_PYTHON names no Python with Tests/Interop/requirements.txt"

    /// The folder with the programs.
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Interop").path

    /// Starts one of them, which prints as it goes; what the user has set for Python does not reach it.
    static func start(_ script: String, _ arguments: [String]) throws -> ChildProcess {
        let python = try #require(path, reason)
        return try ChildProcess(
            python, ["-E", "-s", "-u", "-B", folder + "/" + script] + arguments,
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""])
    }
}

extension Trait where Self == ConditionTrait {
    /// Runs where the interpreter of ``InteropPython`` is.
    public static var needsInteropPython: Self { .enabled(if: InteropPython.path != nil, InteropPython.reason) }

    /// Runs where ``BTVirt`` is.
    public static var needsBTVirt: Self { .enabled(if: BTVirt.isInstalled, BTVirt.reason) }
}
