import Testing

@testable import App

@Suite("Chat input")
struct ChatInputTests {
    @Test("a line that is empty after trimming is ignored", arguments: ["", " ", "\t ", "\u{200B}"])
    func nothing(line: String) { #expect(ChatInput(line) == .nothing) }

    @Test("only a slash in the first column begins a command")
    func column() {
        #expect(ChatInput("/who") == .command(.who))
        #expect(ChatInput(" /who") == .message(" /who"))
        #expect(ChatInput("who /who") == .message("who /who"))
    }

    @Test("commands are told without regard to case, and by their short names")
    func names() {
        #expect(ChatInput("/WHO") == .command(.who))
        #expect(ChatInput("/w") == .command(.who))
        #expect(ChatInput("/M bob x") == .command(.msg("bob", text: "x")))
    }

    @Test("a message keeps every blank that was typed behind the one that separates it")
    func message() {
        #expect(ChatInput("/msg @bob  hi ") == .command(.msg("bob", text: " hi ")))
        #expect(ChatInput("/msg bob ") == .command(.msg("bob", text: "")))
        #expect(ChatInput("/msg bob") == .command(.msg("bob", text: nil)))
        #expect(ChatInput("/msg @@bob x") == .command(.msg("@bob", text: "x")))
    }

    @Test("a name is the whole argument, trimmed, with one @ removed")
    func argument() {
        #expect(ChatInput("/ping  @bob smith ") == .command(.ping("bob smith")))
        #expect(ChatInput("/open mesh") == .command(.open(nil)))
        #expect(ChatInput("/open bob#1a2b") == .command(.open("bob#1a2b")))
        #expect(ChatInput("/slap bob") == .command(.emote(.slap, "bob")))
        #expect(ChatInput("/fingerprint") == .command(.fingerprint(nil)))
        #expect(ChatInput("/nick  anna ") == .command(.nick(" anna ")))
    }

    @Test(
        "a command without the argument it needs explains itself",
        arguments: ["/msg", "/msg ", "/msg  x", "/slap", "/hug @", "/ping ", "/open", "/nick  ", "/send"])
    func usage(line: String) {
        guard case .usage = ChatInput(line) else {
            Issue.record("\(ChatInput(line))")
            return
        }
    }

    @Test("commands of the phones that are not there yet are named, others are unknown")
    func others() {
        for name in ["join", "leave", "block", "fav", "verify", "group", "pay", "drop", "board"] {
            #expect(ChatInput("/\(name) x") == .unsupported(name))
        }
        #expect(ChatInput("/fly") == .unknown("fly"))
        #expect(ChatInput("/") == .unknown(""))
        #expect(ChatInput("/\u{1B}[2J") == .unknown("\u{1B}[2j"))
    }

    @Test("no command is both there and not")
    func disjoint() {
        for verb in SlashVerb.allCases {
            #expect(!SlashVerb.unsupported.contains(verb.rawValue))
            #expect(SlashVerb(verb.rawValue) == verb)
            #expect(verb.usage.hasPrefix("/" + verb.rawValue))
        }
    }
}

@Suite("Chat completion")
struct ChatCompletionTests {
    private let names = ["anna", "Annabel", "bob#1a2b", "bob#9999", "carl", "dora", "eve"]

    private func candidates(_ before: String) -> [String] { ChatCompletion.complete(before, names: names).candidates }

    @Test("commands in the first column, names behind those that take one, mentions behind @")
    func kinds() {
        #expect(candidates("/wh") == ["/who"])
        #expect(candidates("/h") == ["/help", "/hug"])
        #expect(candidates("/ping bo") == ["bob#1a2b", "bob#9999"])
        #expect(candidates("/msg @ca") == ["@carl"])
        #expect(candidates("hello @an") == ["@anna", "@Annabel"])
        #expect(candidates("/m ANN") == ["anna", "Annabel"])
    }

    @Test(
        "nothing elsewhere, and no more than five names",
        arguments: ["hello an", "/who an", "/msg bob an", "x /wh", ""])
    func none(before: String) {
        #expect(candidates(before) == [])
        #expect(candidates("@").count == 5)
    }

    @Test("what was typed is replaced, and no more")
    func replaced() {
        #expect(ChatCompletion.complete("/ping bo", names: names).replaced == 2)
        #expect(ChatCompletion.complete("hello @an", names: names).replaced == 3)
        #expect(ChatCompletion.complete("/ping ca", names: names).insertion == "carl ")
    }
}
