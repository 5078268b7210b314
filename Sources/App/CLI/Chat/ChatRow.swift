import Application
import Domain

/// One row of a view. Texts are raw; ``ChatRowText`` cleans them.
struct ChatRow: Hashable, Sendable {
    /// What the row says.
    enum Content: Hashable, Sendable {
        /// Somebody's message, or ours.
        case message(name: String, text: String)
        /// A gesture in public, under its sender's authenticated name (spec: app §2.5).
        case emote(name: String, text: String)
        /// A line of the chat itself.
        case local(String)
        /// A line of the chat itself that must not be overlooked.
        case alarm(String)
    }

    /// The message's identifier; empty for local lines.
    var id = ""
    /// When it came to be, by the sender's clock; `nil` for local lines.
    var at: WallTime?
    /// What it says.
    var content: Content
    /// How far one of our private messages has come.
    var status: DeliveryStatus?
    /// Whether it mentions us.
    var isMention = false

    /// A line of the chat itself.
    static func local(_ text: String) -> ChatRow { ChatRow(content: .local(text)) }
}

/// Rows as text for a terminal.
///
/// Source: spec, app §1.4, §6.4.
struct ChatRowText: Sendable {
    /// Columns of the screen.
    var columns: Int
    /// Whether colours may be used; they say nothing that the text does not.
    var usesColour: Bool
    /// The clock time of a message.
    var clock: @Sendable (WallTime) -> String = LocalTime.clock

    /// Rows a folded text keeps.
    static let foldedRows = 30
    /// Above so many characters, or with a word of so many, a text is folded.
    static let foldedCharacters = 2000
    static let foldedWord = 512

    /// The row; several lines where its text has several.
    func text(of row: ChatRow) -> String {
        switch row.content {
        case .message(let name, let text):
            paint("\(time(row))<\(DisplayText.line(name))> \(body(text))\(status(row))", row.isMention ? "1" : nil)
        case .emote(let name, let text):
            paint("\(time(row))* \(DisplayText.line(name)): \(body(text))", row.isMention ? "1" : nil)
        case .local(let text): paint("-- \(DisplayText.block(text))", "2")
        case .alarm(let text): paint("-- !! \(DisplayText.block(text))", "1;31")
        }
    }

    /// The label of a delivery state.
    static func label(of status: DeliveryStatus) -> String {
        switch status {
        case .sending: "…"
        case .sent: "✓ sent, no confirmation"
        case .carried: "» carried, no confirmation"
        case .partiallySent(let sent, let total): "\(sent)/\(total)"
        case .delivered: "✓✓ delivered"
        case .read: "✓✓ read"
        case .failed(let reason): "✗ \(DisplayText.line(reason))"
        }
    }

    private func time(_ row: ChatRow) -> String { row.at.map { clock($0) + " " } ?? "" }

    private func status(_ row: ChatRow) -> String { row.status.map { "  [\(Self.label(of: $0))]" } ?? "" }

    private func paint(_ text: String, _ code: String?) -> String {
        guard usesColour, let code else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { "\u{1B}[\(code)m\($0)\u{1B}[0m" }
            .joined(separator: "\n")
    }

    private func body(_ text: String) -> String {
        let isLong = text.count > Self.foldedCharacters || Mentions.hasLongWord(text, limit: Self.foldedWord)
        return DisplayText.block(isLong ? folded(text) : text)
    }

    /// The text's first rows and how much more there is.
    private func folded(_ text: String) -> String {
        var (row, column) = (1, 0)
        for index in text.indices {
            if text[index] == "\n" || column == max(columns, 1) { (row, column) = (row + 1, 0) }
            guard row <= Self.foldedRows else {
                return text[..<index] + "\n… and \(text[index...].count) more characters"
            }
            column += 1
        }
        return text
    }
}

/// The names under which people appear.
enum ChatNames {
    /// The name and four digits of the peer ID, which is what nobody can choose (spec: app §1.4).
    static func suffixed(_ name: String, _ peer: PeerID) -> String {
        let suffix = suffix(of: peer)
        return name.hasSuffix(suffix) ? name : name + suffix
    }

    /// `#` and the first four digits.
    static func suffix(of peer: PeerID) -> String { "#" + peer.hex.prefix(4) }
}
