import Foundation
import Testing

@testable import App

@Suite("Wiping")
struct PanicWipeTests {
    @Test("a place that cannot be looked into counts as not erased, and stays marked")
    func unreadable() throws {
        let home = try TemporaryHome()
        let places = try home.places()
        // A file where the directory should be: nobody can list it, not even root.
        try Data("x".utf8).write(to: URL(fileURLWithPath: places.data))
        let wipe = PanicWipe(places, nil)
        #expect(throws: Failure.self) { try wipe.finish() }
        #expect(wipe.isPending)
        try FileManager.default.removeItem(atPath: places.data)
        try wipe.finish()
        #expect(!wipe.isPending)
    }

    @Test("only a directory that may be reached by a link is emptied behind one")
    func links() throws {
        let home = try TemporaryHome()
        let (folder, link) = (home.path + "/folder", home.path + "/link")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder)
        for name in ["lock", "more"] { try Data().write(to: URL(fileURLWithPath: folder + "/" + name)) }
        #expect(throws: Failure.self) { try SystemFile.emptyDirectory(link) }
        #expect(SystemFile.names(in: folder) == ["lock", "more"])
        try SystemFile.emptyDirectory(link, except: ["lock"], followingLink: true)
        #expect(SystemFile.names(in: folder) == ["lock"])
    }
}
