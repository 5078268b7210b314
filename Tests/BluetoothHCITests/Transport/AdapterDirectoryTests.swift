import Foundation
import Support
import Testing

@testable import BluetoothHCI

/// A made system.
private final class MadeSystem {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    var listing: AdapterDirectory { AdapterDirectory(root: directory.path) }

    func write(_ text: String, to file: String) throws {
        let path = directory.path + file
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }

    func makeSwitch(_ number: Int, type: String = "bluetooth", name: String, soft: Int, hard: Int) throws {
        for (file, text) in [("type", type), ("name", name), ("soft", "\(soft)"), ("hard", "\(hard)")] {
            try write(text + "\n", to: "/sys/class/rfkill/rfkill\(number)/\(file)")
        }
    }

    func makeAdapter(_ name: String, address: String = "00:1a:7d:da:71:13") throws {
        try write(address + "\n", to: "/sys/class/bluetooth/\(name)/address")
    }

    func grant(_ capabilities: String) throws {
        try write(
            "Name:\tsatchel\nCapInh:\t0000000000000000\nCapPrm:\t\(capabilities)\nCapEff:\t\(capabilities)\nCapBnd:\t0\n",
            to: "/proc/self/status")
    }

    /// Major, minor and inode of a file, as the kernel writes them.
    func identity(of file: String) throws -> String {
        var status = stat()
        try #require(stat(directory.path + file, &status) == 0)
        let (major, minor) = (status.st_dev >> 8 & 0xFFF, status.st_dev & 0xFF | status.st_dev >> 12 & 0xFFF00)
        return String(format: "%02x:%02x:%lu", Int(major), Int(minor), status.st_ino)
    }
}

@Suite("What the system tells about adapters")
struct AdapterDirectoryTests {
    private static let hci0 = AdapterAddress.userChannel(index: 0)

    @Test("adapters are listed by number, connections and others are not")
    func adapters() throws {
        let system = try MadeSystem()
        for name in ["hci10", "hci2", "hci0:12", "hci", "hci01", "hcix", "rfcomm0"] { try system.makeAdapter(name) }
        try system.makeAdapter("hci0", address: "c0:ff:ee:00:00:01")
        let adapters = system.listing.adapters()
        #expect(adapters.map { $0.index } == [0, 2, 10])
        #expect(adapters.map { $0.name } == ["hci0", "hci2", "hci10"])
        #expect(adapters.map { $0.address } == ["C0:FF:EE:00:00:01", "00:1A:7D:DA:71:13", "00:1A:7D:DA:71:13"])
        #expect(adapters.allSatisfy { $0.isUp == nil && $0.bus == nil && !$0.isSoftBlocked && !$0.isHardBlocked })
    }

    @Test("a system without Bluetooth has none, and says nothing")
    func empty() throws {
        let listing = try MadeSystem().listing
        #expect(listing.adapters().isEmpty && listing.radioSwitches().isEmpty)
        #expect(listing.bluetoothDaemon() == nil)
        #expect(listing.obstacle(for: Self.hci0) == .missing(Self.hci0))
        #expect(listing.missingCapabilities() == [.networkAdministration, .rawSockets])
    }

    @Test("each adapter has its own switch; those of other radios do not count")
    func switches() throws {
        let system = try MadeSystem()
        for name in ["hci0", "hci1", "hci2"] { try system.makeAdapter(name) }
        try system.grant("0000000000003000")
        try system.makeSwitch(0, name: "hci0", soft: 1, hard: 0)
        try system.makeSwitch(1, type: "wlan", name: "hci1", soft: 1, hard: 1)
        try system.makeSwitch(2, name: "hci2", soft: 0, hard: 1)
        try system.makeSwitch(3, name: "hci1", soft: 0, hard: 0)
        let adapters = system.listing.adapters()
        #expect(adapters.map { $0.isSoftBlocked } == [true, false, false])
        #expect(adapters.map { $0.isHardBlocked } == [false, false, true])
        let found = (0...2).map { system.listing.obstacle(for: .userChannel(index: $0)) }
        #expect(
            found == [
                .blockedByRadioSwitch(Self.hci0, isHard: false), nil,
                .blockedByRadioSwitch(.userChannel(index: 2), isHard: true),
            ])
        #expect(UserChannel.failure(ERFKILL, 2, system.listing) == found[2])
    }

    @Test("a switch of the machine explains an adapter that is not there", arguments: [(1, 0), (0, 1), (0, 0)])
    func machineSwitch(soft: Int, hard: Int) throws {
        let system = try MadeSystem()
        try system.makeSwitch(0, name: "ideapad_bluetooth", soft: soft, hard: hard)
        #expect(
            system.listing.radioSwitches() == [
                RadioSwitch(
                    name: "ideapad_bluetooth", adapter: nil, isSoftBlocked: soft == 1, isHardBlocked: hard == 1)
            ])
        let expected: BluetoothError =
            soft + hard > 0 ? .blockedByRadioSwitch(Self.hci0, isHard: hard == 1) : .missing(Self.hci0)
        #expect(system.listing.obstacle(for: Self.hci0) == expected)
    }

    @Test(
        "capabilities are read from the effective set",
        arguments: [
            ("0000000000000000", [.networkAdministration, .rawSockets]), ("0000000000001000", [.rawSockets]),
            ("0000000000002000", [.networkAdministration]), ("0000000000003000", []), ("000001ffffffffff", []),
            ("000001ffffffcfff", [.networkAdministration, .rawSockets]),
            ("rubbish", [.networkAdministration, .rawSockets]),
        ] as [(String, [BluetoothCapability])])
    func capabilities(effective: String, missing: [BluetoothCapability]) throws {
        let system = try MadeSystem()
        try system.grant(effective)
        try system.makeAdapter("hci0")
        #expect(system.listing.missingCapabilities() == missing)
        let isBlocked = missing.contains(.networkAdministration)
        #expect(system.listing.obstacle(for: Self.hci0) == (isBlocked ? .notPermitted(Self.hci0) : nil))
    }

    @Test("they have the system's names")
    func names() {
        #expect(BluetoothCapability.allCases.map { "\($0)" } == ["CAP_NET_ADMIN", "CAP_NET_RAW"])
    }

    @Test("bluetoothd is found by its name")
    func daemon() throws {
        let system = try MadeSystem()
        for (process, name) in [
            ("1", "systemd"), ("612", "bluetoothd"), ("70", "bluetoothd-x"), ("self", "bluetoothd"),
        ] {
            try system.write(name + "\n", to: "/proc/\(process)/comm")
        }
        #expect(system.listing.bluetoothDaemon() == 612)
    }

    @Test("who locked an adapter has it; who waits for the lock, or locked another, has not")
    func holder() throws {
        let system = try MadeSystem()
        try system.makeAdapter("hci0")
        try system.grant("0000000000003000")
        let file = try system.identity(of: "/sys/class/bluetooth/hci0")
        func holder(_ lines: String...) throws -> Int32? {
            try system.write(lines.map { $0 + "\n" }.joined(), to: "/proc/locks")
            return system.listing.holder(of: Self.hci0)
        }
        let other = "1: FLOCK  ADVISORY  WRITE 7 00:01:2 0 EOF"
        #expect(try holder() == nil)
        #expect(try holder(other) == nil)
        #expect(try holder("1: POSIX  ADVISORY  WRITE 4242 \(file) 0 EOF") == nil)
        #expect(try holder("1: -> FLOCK  ADVISORY  WRITE 4242 \(file) 0 EOF") == nil)
        // As seen from a container that does not show the process.
        #expect(try holder("1: FLOCK  ADVISORY  WRITE 0 \(file) 0 EOF") == nil)
        #expect(try holder("rubbish", "", other, "2: FLOCK  ADVISORY  WRITE 4242 \(file) 0 EOF") == 4242)
        #expect(system.listing.obstacle(for: Self.hci0) == .busy(Self.hci0, process: 4242))
        #expect(UserChannel.failure(EBUSY, 0, system.listing) == .busy(Self.hci0, process: 4242))
    }

    @Test("sockets: what is not there or no socket is an obstacle, the rest shows at the connection")
    func sockets() throws {
        let directory = try TemporaryDirectory()
        let missing = AdapterAddress.unix(path: directory.file("none"))
        #expect(AdapterDirectory().obstacle(for: missing) == .missing(missing))
        try directory.write([], to: "file")
        let file = AdapterAddress.unix(path: directory.file("file"))
        #expect(AdapterDirectory().obstacle(for: file) == .unreachable(file, reason: "it is not a socket"))
        #expect(AdapterDirectory().obstacle(for: .tcp(host: "localhost", port: 1)) == nil)
    }

    @Test("this system can be asked")
    func real() {
        let listing = AdapterDirectory()
        #expect(listing.adapters().map { $0.index }.sorted() == listing.adapters().map { $0.index })
        // Root without a sandbox has both.
        #expect(listing.missingCapabilities().count <= 2)
    }

    @Test("a claim is seen by everybody while it is held")
    func claim() throws {
        let cable = try Cable()
        // The claim is a lock on a directory of a file system that the kernel keeps in memory, like sysfs.
        let directory = "/sys/class/net"
        let claim = try #require(AdapterClaim.take(directory: directory))
        let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
        #expect(AdapterClaim.holder(of: directory, in: locks) == getpid())
        #expect(AdapterClaim.take(directory: directory) == nil)
        #expect(AdapterClaim.holder(of: cable.path, in: locks) == nil)
        close(claim)
        let again = try #require(AdapterClaim.take(directory: directory))
        close(again)
        #expect(AdapterClaim.take(directory: directory + "/none") == nil)
    }
}
