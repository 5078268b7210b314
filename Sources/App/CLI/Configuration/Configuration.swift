import Application
import BluetoothHCI
import Domain
import MediaFolder
import SQLiteStores

/// The settings that hold, and who set each of them: an option, the environment, the file, or nobody.
struct Configuration: Hashable, Sendable {
    /// Who set a value.
    enum Origin: Hashable, Sendable {
        /// Nobody.
        case standard
        /// The configuration file.
        case file(String, TextPosition)
        /// An environment variable.
        case environment(String)
        /// An option on the command line.
        case option(String)

        /// In words, for `config show`.
        var description: String {
            switch self {
            case .standard: "default"
            case .file(let path, let position): "\(path):\(position)"
            case .environment(let name): name
            case .option(let name): "--\(name)"
            }
        }
    }

    /// A setting with its value.
    struct Entry: Hashable, Sendable {
        /// Which one.
        let setting: Setting
        /// The value; `nil` when there is none.
        let value: SettingValue?
        /// Who set it.
        let origin: Origin
    }

    /// All settings, in their order.
    private(set) var entries: [Entry]

    /// Works out what holds: options over the environment over the file.
    ///
    /// - Parameters:
    ///   - file: The configuration file's path and text, if there is one.
    ///   - environment: The process environment.
    ///   - invocation: The command line.
    init(
        file: (path: String, text: String)?, environment: [String: String], invocation: Invocation
    ) throws(Failure) {
        var fromFile: [String: (SettingValue, TextPosition)] = [:]
        if let file { fromFile = try ConfigurationFile.read(file.text, path: file.path) }
        var entries: [Entry] = []
        for setting in Settings.all {
            if invocation.has(setting.option) {
                let value = try Self.value(of: setting, invocation)
                entries.append(Entry(setting: setting, value: value, origin: .option(setting.option)))
            } else if let text = environment[setting.environment], !text.isEmpty {
                guard let value = setting.value(from: text) else {
                    throw Failure(
                        .configuration, "\(setting.environment) must be \(setting.expectation), not \"\(text)\"")
                }
                entries.append(Entry(setting: setting, value: value, origin: .environment(setting.environment)))
            } else if let file, let (value, position) = fromFile[setting.key] {
                entries.append(Entry(setting: setting, value: value, origin: .file(file.path, position)))
            } else {
                entries.append(Entry(setting: setting, value: setting.standard, origin: .standard))
            }
        }
        self.entries = entries
    }

    private static func value(of setting: Setting, _ invocation: Invocation) throws(Failure) -> SettingValue {
        switch setting.kind {
        case .flag: return .flag(true)
        case .list: return .list(invocation.values(setting.option))
        case .text, .choice, .number:
            let text = invocation.value(setting.option) ?? ""
            guard let value = setting.value(from: text) else {
                throw Failure(.usage, "--\(setting.option) must be \(setting.expectation), not \"\(text)\"")
            }
            return value
        }
    }

    private func value(_ setting: Setting) -> SettingValue? { entries.first { $0.setting == setting }?.value }

    private func text(_ setting: Setting) -> String? {
        if case .text(let text) = value(setting) { text } else { nil }
    }

    private func list(_ setting: Setting) -> [String] {
        if case .list(let texts) = value(setting) { texts } else { [] }
    }

    /// The same without the name.
    var anonymous: Configuration {
        var configuration = self
        configuration.entries.removeAll { $0.setting == Settings.nickname }
        return configuration
    }

    /// The name that others see, if one is set.
    var nickname: String? { text(Settings.nickname) }
    /// The air folders; none for the usual one, `off` alone for no folder at all.
    var airs: [String] { list(Settings.air) }
    /// Addresses to listen on.
    var listen: [String] { list(Settings.listen) }
    /// Addresses to connect to.
    var connect: [String] { list(Settings.connect) }
    /// The Bluetooth adapters; none, or `auto`, for the kernel's first one, `off` alone for none at all.
    var adapters: [String] { list(Settings.adapter) }
    /// Which Bluetooth mesh to join.
    var adapterService: BluetoothService {
        text(Settings.adapterService).flatMap { BluetoothService(rawValue: $0) } ?? .production
    }
    /// Where to log HCI packets, if anywhere.
    var hciLog: String? { text(Settings.hciLog) }
    /// Whether the radio listens only part of the time.
    var savesPower: Bool { value(Settings.savePower) == .flag(true) }
    /// What is logged.
    var logLevel: LogLevel { text(Settings.logLevel).flatMap { LogLevel(rawValue: $0) } ?? .info }
    /// Whether log lines are JSON.
    var logsJSON: Bool { value(Settings.logJSON) == .flag(true) }
    /// What the operator decides about the node itself.
    var nodeSettings: NodeSettings {
        NodeSettings(
            role: isRelayOnly ? .relay : .member, trustsClock: value(Settings.trustClock) == .flag(true))
    }
    /// Whether the node has no identity and only relays.
    var isRelayOnly: Bool { value(Settings.relayOnly) == .flag(true) }
    /// The file with the passphrase.
    var passphraseFile: String? { text(Settings.passphraseFile) }

    private func number(_ setting: Setting) -> Int64? {
        if case .number(let number) = value(setting) { number } else { nil }
    }

    /// Where received files go, if not under the data directory.
    var mediaDirectory: String? { text(Settings.mediaDirectory) }

    /// Bounds of received files.
    var mediaPolicy: MediaPolicy {
        var policy = MediaPolicy()
        if let quota = number(Settings.mediaQuota) { policy.quota = quota << 20 }
        if let days = number(Settings.mediaDays) { policy.retentionDays = days }
        return policy
    }

    /// Bounds of the event log.
    var journalPolicy: JournalPolicy {
        var policy = JournalPolicy()
        if let days = number(Settings.eventDays) { policy.eventDays = days }
        if let limit = number(Settings.eventLimit) { policy.eventLimit = Int(clamping: limit) }
        policy.eventMinimum = min(policy.eventMinimum, policy.eventLimit)
        return policy
    }

    /// The settings whose value differs from `other` and that a running node does not take over.
    func changesThatNeedRestart(from other: Configuration) -> [String] {
        zip(entries, other.entries).filter { new, old in new.value != old.value && !new.setting.isReloadable }
            .map(\.0.setting.key)
    }
}
