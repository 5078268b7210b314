/// Virtual controllers that are wrong in many ways: `Tests/Interop/unpatched_air.py`, which names them.
public final class UnpatchedAir: Sendable {
    private let folder: TemporaryDirectory
    private let process: ChildProcess

    /// Starts the air and waits until every controller listens.
    public init(adapters count: Int) throws {
        folder = try TemporaryDirectory()
        process = try InteropPython.start("unpatched_air.py", [folder.path, String(count)])
        _ = try process.line(.output, within: SatchelNode.patience) { $0 == "READY" }
    }

    /// A controller as `--adapter` names it.
    public func address(of index: Int) -> String { "h4:unix:\(folder.file("hci\(index)"))" }
}
