import Dispatch
import Glibc
import Synchronization
import Terminal
import Testing

/// A terminal that reads one line after another on a thread of its own, as a program would.
private final class Program: Sendable {
    private let inputs = Mutex<[Terminal.Input]>([])
    private let arrived = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - news: A pipe whose lines are printed above the line being edited.
    ///   - isCounting: Whether the prompt tells the line's number, so that one prompt is not taken for another.
    init(
        _ options: Terminal.Options, news: Int32 = -1, isCounting: Bool = false,
        completer: @escaping @Sendable (String) -> Completion
    ) {
        DispatchQueue(label: "program").async { [self] in
            // No signals: those of the process are everybody's.
            let terminal = Terminal(options: options, catchesSignals: false, completer: completer)
            var isOver = false
            var count = 0
            while !isOver {
                count += 1
                let prompt = isCounting ? "\(count)> " : "me> "
                let input = terminal.nextLine(prompt: prompt, polling: news < 0 ? [] : [news]) { descriptor in
                    var chunk = [UInt8](repeating: 0, count: 4096)
                    let count = read(descriptor, &chunk, chunk.count)
                    guard count > 0 else { return false }
                    terminal.print(
                        chunk.prefix(count).split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) })
                    return true
                }
                isOver = [.end, .stopped].contains(input)
                inputs.withLock { $0.append(input) }
                arrived.signal()
            }
            ended.signal()
        }
    }

    func next() -> Terminal.Input? {
        guard arrived.wait(timeout: .now() + 20) == .success else { return nil }
        return inputs.withLock { $0.removeFirst() }
    }

    func waitForEnd() -> Bool { ended.wait(timeout: .now() + 20) == .success }
}

/// A pipe into the program.
private final class News {
    let reading: Int32
    private let writing: Int32

    /// Where the program under test may write.
    var writingEnd: Int32 { writing }

    init() {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        (reading, writing) = (ends[0], ends[1])
    }

    deinit { close(reading) }

    func tell(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(writing, $0.baseAddress, $0.count) }
    }

    func end() { close(writing) }
}

private let nothing: @Sendable (String) -> Completion = { _ in Completion(replaced: 0, candidates: []) }

@Suite("Line editing on a terminal", .timeLimit(.minutes(2)))
struct EditingTests {
    /// Ctrl-D; between two lines the terminal is in its usual state, where it would mean something else.
    private func end(_ program: Program, on screen: PseudoTerminal) throws {
        try #require(screen.waitFor { $0.rows.last == "me>" })
        screen.type("\u{04}")
        #expect(program.next() == .end)
    }

    @Test("what comes in goes above the line, which stays as it was typed")
    func printAbove() throws {
        let (screen, news) = (try PseudoTerminal(columns: 40), News())
        let program = Program(screen.options, news: news.reading, completer: nothing)
        try #require(screen.shows(["me>"]))
        screen.type("half a li")
        #expect(screen.shows(["me> half a li"]))
        news.tell("14:00:00 <bob> hello")
        #expect(screen.shows(["14:00:00 <bob> hello", "me> half a li"]))
        #expect(screen.screen.column == 13)
        news.tell("14:00:01 <bob> still there?\n14:00:02 <bob> well")
        screen.type("ne")
        #expect(
            screen.shows([
                "14:00:00 <bob> hello", "14:00:01 <bob> still there?", "14:00:02 <bob> well", "me> half a line",
            ]))
        screen.type("\r")
        #expect(program.next() == .line("half a line"))
        try end(program, on: screen)
    }

    @Test("a line that fills several rows survives, with the cursor in its middle")
    func severalRows() throws {
        let (screen, news) = (try PseudoTerminal(columns: 20), News())
        let program = Program(screen.options, news: news.reading, completer: nothing)
        try #require(screen.shows(["me>"]))
        let text = "the quick brown fox jumps over the lazy dog"
        screen.type(text)
        let rows = ["me> the quick brown", "fox jumps over the l", "azy dog"]
        #expect(screen.shows(rows))
        // Home, then one word to the right.
        screen.type("\u{01}\u{1B}f")
        #expect(screen.waitFor { $0.row == 0 && $0.column == 7 })
        news.tell("<bob> hi")
        #expect(screen.shows(["<bob> hi"] + rows))
        #expect(screen.waitFor { $0.row == 1 && $0.column == 7 })
        screen.type("re")
        #expect(screen.waitFor { $0.rows.contains { $0.hasPrefix("me> there quick") } })
        screen.type("\r")
        #expect(program.next() == .line("there" + text.dropFirst(3)))
        // The entered line is wiped: the program prints what became of it.
        #expect(screen.shows(["<bob> hi", "me>"]))
        try end(program, on: screen)
    }

    @Test("letters of every width are edited as one")
    func unicode() throws {
        let screen = try PseudoTerminal(columns: 40)
        let program = Program(screen.options, completer: nothing)
        try #require(screen.shows(["me>"]))
        screen.type("grüß äé漢")
        #expect(screen.waitFor { $0.rows.first?.hasPrefix("me> grüß äé漢") ?? false })
        screen.type("\u{7F}\u{7F}\u{7F}ö\r")
        #expect(program.next() == .line("grüß ö"))
        try end(program, on: screen)
    }

    @Test("Ctrl-C discards the line, Ctrl-D on an empty one ends, the arrow brings the last line back")
    func keys() throws {
        let screen = try PseudoTerminal(columns: 40)
        let program = Program(screen.options, isCounting: true, completer: nothing)
        // Between two lines the terminal is in its usual state, where these keys mean something else.
        try #require(screen.shows(["1>"]))
        screen.type("first\r")
        #expect(program.next() == .line("first"))
        try #require(screen.shows(["2>"]))
        screen.type("rubbish\u{03}")
        #expect(program.next() == .interrupt(hadText: true))
        try #require(screen.shows(["3>"]))
        screen.type("\u{03}")
        #expect(program.next() == .interrupt(hadText: false))
        try #require(screen.shows(["4>"]))
        screen.type("\u{1B}[A")
        #expect(screen.shows(["4> first"]))
        screen.type("\r")
        #expect(program.next() == .line("first"))
        try #require(screen.shows(["5>"]))
        screen.type("\u{04}")
        #expect(program.next() == .end)
        #expect(program.waitForEnd())
    }

    @Test("Tab completes the only candidate and lists several above the line")
    func completion() throws {
        let screen = try PseudoTerminal(columns: 40)
        let program = Program(screen.options) { before in
            let word = before.split(separator: " ", omittingEmptySubsequences: false).last.map(String.init) ?? ""
            let candidates = ["/help", "/hug", "/who", "x\u{1B}[1mb", "x\u{202E}c"].filter { $0.hasPrefix(word) }
            return Completion(replaced: word.unicodeScalars.count, candidates: candidates, typed: word)
        }
        try #require(screen.shows(["me>"]))
        screen.type("/w\t")
        #expect(screen.waitFor { $0.column == 9 && $0.rows == ["me> /who"] })
        screen.type("/h\t")
        #expect(screen.shows(["/help  /hug", "me> /who /h"]))
        screen.type("zz\t")
        #expect(screen.waitFor { $0.bells == 1 })
        screen.type(" x\t")
        #expect(screen.shows(["/help  /hug", "x\u{FFFD}[1mb  xc", "me> /who /hzz x"]))
        screen.type("\r")
        #expect(program.next() == .line("/who /hzz x"))
        try end(program, on: screen)
    }

    @Test("when the other side is gone the terminal is left in order")
    func stopped() throws {
        let (screen, news) = (try PseudoTerminal(columns: 40), News())
        var before = termios()
        tcgetattr(screen.slave, &before)
        let program = Program(screen.options, news: news.reading, completer: nothing)
        try #require(screen.shows(["me>"]))
        screen.type("half")
        #expect(screen.shows(["me> half"]))
        var during = termios()
        tcgetattr(screen.slave, &during)
        #expect(during.c_lflag & tcflag_t(ICANON) == 0)
        news.end()
        #expect(program.next() == .stopped)
        #expect(program.waitForEnd())
        var after = termios()
        tcgetattr(screen.slave, &after)
        #expect(after.c_lflag == before.c_lflag)
        #expect(after.c_iflag == before.c_iflag)
        #expect(screen.waitFor { $0.rows == [] })
    }

    @Test("a dumb terminal, a refusal to edit and a pipe are read plainly", arguments: ["dumb", "", "refused"])
    func plain(name: String) throws {
        let screen = try PseudoTerminal(columns: 40)
        var options = screen.options
        if name == "refused" { options.allowsEditing = false } else { options.terminalName = name }
        let terminal = Terminal(options: options, catchesSignals: false)
        #expect(!terminal.isInteractive)
        #expect(!terminal.usesColour)
        screen.type("hello\nhalf")
        #expect(terminal.nextLine(prompt: "me> ") == .line("hello"))
        terminal.print(["answer"])
        #expect(screen.waitFor { $0.rows.contains("answer") || $0.rows.contains("halfanswer") })
        #expect(!screen.screen.rows.joined().contains("me>"))
    }

    @Test("a pipe gives its lines and then ends, and gets no carriage returns")
    func pipes() throws {
        let (input, output) = (News(), News())
        input.tell("one\nzwei ü")
        input.end()
        var options = Terminal.Options()
        (options.input, options.terminalName) = (input.reading, "xterm")
        options.output = output.writingEnd
        let terminal = Terminal(options: options, catchesSignals: false)
        #expect(!terminal.isInteractive)
        #expect(terminal.nextLine(prompt: "me> ") == .line("one"))
        #expect(terminal.nextLine(prompt: "me> ") == .line("zwei ü"))
        #expect(terminal.nextLine(prompt: "me> ") == .end)
        terminal.print(["a", "b\n  c"])
        terminal.bell()
        var chunk = [UInt8](repeating: 0, count: 100)
        let count = read(output.reading, &chunk, chunk.count)
        #expect(String(decoding: chunk.prefix(max(count, 0)), as: UTF8.self) == "a\nb\n  c\n")
        output.end()
    }

    @Test("colours need a terminal that can, and nobody who minds", arguments: [(false, true), (true, false)])
    func colour(refuses: Bool, uses: Bool) throws {
        let screen = try PseudoTerminal(columns: 40)
        var options = screen.options
        options.refusesColour = refuses
        let terminal = Terminal(options: options, catchesSignals: false)
        #expect(terminal.isInteractive)
        #expect(terminal.usesColour == uses)
    }
}
