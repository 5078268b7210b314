import Domain
import Foundation
import Testing

@testable import App

@Suite("Program without a node")
struct ProgramTests {
    @Test(
        "verbs that need a node end with 69 and say how to start one",
        arguments: [
            ["status"], ["peers"], ["ping", "bob"], ["send", "hello"], ["recv", "--count", "1"], ["recv", "--follow"],
            ["recv"],
        ])
    func notRunning(words: [String]) throws {
        let home = try TemporaryHome()
        let recorder = Recorder()
        let code = Main.run(words, environment: home.environment, output: recorder.output)
        #expect(code == .notRunning)
        #expect(recorder.answer.isEmpty)
        #expect(recorder.notes.contains("satchel run --home \(home.path)"))
    }

    @Test("with --json a failure is one JSON document on standard error")
    func failureAsJSON() throws {
        let result = try TemporaryHome().run("status", "--json")
        #expect(result.answer.isEmpty)
        let error = try JSONValue(parsing: result.notes)["error"]
        #expect(error?["code"]?.integer == 69)
        #expect(error?["name"] == "notRunning")
    }

    @Test(
        "with --json the answer is one JSON document",
        arguments: [
            ["help"], ["help", "send"], ["send", "--help"], ["version"], ["config"], ["config", "--example"],
            ["doctor"],
        ])
    func answerAsJSON(words: [String]) throws {
        let recorder = Recorder()
        let code = Main.run(words + ["--json"], environment: try TemporaryHome().environment, output: recorder.output)
        #expect(code == .done)
        #expect(recorder.answer.hasSuffix("\n"))
        #expect(recorder.answer.dropLast().allSatisfy { !$0.isNewline })
        _ = try JSONValue(parsing: recorder.answer)
    }

    @Test("there is no identity before the first start")
    func noIdentity() throws { #expect(try TemporaryHome().run("identity").code == .notFound) }

    @Test("a broken configuration ends with 78 and names the place")
    func brokenConfiguration() throws {
        let home = try TemporaryHome()
        try home.configure("{\n  nickname: 'x'\n  log: {}\n}")
        let result = home.run("config")
        #expect(result.code == .configuration)
        #expect(result.notes.contains("\(home.path)/config.json5:3:3"))
        #expect(home.run("doctor").code == .configuration)
    }

    @Test("a configuration that is no text, or far too long, is a wrong configuration")
    func unreadableConfiguration() throws {
        let home = try TemporaryHome()
        for content in [Data([0xFF, 0xFE]), Data(repeating: 0x20, count: 2 << 20)] {
            try content.write(to: URL(fileURLWithPath: home.path + "/config.json5"))
            #expect(home.run("config").code == .configuration)
        }
    }

    @Test("a configuration file that was named must exist")
    func missingConfiguration() throws {
        #expect(try TemporaryHome().run("config", "--config", "/nonexistent.json5").code == .configuration)
    }

    @Test(
        "sends that make no sense are refused before anything is sent",
        arguments: [
            ["send"], ["send", "--file", "/etc/hostname", "text"], ["send", "--file", "/etc/hostname", "--to", "bob"],
            ["send", "--wait", "delivered", "text"], ["send", "--wait", "soon", "text"],
            ["send", "--mime", "a/b", "x"],
            ["send", "--timeout", "soon", "x"], ["recv", "--follow", "--count", "1"], ["recv", "--count", "0"],
            ["recv", "--after", "yesterday"], ["identity", "export"], ["identity", "show", "x"], ["inspect"],
        ])
    func usage(words: [String]) throws {
        let recorder = Recorder()
        let code = Main.run(words, environment: try TemporaryHome().environment, output: recorder.output)
        #expect(code == .usage, "\(recorder.notes)")
    }

    @Test("a file that is not there is 66, one that may not be read 77 or 66")
    func missingFile() throws {
        #expect(try TemporaryHome().run("send", "--file", "/nonexistent/file").code == .notFound)
    }

    @Test("a full disk behind standard output is not passed over")
    func fullDisk() throws {
        let output = Output { _, stream in stream != 1 }
        #expect(Main.run(["version"], environment: try TemporaryHome().environment, output: output) == .inputOutput)
    }
}

@Suite("Verbs")
struct VerbTableTests {
    private let specs = Verbs.all.map(\.spec)

    @Test("names are unique, and every verb has an example of itself")
    func names() {
        #expect(Set(specs.map(\.name)).count == specs.count)
        for spec in specs { #expect(spec.example.hasPrefix("satchel \(spec.name)"), "\(spec.name)") }
    }

    @Test("every example is understood")
    func examples() throws {
        for spec in specs {
            // What a shell would make of it: quotes removed, redirections cut.
            let command = spec.example.split(whereSeparator: { "<>".contains($0) }).first.map(String.init) ?? ""
            let words = command.split(separator: " ").dropFirst().map { String($0.filter { $0 != "\"" }) }
            let invocation = try ArgumentParser.parse(words, verbs: specs)
            #expect(invocation.verb == spec)
        }
    }

    @Test("an option of one name takes a value everywhere or nowhere, and short forms are unique in a verb")
    func options() {
        var forms: [String: Bool] = [:]
        for spec in specs {
            let shorts = spec.allOptions.compactMap(\.short)
            #expect(Set(shorts).count == shorts.count, "\(spec.name)")
            #expect(Set(spec.allOptions.map(\.name)).count == spec.allOptions.count, "\(spec.name)")
            for option in spec.allOptions {
                let takesValue = option.placeholder != nil
                #expect(forms[option.name] ?? takesValue == takesValue, "\(option.name)")
                forms[option.name] = takesValue
            }
        }
    }

    @Test("only the last positional takes a rest, and none required follows an optional one")
    func positionals() {
        for spec in specs {
            for (first, second) in zip(spec.positionals, spec.positionals.dropFirst()) {
                if case .rest = first.arity { Issue.record("\(spec.name): \(first.name) takes all") }
                #expect(!(first.arity == .optional && second.arity == .required), "\(spec.name)")
            }
        }
    }

    @Test("help fits a terminal of 132 columns")
    func width() {
        for text in specs.map(HelpText.help) + [HelpText.overview(of: specs)] {
            for line in text.split(separator: "\n") where !line.contains("satchel ") { #expect(line.count <= 132) }
        }
    }
}
