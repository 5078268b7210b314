import Application
import Testing

@testable import App

private let run = VerbSpec("run", summary: "", details: "", options: Settings.options, example: "")

private func configuration(
    _ text: String? = nil, _ environment: [String: String] = [:], _ words: [String] = []
) throws(Failure) -> Configuration {
    let invocation = try ArgumentParser.parse(["run"] + words, verbs: [run])
    return try Configuration(file: text.map { ("c.json5", $0) }, environment: environment, invocation: invocation)
}

private func failure(
    _ text: String? = nil, _ environment: [String: String] = [:], _ words: [String] = []
) -> Failure? {
    do throws(Failure) {
        _ = try configuration(text, environment, words)
        return nil
    } catch {
        return error
    }
}

private func origin(of setting: Setting, in configuration: Configuration) -> String? {
    configuration.entries.first { $0.setting == setting }?.origin.description
}

@Suite("Configuration")
struct ConfigurationTests {
    @Test("without anything the defaults hold")
    func defaults() throws {
        let configuration = try configuration()
        #expect(configuration.nickname == nil)
        #expect(configuration.logLevel == .info)
        #expect(!configuration.logsJSON)
        #expect(configuration.listen.isEmpty)
        #expect(configuration.entries.allSatisfy { $0.origin == .standard })
    }

    @Test("the file's values hold, and their place is known")
    func file() throws {
        let configuration = try configuration(
            "{\n  nickname: 'pebble',\n  links: { listen: [':4242'], connect: ['a:1', 'b:2'] },\n log: {level: 'debug', json: true}\n}"
        )
        #expect(configuration.nickname == "pebble")
        #expect(configuration.listen == [":4242"])
        #expect(configuration.connect == ["a:1", "b:2"])
        #expect(configuration.logLevel == .debug)
        #expect(configuration.logsJSON)
        #expect(origin(of: Settings.nickname, in: configuration) == "c.json5:2:3")
    }

    @Test("options win over the environment, the environment over the file")
    func precedence() throws {
        let file = "{ log: { level: 'debug' }, nickname: 'file' }"
        let environment = ["SATCHEL_LOG_LEVEL": "warning", "SATCHEL_NICKNAME": ""]
        #expect(try configuration(file).logLevel == .debug)
        #expect(try configuration(file, environment).logLevel == .warning)
        #expect(try configuration(file, environment, ["--log-level", "error"]).logLevel == .error)
        // An empty variable is one that is not set.
        #expect(try configuration(file, environment).nickname == "file")
        let all = try configuration(file, environment, ["--log-level", "error"])
        #expect(origin(of: Settings.logLevel, in: all) == "--log-level")
        #expect(origin(of: Settings.logLevel, in: try configuration(file, environment)) == "SATCHEL_LOG_LEVEL")
    }

    @Test("lists come from repeated options or from commas in the environment")
    func lists() throws {
        #expect(try configuration(nil, ["SATCHEL_LINKS_CONNECT": "a:1, b:2,"]).connect == ["a:1", "b:2"])
        #expect(try configuration(nil, [:], ["--connect", "a:1", "--connect=b:2"]).connect == ["a:1", "b:2"])
    }

    @Test("null in the file means not set")
    func null() throws { #expect(try configuration("{ nickname: null, log: {level: null} }").nickname == nil) }

    @Test(
        "an unknown name or a wrong value ends with 78 and its place",
        arguments: [
            ("{ nickname: 5 }", "c.json5:1:13"), ("{\n nick: 'x' }", "c.json5:2:2"),
            ("{ log: { levle: 'info' } }", "c.json5:1:10"), ("{ log: 'info' }", "c.json5:1:8"),
            ("{ log: { level: 'loud' } }", "c.json5:1:17"), ("{ links: { listen: 'x' } }", "c.json5:1:20"),
            ("{ links: { listen: [1] } }", "c.json5:1:20"), ("[]", "c.json5:1:1"), ("{", "c.json5:1:1"),
            ("{ log: { json: 'yes' } }", "c.json5:1:16"),
        ])
    func refusals(text: String, place: String) {
        let failure = failure(text)
        #expect(failure?.code == .configuration)
        #expect(failure?.message.hasPrefix(place + ":") == true, "\(failure?.message ?? "accepted")")
    }

    @Test(
        "an unknown name is answered with what was meant",
        arguments: [
            ("{ nicname: 'x' }", "nickname"), ("{ log: { levle: 'info' } }", "log.level"),
            ("{ listen: [] }", "links.listen"), ("{ lnks: {} }", "links"),
        ])
    func suggestions(text: String, meant: String) {
        #expect(failure(text)?.hints.first == "did you mean '\(meant)'?")
    }

    @Test("a wrong value in the environment is a fault of the configuration, on the command line of usage")
    func elsewhere() {
        #expect(failure(nil, ["SATCHEL_LOG_LEVEL": "loud"])?.code == .configuration)
        #expect(failure(nil, ["SATCHEL_LOG_JSON": "perhaps"])?.code == .configuration)
        #expect(failure(nil, [:], ["--log-level", "loud"])?.code == .usage)
    }

    @Test("the example is valid, changes nothing, and names every setting")
    func example() throws {
        let example = ConfigurationFile.example
        #expect(try configuration(example).entries.map(\.value) == configuration().entries.map(\.value))
        for setting in Settings.all {
            #expect(example.contains("--\(setting.option) and \(setting.environment)."))
        }
    }

    @Test("with its settings uncommented the example is valid too, and sets them")
    func exampleUncommented() throws {
        let lines = ConfigurationFile.example.split(separator: "\n").map { line -> String in
            let bare = line.drop { $0 == " " }
            let isSetting = Settings.all.contains { setting in
                bare.hasPrefix("// \(setting.key.split(separator: ".").last ?? ""): ")
            }
            return isSetting ? String(bare.dropFirst(3)) : String(line)
        }
        let configuration = try configuration(lines.joined(separator: "\n"))
        for entry in configuration.entries {
            #expect(entry.origin != .standard, "\(entry.setting.key)")
            #expect(entry.value == entry.setting.example ?? entry.setting.standard)
        }
    }

    @Test("names of variables follow the key")
    func variables() {
        #expect(Settings.logLevel.environment == "SATCHEL_LOG_LEVEL")
        #expect(Settings.passphraseFile.environment == "SATCHEL_PASSPHRASE_FILE")
    }

    @Test("keys, options and variables are unique, and no option hides a common one")
    func unique() {
        #expect(Set(Settings.all.map(\.key)).count == Settings.all.count)
        #expect(Set(Settings.all.map(\.environment)).count == Settings.all.count)
        let options = (Settings.options + VerbSpec.common).map(\.name)
        #expect(Set(options).count == options.count)
    }

    @Test("what a running node cannot take over is named")
    func restart() throws {
        let old = try configuration("{ nickname: 'a', links: { listen: [':1'] } }")
        let new = try configuration("{ nickname: 'b', log: { level: 'debug' }, links: { listen: [':2'] } }")
        #expect(new.changesThatNeedRestart(from: old) == ["links.listen"])
    }
}

@Suite("Places")
struct PlacesTests {
    private func places(_ environment: [String: String], _ words: String...) throws(Failure) -> Places {
        try Places(
            invocation: ArgumentParser.parse(["run"] + words, verbs: [run]), environment: environment,
            workingDirectory: "/here", user: 1000)
    }

    @Test("the XDG directories hold everything")
    func xdg() throws {
        let places = try places([
            "HOME": "/home/u", "XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_RUNTIME_DIR": "/r",
        ])
        #expect(places.configuration == "/c/satchel/config.json5")
        #expect(places.data == "/d/satchel")
        #expect(places.controlSocket == "/r/satchel/control.sock")
        #expect(places.air == "/r/satchel/air")
        #expect(!places.isConfigurationNamed)
    }

    @Test("without them the usual places; relative ones are ignored")
    func fallback() throws {
        let places = try places(["HOME": "/home/u", "XDG_CONFIG_HOME": "relative"])
        #expect(places.configuration == "/home/u/.config/satchel/config.json5")
        #expect(places.data == "/home/u/.local/share/satchel")
        #expect(places.runtime == "/tmp/satchel-1000")
    }

    @Test("--home puts all under one folder, and the air stays the user's")
    func home() throws {
        let places = try places(
            ["HOME": "/home/u", "XDG_RUNTIME_DIR": "/r", "SATCHEL_HOME": "/other"], "--home", "a/./b")
        #expect(places.configuration == "/here/a/b/config.json5")
        #expect(places.data == "/here/a/b/data")
        #expect(places.runtime == "/here/a/b/run")
        #expect(places.air == "/r/satchel/air")
    }

    @Test("SATCHEL_HOME does the same, and --config names another file")
    func environment() throws {
        let places = try places(["SATCHEL_HOME": "/srv/s"], "-c", "x.json5")
        #expect(places.data == "/srv/s/data")
        #expect(places.configuration == "/here/x.json5")
        #expect(places.isConfigurationNamed)
    }

    @Test("no HOME and no home is a fault of the configuration")
    func homeless() { #expect(throws: Failure.self) { try places([:]) } }

    @Test("a path too long for a socket is refused")
    func longPath() throws {
        let fits = "/" + String(repeating: "h", count: Places.longestSocketPath - "/run/control.sock".count - 1)
        #expect(try places(["SATCHEL_HOME": fits]).controlSocket.utf8.count == Places.longestSocketPath)
        #expect(throws: Failure.self) { try places(["SATCHEL_HOME": fits + "h"]) }
    }

    @Test(
        "words for a shell are quoted where needed",
        arguments: [
            ("/srv/a-b_c.d", "/srv/a-b_c.d"), ("/a b", "'/a b'"), ("it's", "'it'\\''s'"), ("", "''"), ("ä", "'ä'"),
        ])
    func shell(word: String, quoted: String) { #expect(ShellWord.quoted(word) == quoted) }
}
