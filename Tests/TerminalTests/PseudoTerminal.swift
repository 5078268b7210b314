import Glibc
import Terminal
import Testing

/// A terminal whose keyboard and screen are the test's.
final class PseudoTerminal {
    struct Unavailable: Error {}

    /// Our end.
    let master: Int32
    /// The program's end.
    let slave: Int32
    private(set) var screen: Screen

    /// libedit asks the environment how to drive the screen.
    private static let isConfigured: Bool = setenv("TERM", "xterm", 1) == 0

    init(columns: Int, rows: Int = 24) throws {
        try #require(Self.isConfigured)
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (lock, number): (Int32, Int32) = (0, 0)
        // TIOCSPTLCK and TIOCGPTN, whose macros are not imported.
        guard master >= 0, ioctl(master, 0x4004_5431, &lock) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
            throw Unavailable()
        }
        slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0 else { throw Unavailable() }
        screen = Screen(columns: columns)
        var size = winsize(
            ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(master, UInt(TIOCSWINSZ), &size) == 0 else { throw Unavailable() }
    }

    deinit {
        close(slave)
        close(master)
    }

    var options: Terminal.Options {
        var options = Terminal.Options()
        (options.input, options.output, options.terminalName) = (slave, slave, "xterm")
        return options
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
    }

    /// Reads what the program draws until the screen is as wanted; false when it is not within 10 s.
    func waitFor(_ isThere: (Screen) -> Bool, sourceLocation: SourceLocation = #_sourceLocation) -> Bool {
        if follow(until: isThere) { return true }
        Issue.record(
            "the screen shows \(screen.rows), cursor \(screen.row):\(screen.column)", sourceLocation: sourceLocation)
        return false
    }

    private func follow(until isThere: (Screen) -> Bool) -> Bool {
        while !isThere(screen) {
            var entry = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 10_000) > 0 else { return false }
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = read(master, &chunk, chunk.count)
            guard count > 0 else { return false }
            screen.draw(chunk.prefix(count))
        }
        return true
    }

    /// Waits until the rows, without those that are empty at the end, are these.
    func shows(_ rows: [String], sourceLocation: SourceLocation = #_sourceLocation) -> Bool {
        waitFor({ $0.rows == rows }, sourceLocation: sourceLocation)
    }
}

/// What an xterm would show: the few sequences that libedit and we use.
struct Screen {
    let columns: Int
    private var cells: [[Unicode.Scalar]] = [[]]
    private(set) var row = 0
    private(set) var column = 0
    private var pending: [UInt8] = []
    private var isInserting = false
    private(set) var bells = 0

    init(columns: Int) { self.columns = columns }

    /// The rows, without blanks at their ends and without empty ones at the end of the screen.
    var rows: [String] {
        var rows = cells.map { cells in
            var text = String(String.UnicodeScalarView(cells))
            while text.last == " " { text.removeLast() }
            return text
        }
        while rows.last == "" { rows.removeLast() }
        return rows
    }

    mutating func draw(_ bytes: some Collection<UInt8>) {
        pending += bytes
        while let length = take() { pending.removeFirst(length) }
    }

    /// Draws one character or sequence and says how many bytes it had; `nil` when it is not complete.
    private mutating func take() -> Int? {
        guard let first = pending.first else { return nil }
        switch first {
        case 0x0D: column = 0
        case 0x0A:
            row += 1
            if row == cells.count { cells.append([]) }
        case 0x08: column = max(column - 1, 0)
        case 0x07: bells += 1
        case 0x1B: return takeEscape()
        default:
            let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            guard pending.count >= length else { return nil }
            put(String(decoding: pending.prefix(length), as: UTF8.self).unicodeScalars.first ?? "?")
            return length
        }
        return 1
    }

    private mutating func put(_ scalar: Unicode.Scalar) {
        if column == columns {
            column = 0
            row += 1
            if row == cells.count { cells.append([]) }
        }
        pad()
        if column < cells[row].count, !isInserting {
            cells[row][column] = scalar
        } else {
            cells[row].insert(scalar, at: column)
        }
        column += 1
    }

    private mutating func pad() { while cells[row].count < column { cells[row].append(" ") } }

    private mutating func takeEscape() -> Int? {
        guard pending.count >= 2 else { return nil }
        guard pending[1] == UInt8(ascii: "[") else { return 2 }
        guard let end = pending.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else { return nil }
        let parameter = Int(String(decoding: pending[2..<end], as: UTF8.self))
        let count = parameter ?? 1
        pad()
        switch Unicode.Scalar(pending[end]) {
        case "A": row = max(row - count, 0)
        case "C": column = min(column + count, columns - 1)
        case "D": column = max(column - count, 0)
        case "G": column = min(max(count - 1, 0), columns - 1)
        case "J":
            cells[row].removeSubrange(min(column, cells[row].count)...)
            cells.removeSubrange((row + 1)...)
        case "K": cells[row].removeSubrange(min(column, cells[row].count)...)
        case "P": cells[row].removeSubrange(column..<min(column + count, cells[row].count))
        case "@": cells[row].insert(contentsOf: Array(repeating: " ", count: count), at: column)
        case "h": isInserting = parameter == 4 ? true : isInserting
        case "l": isInserting = parameter == 4 ? false : isInserting
        default: break
        }
        return end + 1
    }
}
