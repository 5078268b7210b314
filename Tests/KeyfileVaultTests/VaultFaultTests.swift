import Domain
import Foundation
import NativeCryptography
import Support
import Testing

@testable import KeyfileVault

/// The file system's view of who this thread is; glibc's, not in the Swift overlay.
@_silgen_name("setfsuid") private func setfsuid(_ user: UInt32) -> Int32

@Suite("Vault that cannot be opened")
struct VaultFaultTests {
    let home: VaultHome
    let original: [UInt8]

    init() throws {
        home = try VaultHome()
        _ = try home.vault.create(passphrase: passphrase("p"), from: home.randomness)
        original = try home.directory.read("home/identity.vault")
    }

    /// Opens with the right passphrase, as a starting node does; every error leaves the file alone.
    private func failure() throws -> VaultError? {
        let before = try home.directory.read("home/identity.vault")
        let error = #expect(throws: VaultError.self) {
            try home.vault.openOrCreate(passphrase: passphrase("p"), from: home.randomness)
        }
        #expect(try home.directory.read("home/identity.vault") == before)
        return error
    }

    private func replace(_ bytes: [UInt8]) throws { try home.directory.write(bytes, to: "home/identity.vault") }

    @Test("a vault cut at any length is refused as cut")
    func truncated() throws {
        for length in 0..<original.count {
            try replace(Array(original.prefix(length)))
            #expect(try failure() == .truncated(home.vault.path, bytes: length))
        }
    }

    @Test("a vault with something behind it is damaged")
    func trailing() throws {
        try replace(original + [0])
        #expect(try failure() == .damaged(home.vault.path))
    }

    @Test("one changed bit anywhere is noticed, and a foreign magic or version named")
    func damaged() throws {
        for index in original.indices {
            var bytes = original
            bytes[index] ^= 1
            try replace(bytes)
            switch index {
            case 0..<8: #expect(try failure() == .foreign(home.vault.path))
            case 8: #expect(try failure() == .foreign(home.vault.path))
            default: #expect(try failure() == .damaged(home.vault.path))
            }
        }
    }

    @Test("a changed byte with a checksum to match opens nothing: the header is authenticated too")
    func forged() throws {
        for index in 9..<(original.count - VaultFile.checksumLength) {
            try replace(original)
            // The most significant bit, so that no change of a work parameter is small enough to be tried.
            try home.forge { $0[index] ^= 0x80 }
            let expected: VaultError =
                switch index {
                case 9: .damaged(home.vault.path)
                case 10..<18: try excessive(original, flipped: index)
                case 34..<42: .wrongKeyFile(vault: home.vault.path, keyFile: home.vault.keyFilePath)
                default: .wrongPassphrase(home.vault.path)
                }
            #expect(try failure() == expected, "byte \(index)")
        }
    }

    private func excessive(_ bytes: [UInt8], flipped index: Int) throws -> VaultError {
        var bytes = bytes
        bytes[index] ^= 0x80
        let content = Array(bytes.dropLast(VaultFile.checksumLength))
        let file = try VaultFile(content + VaultFile.checksum(of: content), path: "")
        if file.work.isAcceptable { return .wrongPassphrase(home.vault.path) }
        return .excessiveWork(home.vault.path, memoryKiB: file.work.memoryKiB, passes: file.work.passes)
    }

    @Test("a header that nothing but the seal protects is authenticated: a vault without passphrase, its cost and salt")
    func forgedWithoutPassphrase() throws {
        let plain = try VaultHome()
        _ = try plain.vault.create(from: plain.randomness)
        let bytes = try plain.directory.read("home/identity.vault")
        for index in 10..<34 {
            try plain.directory.write(bytes, to: "home/identity.vault")
            try plain.forge { $0[index] ^= 1 }
            #expect(throws: VaultError.damaged(plain.vault.path), "byte \(index)") { try plain.vault.open() }
        }
        try plain.directory.write(bytes, to: "home/identity.vault")
        #expect(throws: Never.self) { try plain.vault.open() }
    }

    @Test("a forged vault that claims to need no passphrase opens nothing")
    func strippedPassphrase() throws {
        try home.forge { $0[9] = 1 }
        #expect(throws: VaultError.damaged(home.vault.path)) { try home.vault.open() }
    }

    @Test(
        "hostile work is refused before memory is taken",
        arguments: [
            (1, .max), (1, 256 * 1024 + 1), (9, 64), (.max, 64), (0, 64), (1, 7),
        ] as [(UInt32, UInt32)])
    func hostileWork(passes: UInt32, memory: UInt32) throws {
        try home.forge { bytes in
            var work: [UInt8] = []
            work.append(bigEndian: passes)
            work.append(bigEndian: memory)
            bytes.replaceSubrange(10..<18, with: work)
        }
        #expect(try failure() == .excessiveWork(home.vault.path, memoryKiB: memory, passes: passes))
    }

    @Test("another magic is foreign, a later version named, an earlier one foreign")
    func formats() throws {
        try home.forge { $0[0] = UInt8(ascii: "X") }
        #expect(try failure() == .foreign(home.vault.path))
        try replace(original)
        try home.forge { $0[8] = 2 }
        #expect(try failure() == .newerVersion(home.vault.path, version: 2))
        try replace(Array("X".utf8))
        #expect(try failure() == .foreign(home.vault.path))
    }

    @Test("a missing key file is named and not made anew")
    func keyFileMissing() throws {
        try VaultHome.remove(home.vault.keyFilePath)
        #expect(try failure() == .keyFileMissing(home.vault.keyFilePath))
        #expect(!FileManager.default.fileExists(atPath: home.vault.keyFilePath))
    }

    @Test("another vault's key file is told from a wrong passphrase")
    func wrongKeyFile() throws {
        let other = try VaultHome()
        _ = try other.vault.create(from: other.randomness)
        try home.directory.write(other.directory.read("home/vault.key"), to: "home/vault.key")
        #expect(try failure() == .wrongKeyFile(vault: home.vault.path, keyFile: home.vault.keyFilePath))
    }

    @Test("a key file of another length is none", arguments: [0, 31, 33])
    func keyFileLength(length: Int) throws {
        try home.directory.write([UInt8](repeating: 7, count: length), to: "home/vault.key")
        try home.directory.setMode(0o600, of: "home/vault.key")
        #expect(try failure() == .notAKeyFile(home.vault.keyFilePath, bytes: length))
    }

    @Test(
        "a key file that others may touch is refused, with the remedy", arguments: [0o640, 0o604, 0o620, 0o601, 0o777])
    func looseKeyFile(mode: Int) throws {
        try home.directory.setMode(mode, of: "home/vault.key")
        let error = try #require(try failure())
        #expect(error == .looseMode(home.vault.keyFilePath, mode: UInt32(mode)))
        #expect(error.description.contains("0\(String(mode, radix: 8))"))
        #expect(error.description.hasSuffix("chmod 600 \(home.vault.keyFilePath)"))
    }

    @Test("a home that others may write to is no place for a new vault", arguments: [0o720, 0o702])
    func looseHome(mode: Int) throws {
        let other = try VaultHome()
        try VaultHome.makeDirectory(other.home)
        try other.directory.setMode(mode, of: "home")
        #expect(throws: VaultError.looseDirectory(other.home, mode: UInt32(mode))) {
            try other.vault.create(from: other.randomness)
        }
        #expect(try VaultHome.names(in: other.home).isEmpty)
    }

    @Test("what the system does not let us read is unreadable, and no new identity takes its place")
    func unreadable() throws {
        try VaultHome.remove(home.vault.path)
        try FileManager.default.createSymbolicLink(
            atPath: home.vault.path, withDestinationPath: home.vault.path)
        try expectUnreadable()
        try VaultHome.remove(home.vault.path)
        try VaultHome.makeDirectory(home.vault.path)
        try expectUnreadable()
        try VaultHome.remove(home.vault.path)
        try FileManager.default.createSymbolicLink(
            atPath: home.vault.path, withDestinationPath: home.directory.file("nowhere"))
        #expect(throws: VaultError.missing(home.vault.path)) {
            try home.vault.openOrCreate(passphrase: passphrase("p"), from: home.randomness)
        }
    }

    @Test("a vault behind closed permissions is unreadable, and no new identity takes its place")
    func denied() throws {
        // As root the thread becomes nobody for the file system; otherwise the modes are enough.
        try home.directory.setMode(0o000, of: "home")
        let user = setfsuid(65_534)
        let error = #expect(throws: VaultError.self) {
            try home.vault.openOrCreate(passphrase: passphrase("p"), from: home.randomness)
        }
        _ = setfsuid(UInt32(bitPattern: user))
        try home.directory.setMode(0o700, of: "home")
        #expect(error == .unreadable(home.vault.path, reason: "Permission denied"))
        #expect(throws: Never.self) { try home.vault.open(passphrase: passphrase("p")) }
    }

    private func expectUnreadable() throws {
        let error = #expect(throws: VaultError.self) {
            try home.vault.openOrCreate(passphrase: passphrase("p"), from: home.randomness)
        }
        guard case .unreadable(home.vault.path, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("a home that cannot be made is named")
    func noPlace() throws {
        try home.directory.write([1], to: "file")
        let vault = KeyfileVault(directory: home.directory.file("file/home"), cryptography: home.cryptography)
        #expect(throws: VaultError.self) { try vault.openOrCreate(from: home.randomness) }
        #expect(try home.directory.read("file") == [1])
    }
}
