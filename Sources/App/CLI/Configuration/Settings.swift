/// Everything that can be configured.
enum Settings {
    /// The name that others see.
    static let nickname = Setting(
        "nickname", .text, option: "nickname", placeholder: "NAME",
        help: """
            The name that others see, at most 50 characters, without @, # and control characters.
            Phones show up to 15 characters whole. Without one the node keeps the name it last had, and makes up
            anon and four digits at its first start.
            """,
        example: .text("pebble"), isReloadable: true)

    /// The folders through which the nodes of one machine meet.
    static let air = Setting(
        "links.air", .list, standard: .list([]), option: "air", placeholder: "DIR",
        help: """
            Folders through which nodes on this machine meet; "off" for none.
            Nodes that name the same folder are neighbours; one with several folders passes on between them. Without
            any it is a folder in the runtime directory of the user, shared by all nodes of that user.
            """,
        example: .list(["/run/user/1000/satchel/air"]))

    /// Where to take TCP links.
    static let listen = Setting(
        "links.listen", .list, standard: .list([]), option: "listen", placeholder: "HOST:PORT",
        help: """
            Addresses on which neighbours may connect by TCP, HOST:PORT or [IPV6]:PORT; 0.0.0.0 and [::] mean all.
            The links are not encrypted by themselves: what is private travels sealed, what is public is for
            everyone. Listen only where you would put up a radio.
            """,
        example: .list(["127.0.0.1:4242"]))

    /// Where to open TCP links.
    static let connect = Setting(
        "links.connect", .list, standard: .list([]), option: "connect", placeholder: "HOST:PORT",
        help: """
            Neighbours to connect to by TCP, HOST:PORT each; a lost link is opened again.
            """,
        example: .list(["pi.example.net:4242"]))

    /// The Bluetooth adapters to speak through.
    static let adapter = Setting(
        "links.adapter", .list, standard: .list([]), option: "adapter", placeholder: "ADAPTER",
        help: """
            Bluetooth adapters to use: hci0, h4:/dev/ttyACM0,1000000, h4:tcp:HOST:PORT, h4:unix:PATH; "off" for none.
            hci0 is an adapter of the kernel, which must be powered off there and is then the node's alone; h4: is a
            controller on a serial port, with its speed, or behind a socket. Each is a radio of its own. Without any it
            is "auto": the kernel's first adapter, as soon as there is one. An adapter that another satchel has is
            refused where it is named. 'satchel adapters' lists them and says what blocks each.
            """,
        example: .list(["hci0"]))

    /// Which mesh the radio belongs to.
    static let adapterService = Setting(
        "links.adapterService", .choice(["production", "test"]), standard: .text("production"),
        option: "bluetooth-service", placeholder: "MESH",
        help: """
            The Bluetooth mesh to join; the two never see each other.
            Released apps are in production, debug builds for iOS and macOS in test.
            """)

    /// Where to log HCI packets.
    static let hciLog = Setting(
        "links.hciLog", .text, option: "hci-log", placeholder: "FILE",
        help: """
            Log every packet to and from the Bluetooth adapters in this file, for Wireshark (btsnoop format).
            Everything that is said in public is in it, and who was near at what time. It grows without bound.
            """,
        example: .text("/tmp/satchel.btsnoop"))

    /// Whether the radio saves power.
    static let savePower = Setting(
        "links.savePower", .flag, standard: .flag(false), option: "save-power", placeholder: "",
        help: """
            Listen for new Bluetooth neighbours only part of the time; for a node on a battery.
            It is found by others as before, and finds them later.
            """)

    /// Where received files go.
    static let mediaDirectory = Setting(
        "media.directory", .text, option: "media-directory", placeholder: "DIR",
        help: """
            The folder for received files.
            Without one it is media/ in the data directory.
            """,
        example: .text("/srv/satchel/media"))

    /// How much received files may take.
    static let mediaQuota = Setting(
        "media.quota", .number(1...1_000_000), standard: .number(100), option: "media-quota", placeholder: "MIB",
        help: """
            How much received files may take on the disk, in MiB.
            The oldest make room for new ones.
            """)

    /// How long received files stay.
    static let mediaDays = Setting(
        "media.days", .number(1...36_500), standard: .number(7), option: "media-days", placeholder: "DAYS",
        help: """
            How many days received files stay.
            """)

    /// How many events are kept.
    static let eventLimit = Setting(
        "events.limit", .number(100...10_000_000), standard: .number(50_000), option: "event-limit",
        placeholder: "N",
        help: """
            How many events are kept for those who come back with a cursor.
            """)

    /// How long events are kept.
    static let eventDays = Setting(
        "events.days", .number(1...36_500), standard: .number(30), option: "event-days", placeholder: "DAYS",
        help: """
            How many days events are kept; the newest thousand stay whatever their age.
            """)

    /// What is logged.
    static let logLevel = Setting(
        "log.level", .choice(["debug", "info", "warning", "error"]), standard: .text("info"), option: "log-level",
        placeholder: "LEVEL",
        help: """
            How much is logged to standard error.
            The log never holds message text or keys.
            """,
        isReloadable: true)

    /// The form of the log.
    static let logJSON = Setting(
        "log.json", .flag, standard: .flag(false), option: "log-json", placeholder: "",
        help: """
            Log one JSON object a line instead of text.
            """,
        isReloadable: true)

    /// Whether the node only relays.
    static let relayOnly = Setting(
        "relayOnly", .flag, standard: .flag(false), option: "relay-only", placeholder: "",
        help: """
            Only pass on what others say: no identity, no chat.
            The node makes keys at each start, keeps them in memory and throws them away when it stops; an identity
            that is in the data directory is not touched. It announces itself as relay- and four digits, unless
            nickname says otherwise, answers pings, and shows, stores and confirms no message.
            """)

    /// Whether the operator vouches for the clock.
    static let trustClock = Setting(
        "trustClock", .flag, standard: .flag(false), option: "trust-clock", placeholder: "",
        help: """
            Take this machine's clock for right, whatever speaks against it.
            Phones refuse what is more than two minutes off, so a node holds its messages back while its clock is
            wrong: before the time of the last run, or off from what several neighbours agree on, and not kept right
            by NTP. Vouch for the clock where those are mistaken.
            """,
        isReloadable: true)

    /// Where the passphrase of the key file stands.
    static let passphraseFile = Setting(
        "passphraseFile", .text, option: "passphrase-file", placeholder: "FILE",
        help: """
            A file whose first line is the passphrase of the key file.
            Without one the key file is protected by its permissions alone, unless it was made with a passphrase:
            then it is asked for, on a terminal only.
            """,
        example: .text("/etc/satchel/passphrase"))

    /// All, in the order of `config --example`.
    static let all = [
        nickname, air, listen, connect, adapter, adapterService, hciLog, savePower, mediaDirectory, mediaQuota,
        mediaDays,
        eventLimit, eventDays, logLevel, logJSON, relayOnly, trustClock, passphraseFile,
    ]

    /// The options of `run`, `chat` and `config` that set them.
    static let options = all.map(\.optionSpec)
}
