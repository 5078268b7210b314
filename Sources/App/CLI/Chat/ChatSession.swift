import ControlSocket
import Domain
import Terminal

/// `satchel chat`: a person, or a program, in conversation with the mesh through a running node.
struct ChatSession {
    /// How the chat is held.
    struct Options: Sendable {
        /// Whether to print one JSON object a line instead of rows for a person.
        var isJSON = false
        /// The file with the place in the event log up to which everything was seen; `nil`: every start begins anew.
        var cursorPath: String?
        /// Whether it is to be kept at the end: not when everything is being erased.
        var savesCursor: @Sendable () -> Bool = { true }
        /// Whether SIGINT, SIGTERM and SIGHUP end the chat in good order; false where the caller sees to that.
        var catchesSignals = true
        /// Standard input and output.
        var terminal = Terminal.Options()
    }

    private let client: ControlClient
    private let options: Options

    /// A chat through a connection that is used for nothing else.
    init(client: ControlClient, options: Options = Options()) {
        self.client = client
        self.options = options
    }

    /// Holds the chat until the user leaves or the node does.
    ///
    /// - Returns: The exit code: 0; 74 when the connection was lost or the output leads nowhere; 75 when the node has no
    ///   room for another client; 76 when it is not understood; 124 when it does not answer.
    func run() -> Int32 { ChatLoop(client: client, options: options).run() }
}
