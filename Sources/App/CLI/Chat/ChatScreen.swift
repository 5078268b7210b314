import Domain
import Glibc
import Terminal

/// What a person sees, or a program reads.
final class ChatScreen {
    /// The keyboard and the screen.
    let terminal: Terminal
    /// Whether objects are printed instead of rows.
    let isJSON: Bool
    /// Names that Tab offers.
    var names: [String] {
        get { offers.names }
        set { offers.names = newValue }
    }

    private let offers: Offers
    private let input: Int32

    /// What the completer sees; apart from the screen, which owns the completer.
    private final class Offers { var names: [String] = [] }

    init(_ options: ChatSession.Options) {
        let offers = Offers()
        var how = options.terminal
        how.allowsEditing = how.allowsEditing && !options.isJSON
        terminal = Terminal(options: how, catchesSignals: options.catchesSignals) { before in
            ChatCompletion.complete(before, names: offers.names)
        }
        self.offers = offers
        isJSON = options.isJSON
        input = how.input
    }

    /// Whether a person types at a terminal that cannot edit lines.
    var isPlainTerminal: Bool { !isJSON && !terminal.isInteractive && isatty(input) == 1 }

    /// Shows rows to a person; a program gets the events that they come from.
    func show(_ rows: [ChatRow]) {
        guard !isJSON else { return }
        let style = ChatRowText(columns: terminal.columns, usesColour: terminal.usesColour)
        terminal.print(rows.map { style.text(of: $0) })
    }

    /// Gives a program an object.
    func tell(_ json: JSONValue) { if isJSON { terminal.print([json.text]) } }

    /// Rings the bell.
    func bell() { terminal.bell() }
}
