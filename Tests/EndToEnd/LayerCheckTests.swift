import Foundation
import Testing

/// A made-up package in a temporary folder, removed with this value.
private final class MadeUpTree {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("layers-\(UUID().uuidString)")

    init(_ files: [String: String]) throws {
        for (path, text) in files {
            let file = root.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
    }

    deinit { try? FileManager.default.removeItem(at: root) }
}

private struct Verdict {
    let status: Int32
    let lines: [String]
}

private let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

private func checkLayers(_ arguments: [String]) throws -> Verdict {
    let process = Process()
    process.executableURL = repository.appendingPathComponent("scripts/check-layers")
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return Verdict(status: process.terminationStatus, lines: text.split(separator: "\n").map(String.init))
}

/// One file that breaks one rule.
struct Violation: Sendable, CustomTestStringConvertible {
    let path: String
    let source: String
    let line: Int
    let rule: String
    var testDescription: String { "\(path): \(source.debugDescription)" }

    init(_ path: String, _ source: String, line: Int = 1, _ rule: String) {
        self.path = path
        self.source = source
        self.line = line
        self.rule = rule
    }
}

/// The check is only worth something if it fails when it should.
@Suite("Layer check")
struct LayerCheckTests {
    /// Adapters that exist in every made-up tree, so that importing one from another can be told.
    private static let base = [
        "Sources/Adapters/SocketLinks/Listener.swift": "import Application\nimport Domain\nimport Glibc\n",
        "Sources/Adapters/System/CZlib/module.modulemap": "module CZlib {}\n",
    ]

    @Test("this repository keeps its rules")
    func repositoryPasses() throws {
        let verdict = try checkLayers([repository.path])
        #expect(verdict.lines == [])
        #expect(verdict.status == 0)
        #expect(try checkLayers([]).status == 0)
    }

    @Test(
        "an import that the layer may not have is refused",
        arguments: [
            Violation("Domain/A.swift", "import Foundation", "nothing under Sources may import the full Foundation"),
            Violation("Domain/A.swift", "import FoundationEssentials", "Domain may not import FoundationEssentials"),
            Violation("Domain/A.swift", "import Glibc", "Domain may not import Glibc"),
            Violation("Domain/A.swift", "import Synchronization", "Domain may not import Synchronization"),
            Violation("Domain/Deep/A.swift", "import Application", "Domain may not import Application"),
            Violation("Application/A.swift", "import Domain\nimport Dispatch", line: 2, "may not import Dispatch"),
            Violation("Application/A.swift", "import InMemory", "Application may not import InMemory"),
            Violation("Adapters/New/A.swift", "import SocketLinks", "may not import another adapter (SocketLinks)"),
            Violation("Adapters/New/A.swift", "import Foundation", "may import the full Foundation"),
            Violation("Adapters/New/A.swift", "import CZlib", "the adapter New may not import CZlib"),
            Violation("Adapters/ZlibCompression/A.swift", "import CSodium", "may not import CSodium"),
            Violation("Adapters/InMemory/A.swift", "import Glibc", "the adapter InMemory may not import Glibc"),
            Violation("Adapters/New/A.swift", "import FoundationNetworking", "may not import FoundationNetworking"),
            Violation("App/Simulator/A.swift", "import SocketLinks", "the simulator may not import SocketLinks"),
            Violation("App/Simulator/A.swift", "import Foundation", "may import the full Foundation"),
            Violation("App/CLI/A.swift", "import Foundation", "may import the full Foundation"),
            Violation("App/CLI/A.swift", "import CZlib", "App may not import CZlib"),
            Violation("Elsewhere/A.swift", "let a = 1", "belongs to no layer"),
            Violation("App/A.swift", "let a = 1", "belongs to no layer"),
            Violation("Adapters/System/CZlib/A.swift", "let a = 1", "belongs to no layer"),
        ])
    func imports(_ violation: Violation) throws { try expectRefused(violation) }

    @Test(
        "no way of writing an import gets through",
        arguments: [
            "@testable import Glibc", "public import Glibc", "@_exported import Glibc", "import struct Glibc.timespec",
            "internal import func Glibc.read", "  import Glibc", "import Domain; import Glibc", "import Glibc.POSIX",
            "#if canImport(Glibc)\nimport Glibc\n#endif", "@_spi(Inner) import Glibc", "/* a */ import Glibc",
            "let text = \"\"\"\n  import Domain\n  \"\"\"\nimport Glibc",
        ])
    func importForms(source: String) throws {
        let line = source.split(separator: "\n").firstIndex {
            $0.contains("import") && $0.contains("Glibc") && !$0.contains("#if")
        }
        let index = try #require(line)
        try expectRefused(Violation("Application/A.swift", source, line: index + 1, "Application may not import Glibc"))
    }

    @Test(
        "what is not deterministic is refused in the core",
        arguments: [
            ("let clock = ContinuousClock()", "ContinuousClock"), ("let clock = SuspendingClock()", "SuspendingClock"),
            ("let now = Date()", "Date"), ("let a = Int.random(in: 1...6)", ".random( in"),
            ("let a = Bool . random ()", ".random( in"), ("let a = [1, 2].shuffled()", "shuffled( in"),
            ("func a(b: inout [Int]) { b.shuffle() }", "shuffle( in"),
            ("let a = [1].randomElement()", "randomElement( in"),
            ("var a = SystemRandomNumberGenerator()", "SystemRandomNumberGenerator"), ("func a() async {}", "async"),
            ("let a = await b()", "await"), ("let a = Task { }", "Task"), ("let a = NSLock()", "NSLock"),
            ("let a: DispatchQueue", "DispatchQueue"), ("let a = \"\\(Int.random(in: 1...6))\"", ".random( in"),
        ] as [(String, String)], ["Domain", "Application"])
    func determinism(_ word: (source: String, rule: String), layer: String) throws {
        try expectRefused(Violation("\(layer)/A.swift", "\n\n\(word.source)\n", line: 3, word.rule))
    }

    @Test(
        "names that say nothing are refused: of folders, files and types",
        arguments: [
            Violation("Domain/Utils/A.swift", "let a = 1", "Utils"),
            Violation("Application/Helpers/A.swift", "let a = 1", "Helpers"),
            Violation("Adapters/New/Managers/A.swift", "let a = 1", "Managers"),
            Violation("App/CLI/LinkManager.swift", "let a = 1", "LinkManager"),
            Violation("Domain/A.swift", "struct B {}\nenum ByteUtils {}", line: 2, "ByteUtils"),
            Violation("Domain/A.swift", "final class TestHelper {}", "TestHelper"),
            Violation("Domain/A.swift", "protocol PeerManager {}", "PeerManager"),
        ])
    func names(_ violation: Violation) throws { try expectRefused(violation) }

    @Test(
        "what is allowed passes",
        arguments: [
            ("Domain/A.swift", "struct Dated { func random(_ a: Int) {}; let taskCount = 1 }"),
            ("Domain/A.swift", "let a = Int.random(in: 1...(2 + 3), using: &generator)"),
            ("Domain/A.swift", "let a = [1].shuffled(using: &generator)\nlet b = [1].randomElement(using: &generator)"),
            ("Domain/A.swift", "// import Foundation\n/* await /* nested */ Task */\nlet a = \"Task { await }\""),
            (
                "Domain/A.swift",
                "let a = \"a \\\" import\"\nlet b = #\"a \" await \"#\nlet c = \"\"\"\nimport Glibc\n\"\"\""
            ),
            ("Domain/A.swift", "struct Utility {}\nstruct HelperlessThing {}\nlet manager = 1"),
            ("Application/A.swift", "import Domain"),
            (
                "Adapters/New/A.swift",
                "import Application\nimport Domain\nimport Glibc\nimport Dispatch\nlet a = Task {}"
            ),
            ("Adapters/New/A.swift", "import FoundationEssentials\nimport Synchronization\nlet now = Date()"),
            ("Adapters/ZlibCompression/A.swift", "import CZlib"), ("Adapters/InMemory/A.swift", "import Application"),
            ("App/Simulator/A.swift", "import Application\nimport Domain\nimport InMemory"),
            ("App/CLI/A.swift", "import SocketLinks\nimport Simulator\nimport Glibc\nlet a = ContinuousClock()"),
        ] as [(String, String)])
    func allowed(path: String, source: String) throws {
        var files = Self.base
        files["Sources/\(path)"] = source
        let tree = try MadeUpTree(files)
        let verdict = try checkLayers([tree.root.path])
        #expect(verdict.lines == [])
        #expect(verdict.status == 0)
    }

    @Test("every violation is reported, in order of files and lines")
    func several() throws {
        let tree = try MadeUpTree([
            "Sources/Domain/B.swift": "import Glibc\n\nlet a = Date(); let b = NSLock()\n",
            "Sources/Domain/A.swift": "let a = 1\nimport Foundation\n",
        ])
        let verdict = try checkLayers([tree.root.path])
        let places = verdict.lines.map { $0.split(separator: " ")[0] }
        #expect(
            places == [
                "Sources/Domain/A.swift:2:", "Sources/Domain/B.swift:1:", "Sources/Domain/B.swift:3:",
                "Sources/Domain/B.swift:3:",
            ])
        #expect(verdict.status == 1)
    }

    @Test("nothing to check is an error, not a success")
    func nothing() throws {
        let tree = try MadeUpTree(["README.md": "no sources"])
        #expect(try checkLayers([tree.root.path]).status == 2)
        #expect(try checkLayers([tree.root.path, "more"]).status == 2)
    }

    private func expectRefused(_ violation: Violation) throws {
        var files = Self.base
        files["Sources/\(violation.path)"] = violation.source
        let tree = try MadeUpTree(files)
        let verdict = try checkLayers([tree.root.path])
        #expect(verdict.status == 1)
        #expect(verdict.lines.count == 1, "\(verdict.lines)")
        let line = try #require(verdict.lines.first)
        #expect(line.hasPrefix("Sources/\(violation.path):\(violation.line): "), "\(line)")
        #expect(line.contains(violation.rule), "\(line)")
    }
}
