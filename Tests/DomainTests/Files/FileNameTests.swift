import Domain
import Testing
import UnistringNormalization

@Suite("Received file names")
struct FileNameTests {
    private func sanitized(_ received: String?, _ type: MediaType = .jpeg) -> String {
        FileName(
            sanitizing: received, type: type, fallbackStem: "image_20260101_120000", using: UnistringNormalization()
        ).text
    }

    @Test(
        "a name becomes one harmless component",
        arguments: [
            ("cat.jpg", "cat.jpg"), ("../../etc/passwd", "_.._.._etc_passwd"), ("a\\b.png", "a_b.png"),
            ("a<b>:\"|?*c.png", "a_b______c.png"), ("a\u{0}b.png", "ab.png"), ("a\u{1}\u{7F}\u{85}b.png", "a___b.png"),
            ("gpj\u{202E}exe.png", "gpj_exe.png"), ("  padded.png \n", "padded.png _"), ("  padded.png ", "padded.png"),
            ("cafe\u{301}.png", "caf\u{E9}.png"), (".hidden", "_.hidden"), (".", "_..jpg"), ("..", "_...jpg"),
            ("noextension", "noextension.jpg"), ("dot.", "dot..jpg"), ("", "image_20260101_120000.jpg"),
            (" \u{3000} ", "image_20260101_120000.jpg"), (" \u{200B} ", "_.jpg"), (".\u{301}x.png", "_.\u{301}x.png"),
        ])
    func sanitizes(received: String, expected: String) {
        #expect(Array(sanitized(received).unicodeScalars) == Array(expected.unicodeScalars))
    }

    @Test("no name at all becomes the fallback")
    func absent() { #expect(sanitized(nil, .pdf) == "image_20260101_120000.pdf") }

    @Test("every type has its extension")
    func extensions() {
        let expected = ["jpg", "png", "gif", "webp", "m4a", "mp3", "wav", "ogg", "pdf", "bin"]
        #expect(MediaType.allCases.map { sanitized("x", $0) } == expected.map { "x." + $0 })
    }

    @Test("120 characters stay, 121 lose the end of the stem")
    func length() {
        let fits = String(repeating: "a", count: 116) + ".jpg"
        #expect(sanitized(fits) == fits)
        #expect(sanitized("a" + fits) == fits)
        let bare = String(repeating: "b", count: 130)
        #expect(sanitized(bare) == String(repeating: "b", count: 120) + ".jpg")
    }

    @Test("beside a very long extension ten characters of the stem stay")
    func longExtension() {
        let name = String(repeating: "s", count: 40) + "." + String(repeating: "e", count: 115)
        #expect(sanitized(name) == String(repeating: "s", count: 10) + "." + String(repeating: "e", count: 115))
    }

    @Test(
        "whatever comes, the name fits a file system and is no path",
        arguments: [
            String(repeating: "漢", count: 119) + ".png", String(repeating: "👨‍👩‍👧‍👦", count: 100),
            "e" + String(repeating: "\u{301}", count: 500) + ".png", "a." + String(repeating: "x", count: 5000),
            "a.b" + String(repeating: "\u{301}", count: 500), String(repeating: "/", count: 5000), "\u{FEFF}",
        ])
    func bounded(received: String) {
        let name = sanitized(received)
        #expect((1...FileName.maximumBytes).contains(name.utf8.count))
        #expect(!name.utf8.contains(UInt8(ascii: "/")) && !name.utf8.contains(0))
        #expect(name.utf8.first != UInt8(ascii: "."))
    }
}
