import Foundation

/// A program of this package, as it was built together with the running tests.
public struct BuiltProgram: Sendable {
    /// Where it lies: in the folder of the test bundle.
    public let url: URL

    /// What a run printed and how it ended.
    public struct Outcome: Sendable {
        /// Standard output.
        public let output: String
        /// The exit status.
        public let status: Int32
    }

    /// Finds a program; throws when it was not built.
    public init(_ name: String) throws {
        let bundle = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        url = bundle.deletingLastPathComponent().appendingPathComponent(name)
        guard FileManager.default.isExecutableFile(atPath: url.path) else {
            throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: url.path])
        }
    }

    /// Runs it to its end.
    public func run(_ arguments: [String]) throws -> Outcome {
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Outcome(output: String(decoding: data, as: UTF8.self), status: process.terminationStatus)
    }
}
