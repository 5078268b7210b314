import Foundation
import Testing

/// BlueZ's Bluetooth emulator, as a second air: each host that connects gets a Bluetooth 4.0 controller of its own.
///
/// It is written in C, by others, and has a character: a single ACL credit; one report for each time that scanning or
/// advertising is enabled, so a scan must be restarted; a host that goes leaves its links without a word.
public final class BTVirt: Sendable {
    /// Where the emulator lies.
    public static let program = "/usr/bin/btvirt"
    /// Whether it can run here; `make test` installs both.
    public static let isInstalled =
        FileManager.default.isExecutableFile(atPath: program)
        && FileManager.default.isExecutableFile(atPath: compiler)
    /// Why a suite does not run without it.
    public static let reason: Comment = "btvirt of the package bluez-test-tools and gcc are not installed"

    private static let compiler = "/usr/bin/gcc"
    private let folder: TemporaryDirectory
    private let process: ChildProcess

    /// Starts the emulator and waits until it listens.
    public init() throws {
        folder = try TemporaryDirectory()
        let shim = folder.file("btvirt_shim.so")
        let path = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
        let build = try ChildProcess(
            Self.compiler,
            ["-shared", "-fPIC", "-O1", "-o", shim, InteropPython.folder + "/btvirt_shim.c", "-ldl"], environment: path)
        let status = try build.exitStatus(within: SatchelNode.patience)
        try #require(status == 0, "gcc: \(build.text(.errors))")
        process = try ChildProcess(
            Self.program, ["-s"], environment: ["LD_PRELOAD": shim, "SATCHEL_BTVIRT_DIR": folder.path])
        _ = try process.line(.output, within: SatchelNode.patience) { $0 == "READY" }
    }

    /// The emulator's LE controllers, as `--adapter` names them; a new one for every host.
    public var address: String { "h4:unix:\(folder.file("bt-server-le"))" }
}
