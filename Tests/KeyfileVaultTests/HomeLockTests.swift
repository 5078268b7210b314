import Foundation
import Support
import Testing

@testable import KeyfileVault

@Suite("Lock of a home")
struct HomeLockTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("a second taker is refused and told who holds it, until the first lets go")
    func held() throws {
        let home = directory.file("home")
        do {
            let lock = try HomeLock(directory: home)
            #expect(throws: HomeLock.Failure.held(path: home + "/lock", process: getpid())) {
                try HomeLock(directory: home)
            }
            withExtendedLifetime(lock) {}
        }
        #expect(throws: Never.self) { try HomeLock(directory: home) }
        #expect(try directory.mode("home/lock") == 0o600)
    }

    @Test("who only looks sees the holder and writes nothing")
    func looked() throws {
        let home = directory.file("home")
        #expect(HomeLock.holder(of: home) == nil)
        #expect(try !directory.names().contains("home"))
        let lock = try HomeLock(directory: home)
        #expect(HomeLock.holder(of: home) == .held(path: home + "/lock", process: getpid()))
        withExtendedLifetime(lock) {}
    }

    @Test("another process that holds it is named")
    func otherProcess() throws {
        let home = directory.file("home")
        _ = try HomeLock(directory: home)
        let holder = Process()
        holder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        holder.arguments = [
            "flock", home + "/lock", "sh", "-c", "echo $$ > \"$1\"; echo ready; read line", "sh", home + "/lock",
        ]
        let (input, output) = (Pipe(), Pipe())
        holder.standardInput = input
        holder.standardOutput = output
        try holder.run()
        #expect(output.fileHandleForReading.availableData == Data("ready\n".utf8))
        let written = try String(decoding: directory.read("home/lock"), as: UTF8.self)
        let number = try #require(Int32(written.dropLast()))
        let failure = #expect(throws: HomeLock.Failure.self) { try HomeLock(directory: home) }
        #expect(failure == .held(path: home + "/lock", process: number))
        #expect(failure?.description.contains("process \(number)") == true)
        try input.fileHandleForWriting.close()
        holder.waitUntilExit()
        #expect(throws: Never.self) { try HomeLock(directory: home) }
    }

    @Test("a home that cannot be made cannot be locked, and says so")
    func unusable() throws {
        try directory.write([], to: "file")
        let failure = #expect(throws: HomeLock.Failure.self) { try HomeLock(directory: directory.file("file/home")) }
        guard case .unusable(directory.file("file/home/lock"), _) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }
}
