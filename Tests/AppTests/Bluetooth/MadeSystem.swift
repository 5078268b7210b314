import BluetoothHCI
import Foundation

@testable import App

/// A made `/sys` and `/proc`, removed with this value.
final class MadeSystem {
    let root = "/tmp/satchel-tree-\(UInt32.random(in: 0 ..< .max))"

    /// A system without adapters whose processes may take them.
    init() throws {
        try write("/proc/self/status", "Name:\tsatchel\nCapEff:\t0000000000003000\n")
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func write(_ path: String, _ text: String) throws {
        let url = URL(fileURLWithPath: root + path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    func addAdapter(_ name: String, address: String) throws {
        try write("/sys/class/bluetooth/\(name)/address", address + "\n")
    }

    func addSwitch(_ number: Int, _ name: String, soft: Bool, hard: Bool = false) throws {
        let folder = "/sys/class/rfkill/rfkill\(number)"
        try write(folder + "/type", "bluetooth\n")
        try write(folder + "/name", name + "\n")
        try write(folder + "/soft", soft ? "1\n" : "0\n")
        try write(folder + "/hard", hard ? "1\n" : "0\n")
    }

    func lockAdapter(_ name: String, process: Int32, name program: String) throws {
        var status = stat()
        guard stat("\(root)/sys/class/bluetooth/\(name)", &status) == 0 else { throw CocoaError(.fileNoSuchFile) }
        let (major, minor) = (status.st_dev >> 8 & 0xFFF, status.st_dev & 0xFF | status.st_dev >> 12 & 0xFFF00)
        let file = String(format: "%02x:%02x:%lu", Int(major), Int(minor), status.st_ino)
        try write("/proc/locks", "1: FLOCK  ADVISORY  WRITE \(process) \(file) 0 EOF\n")
        try write("/proc/\(process)/comm", program + "\n")
    }

    func takeCapabilities() throws { try write("/proc/self/status", "CapEff:\t0000000000000000\n") }

    func runDaemon(_ process: Int, autoEnable: String? = nil) throws {
        try write("/proc/\(process)/comm", "bluetoothd\n")
        if let autoEnable { try write("/etc/bluetooth/main.conf", "[Policy]\n# AutoEnable=x\n\(autoEnable)\n") }
    }

    func surroundings(asking addresses: [AdapterAddress] = []) -> BluetoothSurroundings {
        var surroundings = BluetoothSurroundings(
            AdapterDirectory(root: root), asking: addresses, daemonConfiguration: root + "/etc/bluetooth/main.conf")
        surroundings.program = "/opt/sat chel"
        return surroundings
    }
}
