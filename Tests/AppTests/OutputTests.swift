import Application
import Dispatch
import Domain
import Synchronization
import Testing

@testable import App

/// Keeps what a command says.
final class Recorder: Sendable {
    private let streams = Mutex<[Int32: [UInt8]]>([:])
    /// Speaks into this recorder.
    var output: Output {
        Output { bytes, stream in
            self.streams.withLock { $0[stream, default: []] += bytes }
            return true
        }
    }
    /// The answer.
    var answer: String { text(1) }
    /// Everything else.
    var notes: String { text(2) }

    private func text(_ stream: Int32) -> String {
        streams.withLock { String(decoding: $0[stream] ?? [], as: UTF8.self) }
    }
}

@Suite("Text for terminals and logs")
struct DisplayTextTests {
    @Test(
        "what could steer a terminal is replaced, what turns text around vanishes",
        arguments: [
            ("plain äöü 🙂", "plain äöü 🙂"), ("\u{1B}[31mred", "\u{FFFD}[31mred"),
            ("a\u{07}b\u{7F}", "a\u{FFFD}b\u{FFFD}"),
            ("\u{9B}31m", "\u{FFFD}31m"), ("a\u{2028}b\u{2029}", "a\u{FFFD}b\u{FFFD}"),
            ("\u{202E}evil\u{2066}\u{200F}\u{061C}", "evil"), ("a\r\nb", "a\u{FFFD}\u{FFFD}b"),
            ("tab\tx", "tab\u{FFFD}x"),
        ])
    func line(raw: String, clean: String) { #expect(DisplayText.line(raw) == clean) }

    @Test("in a block, lines go on indented, so that nobody can forge another row")
    func block() { #expect(DisplayText.block("one\n12:00:00 <bob> hi") == "one\n  12:00:00 <bob> hi") }

    @Test(
        "spans are told in their two largest units",
        arguments: [
            (0, "0s"), (59_999, "59s"), (61_000, "1m 1s"), (7_260_000, "2h 1m"), (90_000_000, "1d 1h"), (-5, "0s"),
        ]
            as [(Int64, String)])
    func spans(milliseconds: Int64, text: String) { #expect(LocalTime.span(Milliseconds(milliseconds)) == text) }

    @Test("no time from the wire is beyond telling")
    func times() {
        #expect(LocalTime.clock(WallTime(milliseconds: .max)).count == 8)
        #expect(!LocalTime.full(WallTime(milliseconds: .max)).isEmpty)
    }
}

@Suite("Log")
struct LogWriterTests {
    @Test("lines below the level are not written, and the level can change")
    func level() {
        let recorder = Recorder()
        let log = LogWriter(style: .init(level: .warning, isJSON: false)) { recorder.output.note($0) }
        log.log(.info, "quiet")
        log.log(.error, "loud")
        log.flush()
        #expect(!recorder.notes.contains("quiet"))
        #expect(recorder.notes.contains("error loud"))
        log.set(.init(level: .debug, isJSON: true))
        log.log(.debug, "now")
        log.flush()
        #expect(recorder.notes.contains(#""level":"debug","text":"now""#))
    }

    @Test("nobody waits for a reader that stands still; what found no room is counted", .timeLimit(.minutes(1)))
    func stalled() {
        let recorder = Recorder()
        let (begun, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let log = LogWriter(style: .init(level: .info, isJSON: false)) { line in
            if line.hasSuffix("first") {
                begun.signal()
                mayGoOn.wait()
            }
            recorder.output.note(line)
        }
        log.log(.info, "first")
        begun.wait()
        for number in 0..<LogWriter.limit + 7 { log.log(.info, "line \(number)") }
        mayGoOn.signal()
        log.flush()
        let lines = recorder.notes.split(separator: "\n")
        #expect(lines.count == LogWriter.limit + 2)
        #expect(lines.last?.contains("7 log lines were dropped") == true)
    }

    @Test("control characters of a peer's name do not reach the log", arguments: [true, false])
    func cleaned(asJSON: Bool) throws {
        let line = LogWriter.line(.info, "\u{1B}]0;x\u{07}\nforged", at: WallTime(milliseconds: 0), asJSON: asJSON)
        #expect(!line.unicodeScalars.contains { $0.value < 0x20 })
        if asJSON { #expect(try JSONValue(parsing: line)["time"]?.unsigned == 0) }
    }
}

@Suite("Base64")
struct Base64Tests {
    @Test(
        "the examples of RFC 4648 §10",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func published(plain: String, encoded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
        #expect(Base64.decode(encoded) == Array(plain.utf8))
    }

    @Test("every byte survives, at every length")
    func roundTrip() {
        for length in 0...257 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }

    @Test(
        "nothing else is accepted",
        arguments: ["Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "=", "====", "Zm 9", "Zm9v\n", "Z=g=", "Zm-_"])
    func refusals(text: String) { #expect(Base64.decode(text) == nil) }
}

@Suite("Delivery")
struct DeliveryTests {
    private func status(_ id: String, _ status: DeliveryStatus) -> Event {
        .status(MessageStatusChange(id: id, peer: nil, status: status, at: WallTime(milliseconds: 1)))
    }

    private func own(_ id: String, isPrivate: Bool) -> Event {
        let message = ChatMessage(
            id: id, sender: PeerID(rawValue: 1), senderName: "me", peer: isPrivate ? PeerID(rawValue: 2) : nil,
            text: "x",
            sentAt: WallTime(milliseconds: 1), receivedAt: WallTime(milliseconds: 1), isOwn: true)
        return isPrivate ? .privateMessage(message) : .publicMessage(message)
    }

    @Test("a private message is queued when it is in the log, then as far as its status says")
    func stages() {
        var watch = DeliveryWatch(ids: ["a"])
        #expect(watch.stage == .none)
        watch.take(own("a", isPrivate: true))
        #expect(watch.stage == .queued)
        watch.take(status("a", .sending))
        #expect(watch.stage == .queued)
        watch.take(status("a", .sent))
        #expect(watch.stage == .sent)
        watch.take(status("a", .carried))
        #expect(watch.stage == .carried)
        watch.take(status("a", .read))
        watch.take(status("a", .delivered))
        #expect(watch.stage == .read)
    }

    @Test("several parts are as far as the last one; messages of others do not count")
    func parts() {
        var watch = DeliveryWatch(ids: ["a", "b"])
        watch.take(status("a", .delivered))
        watch.take(status("c", .delivered))
        #expect(watch.stage == .none)
        watch.take(status("b", .sent))
        #expect(watch.stage == .sent)
    }

    @Test("a public message is sent when it is in the log")
    func publicMessage() {
        var watch = DeliveryWatch(ids: ["a"])
        watch.take(own("a", isPrivate: false))
        #expect(watch.stage == .sent)
    }

    @Test("a failure is told with its reason")
    func failure() {
        var watch = DeliveryWatch(ids: ["a"])
        watch.take(status("b", .failed(reason: "other")))
        #expect(watch.failure == nil)
        watch.take(status("a", .failed(reason: "gone")))
        #expect(watch.failure?.reason == "gone")
    }
}

@Suite("File types")
struct FileTypeTests {
    @Test(
        "the extension decides where the content agrees",
        arguments: [
            ("a.png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"),
            ("A.JPEG", [0xFF, 0xD8, 0xFF, 0xE0], "image/jpeg"), ("a.png", [1, 2, 3], "application/octet-stream"),
            ("notes.txt", [65], "application/octet-stream"), ("pdf", [37, 80, 68, 70], "application/octet-stream"),
            ("x.pdf", [37, 80, 68, 70], "application/pdf"),
        ] as [(String, [UInt8], String)])
    func guess(name: String, content: [UInt8], mime: String) {
        #expect(FileType.mime(ofName: name, content: content) == mime)
    }
}
