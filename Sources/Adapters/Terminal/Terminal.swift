import CEditline
import Domain
import Glibc

/// A person's terminal, or a pipe in its place: lines come in, lines go out, and neither destroys the other.
///
/// On a terminal a line is edited with history and completion (libedit) while other input is polled; what is printed goes
/// above the line. Where standard input or output is no terminal, or a dumb one, lines are read and written plainly,
/// without prompt and colour. For one thread.
public final class Terminal {
    /// What waiting for a line came to.
    public enum Input: Hashable, Sendable {
        /// A line, without its end.
        case line(String)
        /// Ctrl-C: the line was discarded; whether there was anything on it.
        case interrupt(hadText: Bool)
        /// Ctrl-D on an empty line, or the end of the input.
        case end
        /// The program was asked to end (SIGTERM, SIGHUP, without editing also SIGINT); which signal.
        case terminated(Int32)
        /// The caller's `ready` wanted to stop.
        case stopped
    }

    /// How the terminal is used.
    public struct Options: Sendable {
        /// Where lines come from.
        public var input: Int32 = STDIN_FILENO
        /// Where lines go.
        public var output: Int32 = STDOUT_FILENO
        /// Whether editing and colours may be used at all; false for machine-readable output.
        public var allowsEditing = true
        /// `TERM`, for the question whether the terminal is a dumb one.
        public var terminalName: String?
        /// Whether `NO_COLOR` asks for plain text (https://no-color.org: set and not empty).
        public var refusesColour = false

        /// Standard input and output, as the environment describes them.
        public init() {
            terminalName = Self.variable("TERM")
            refusesColour = !(Self.variable("NO_COLOR") ?? "").isEmpty
        }

        private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    }

    /// Offers continuations of the word left of the cursor: how many characters of the line they replace, and the candidates.
    public typealias Completer = (_ beforeCursor: String) -> Completion

    /// Whether a line is edited on a terminal.
    public var isInteractive: Bool { editor != nil }
    /// Whether colours may be used.
    public let usesColour: Bool
    /// Columns of the screen; 80 when unknown.
    public var columns: Int { Int(line_editor_columns(options.output)) }

    private let options: Options
    private let completer: Completer
    private let signals: Int32
    // The C editor; freed in deinit, never handed out.
    private var editor: OpaquePointer?
    private var decoder = CharacterDecoder()
    private var plain = PlainLines()
    private var poller = InputPoller(inputs: [], signals: -1)
    private var ready: (Int32) -> Bool = { _ in true }
    /// Whether a line is on the screen.
    private var isEditing = false
    /// Whether it was taken off the screen to print above it.
    private var isHidden = false
    private var ending: Input?
    private var prompt = ""
    /// Whether what is printed goes nowhere any more: whoever read it is gone, or the disk behind it is full.
    public private(set) var isBroken = false

    /// Opens the terminal.
    ///
    /// - Parameters:
    ///   - options: How it is used.
    ///   - catchesSignals: Whether SIGINT, SIGTERM and SIGHUP are reported as ``Input/terminated(_:)`` from now on; false
    ///     where the program handles them itself.
    ///   - completer: Asked when the user presses Tab.
    public init(
        options: Options = Options(), catchesSignals: Bool = true,
        completer: @escaping Completer = { _ in Completion(replaced: 0, candidates: []) }
    ) {
        self.options = options
        self.completer = completer
        signals = catchesSignals ? line_editor_signals() : -1
        let isScreen = isatty(options.input) == 1 && isatty(options.output) == 1
        let isAble = !["", "dumb"].contains(options.terminalName ?? "")
        usesColour = options.allowsEditing && isatty(options.output) == 1 && isAble && !options.refusesColour
        guard options.allowsEditing, isScreen, isAble else { return }
        let calls = line_editor_calls(
            // Unretained: deinit closes the editor before this object goes.
            context: Unmanaged.passUnretained(self).toOpaque(),
            read: { context, character in Terminal.from(context)?.readCharacter(into: character) ?? -1 },
            complete: { context in Terminal.from(context)?.complete() })
        editor = line_editor_open("satchel", options.input, options.output, calls)
    }

    deinit {
        if let editor { line_editor_close(editor) }
        if signals >= 0 { line_editor_forget_signals() }
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> Terminal? {
        context.map { Unmanaged<Terminal>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: Reading

    /// Waits for a line and serves other descriptors meanwhile.
    ///
    /// - Parameters:
    ///   - prompt: What stands before the line; not shown without a terminal. Must be clean (``DisplayText`` of Domain).
    ///   - descriptors: Polled for reading.
    ///   - ready: Called for each that is readable or hung up; may ``print(_:)``; false ends the waiting.
    public func nextLine(
        prompt: String, polling descriptors: [Int32] = [], ready: @escaping (Int32) -> Bool = { _ in true }
    ) -> Input {
        self.ready = ready
        poller = InputPoller(inputs: descriptors, signals: signals)
        ending = nil
        defer { self.ready = { _ in true } }
        return editor.map { editedLine(prompt: prompt, on: $0) } ?? plainLine()
    }

    private func editedLine(prompt: String, on editor: OpaquePointer) -> Input {
        var text: UnsafePointer<wchar_t>?
        var length = 0
        self.prompt = prompt
        isEditing = true
        // libedit draws the prompt when it begins to wait for the first character.
        let end = WideText.with(prompt) { line_editor_read(editor, $0, &text, &length) }
        isEditing = false
        if let ending { return ending }
        switch end {
        case LINE_EDITOR_LINE:
            let line = WideText.string(text, count: length)
            // In memory only: what was typed may be private, and a file of it would outlive the talk.
            if !line.isEmpty { remember(line) }
            return .line(line)
        case LINE_EDITOR_INTERRUPT: return .interrupt(hadText: length > 0)
        default: return .end
        }
    }

    private func plainLine() -> Input {
        while true {
            if let line = plain.next() { return .line(line) }
            if plain.isEnded { return .end }
            if let ending = wait() { return ending }
            plain.read(from: options.input)
        }
    }

    private func readCharacter(into character: UnsafeMutablePointer<wchar_t>?) -> Int32 {
        while true {
            if let scalar = decoder.next() {
                character?.pointee = wchar_t(bitPattern: scalar.value)
                return 1
            }
            if decoder.isEnded { return 0 }
            if let ending = wait() {
                self.ending = ending
                hide()
                return -1
            }
            decoder.read(from: options.input)
        }
    }

    /// Serves other descriptors until there is input; `nil` then, or why to stop.
    private func wait() -> Input? {
        while true {
            if isBroken { return .end }
            for event in poller.wait(for: options.input) {
                switch event {
                case .input: return nil
                case .signal(SIGWINCH): if let editor, isEditing { line_editor_resized(editor) }
                // Ctrl-C between two lines, when the terminal is in its usual state.
                case .signal(SIGINT) where isInteractive: return .interrupt(hadText: false)
                case .signal(let number): return .terminated(number)
                case .ready(let descriptor):
                    let goesOn = ready(descriptor)
                    show()
                    if !goesOn { return .stopped }
                }
            }
        }
    }

    // MARK: Printing

    /// Prints lines, above the one that is being edited. They must be clean, colours aside.
    public func print(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        hide()
        // In raw mode a line feed alone may not return the carriage.
        let end = isInteractive ? "\r\n" : "\n"
        write(
            lines.map { line in
                (isInteractive
                    ? line.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: end) : line) + end
            }.joined())
    }

    /// Changes what stands before the line that is being edited; for `ready`, which draws it again.
    public func changePrompt(_ prompt: String) {
        guard let editor, isEditing, prompt != self.prompt else { return }
        hide()
        self.prompt = prompt
        WideText.with(prompt) { line_editor_prompt(editor, $0) }
    }

    /// Empties the screen; nothing without a terminal.
    public func clear() { if isInteractive { write("\u{1B}[H\u{1B}[2J") } }

    /// Rings the bell; nothing without a terminal.
    public func bell() { if isInteractive { write("\u{07}") } }

    private func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(options.output, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var entry = pollfd(fd: options.output, events: Int16(POLLOUT), revents: 0)
                _ = poll(&entry, 1, -1)
            } else if errno != EINTR {
                // Whoever read what we print is gone: there is nothing left to do here.
                isBroken = true
                return
            }
        }
    }

    private func hide() {
        guard let editor, isEditing, !isHidden else { return }
        line_editor_hide(editor)
        isHidden = true
    }

    private func show() {
        guard let editor, isHidden else { return }
        isHidden = false
        line_editor_show(editor)
    }

    // MARK: Completion and history

    private func complete() {
        guard let editor else { return }
        var text: UnsafePointer<wchar_t>?
        var (length, cursor) = (0, 0)
        line_editor_text(editor, &text, &length, &cursor)
        let completion = completer(WideText.string(text, count: cursor))
        if let insertion = completion.insertion {
            let count = min(completion.replaced, cursor)
            WideText.with(insertion) { line_editor_replace(editor, count, $0) }
        } else if completion.candidates.isEmpty {
            bell()
        } else {
            print([completion.candidates.map { DisplayText.line($0) }.joined(separator: "  ")])
            show()
        }
    }

    private func remember(_ line: String) {
        guard let editor else { return }
        WideText.with(line) { line_editor_remember(editor, $0) }
    }
}
