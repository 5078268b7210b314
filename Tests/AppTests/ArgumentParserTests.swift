import Testing

@testable import App

private let fetch = VerbSpec(
    "fetch", summary: "fetches", details: "Fetches things.",
    positionals: [
        PositionalSpec("KIND", .required, choices: ["stone", "shell"], "what"),
        PositionalSpec("PLACE", .rest(atLeast: 0), "where"),
    ],
    options: [
        .value("count", short: "n", "N", "how many"), .flag("quiet", short: "q", "no noise"),
        .value("tag", "T", repeats: true, "labels"),
        .value("watch", "S", implied: "2", "again and again"),
        .value("wait", "STATE", choices: ["none", "sent"], "what for"), .value("timeout", "S", "how long"),
    ], example: "satchel fetch stone")
private let help = VerbSpec(
    "help", summary: "helps", details: "", positionals: [PositionalSpec("VERB", .optional, "which")],
    example: "satchel help")
private let version = VerbSpec("version", summary: "version", details: "", example: "satchel version")
private let verbs = [fetch, help, version]

private func parse(_ words: String...) throws(Failure) -> Invocation { try ArgumentParser.parse(words, verbs: verbs) }

private func failure(_ words: [String]) -> Failure? {
    do throws(Failure) {
        _ = try ArgumentParser.parse(words, verbs: verbs)
        return nil
    } catch {
        return error
    }
}

@Suite("Command line")
struct ArgumentParserTests {
    @Test("options take their value behind a blank, an equals sign, or directly behind the letter")
    func values() throws {
        #expect(try parse("fetch", "--count", "3", "stone").value("count") == "3")
        #expect(try parse("fetch", "--count=3", "stone").value("count") == "3")
        #expect(try parse("fetch", "-n", "3", "stone").value("count") == "3")
        #expect(try parse("fetch", "-n3", "stone").value("count") == "3")
        #expect(try parse("fetch", "--count=", "stone").value("count")?.isEmpty == true)
        #expect(try parse("fetch", "--count=a=b", "stone").value("count") == "a=b")
    }

    @Test("a value that may be left out is attached with an equals sign, or implied")
    func implied() throws {
        let invocation = try parse("fetch", "--watch", "stone")
        #expect(invocation.value("watch") == "2")
        #expect(invocation.argument("KIND") == "stone")
        #expect(try parse("fetch", "--watch=5", "stone").value("watch") == "5")
        #expect(fetch.options.first { $0.name == "watch" }?.title == "    --watch[=S]")
    }

    @Test("flags are there or not")
    func flags() throws {
        #expect(try parse("fetch", "-q", "stone").has("quiet"))
        #expect(try !parse("fetch", "stone").has("quiet"))
    }

    @Test("an option that repeats keeps its order")
    func repeated() throws {
        #expect(try parse("fetch", "--tag", "b", "stone", "--tag=a").values("tag") == ["b", "a"])
    }

    @Test("behind -- everything is an argument, and a lone dash always is")
    func endOfOptions() throws {
        let invocation = try parse("fetch", "stone", "-", "--", "--quiet", "-n")
        #expect(invocation.arguments("PLACE") == ["-", "--quiet", "-n"])
        #expect(!invocation.has("quiet"))
    }

    @Test("options may stand in front of the verb")
    func inFront() throws {
        let invocation = try parse("--home", "/srv/a", "--quiet", "--count", "3", "fetch", "stone", "--json")
        #expect(invocation.has("quiet"))
        #expect(invocation.value("count") == "3")
        #expect(invocation.verb.name == "fetch")
        #expect(invocation.value("home") == "/srv/a")
        #expect(invocation.wantsJSON)
    }

    @Test("nothing at all asks for help, --version for the version")
    func defaults() throws {
        #expect(try ArgumentParser.parse([], verbs: verbs).verb.name == "help")
        #expect(try parse("--help").verb.name == "help")
        #expect(try parse("--version").verb.name == "version")
        #expect(try parse("-V").verb.name == "version")
    }

    @Test("--help answers even when required arguments are missing")
    func helpFirst() throws { #expect(try parse("fetch", "--help").has("help")) }

    @Test(
        "what makes no sense is refused with 64",
        arguments: [
            ["fecth"], ["fetch"], ["fetch", "stone", "--qiet"], ["fetch", "stone", "-z"], ["fetch", "--count"],
            ["fetch", "stone", "--count", "--quiet"], ["fetch", "stone", "--quiet=yes"], ["fetch", "pebble"],
            ["fetch", "stone", "-n1", "-n2"], ["fetch", "stone", "--wait", "read"], ["help", "a", "b"],
            ["--quiet", "version"], ["-q", "fetch", "stone"], ["fetch", "stone", "--=x"],
            ["fetch", "stone", "-q", "-q"],
        ])
    func refusals(words: [String]) {
        #expect(failure(words)?.code == .usage)
    }

    @Test(
        "a slip of the finger is answered with what was meant",
        arguments: [
            (["fecth"], "fetch"), (["FETCH"], "fetch"), (["ver"], "version"),
            (["fetch", "stone", "--qiet"], "--quiet"),
            (["fetch", "ston"], "stone"), (["fetch", "stone", "--wait", "snet"], "sent"),
        ])
    func suggestions(words: [String], meant: String) {
        #expect(failure(words)?.hints.contains("did you mean '\(meant)'?") == true)
    }

    @Test("what resembles nothing gets no suggestion")
    func noSuggestion() {
        #expect(failure(["xylophone"])?.hints.contains { $0.hasPrefix("did you mean") } == false)
    }

    @Test("numbers are checked", arguments: ["0", "11", "-1", "1.5", "ten", "", "99999999999999999999"])
    func numbers(text: String) throws {
        let invocation = try parse("fetch", "stone", "--count=\(text)")
        #expect(throws: Failure.self) { try invocation.number("count", in: 1...10) }
    }

    @Test("a number in its range is read")
    func number() throws { #expect(try parse("fetch", "stone", "-n10").number("count", in: 1...10) == 10) }

    @Test("seconds may have a fraction", arguments: [("0", 0), ("2.5", 2500), ("30", 30000)] as [(String, Int64)])
    func seconds(text: String, milliseconds: Int64) throws {
        #expect(try parse("fetch", "stone", "--timeout", text).seconds("timeout")?.count == milliseconds)
    }

    @Test("what is no span of time is refused", arguments: ["-1", "soon", "inf", "nan", "1e300", ""])
    func noSeconds(text: String) throws {
        let invocation = try parse("fetch", "stone", "--timeout=\(text)")
        #expect(throws: Failure.self) { try invocation.seconds("timeout") }
    }
}

@Suite("Edit distance")
struct EditDistanceTests {
    @Test(
        "insertions, deletions, replacements and swaps of neighbours count one each",
        arguments: [
            ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("peers", "peers", 0), ("peer", "peers", 1),
            ("pears", "peers", 1), ("pers", "peers", 1), ("peres", "peers", 1), ("send", "recv", 3),
        ] as [(String, String, Int)])
    func distances(left: String, right: String, distance: Int) {
        #expect(EditDistance.between(left, right) == distance)
        #expect(EditDistance.between(right, left) == distance)
    }

    @Test("the nearest wins; equally near ones keep their order")
    func nearest() {
        #expect(EditDistance.suggestion(for: "stat", among: ["start", "state"]) == "start")
        #expect(EditDistance.suggestion(for: "statu", among: ["start", "status"]) == "status")
    }

    @Test("a very long word is no slip")
    func long() { #expect(EditDistance.suggestion(for: String(repeating: "a", count: 100), among: ["a"]) == nil) }
}
