import Testing

@testable import BluetoothHCI

@Suite("Adapter addresses")
struct AdapterAddressTests {
    @Test(
        "each kind reads as it is written",
        arguments: [
            ("hci0", .userChannel(index: 0)),
            ("hci65534", .userChannel(index: 65_534)),
            ("h4:/dev/ttyACM0,1000000", .serial(path: "/dev/ttyACM0", baud: 1_000_000)),
            ("h4:/dev/a,b,9600", .serial(path: "/dev/a,b", baud: 9600)),
            ("h4:/dev/ttyUSB1,12000000", .serial(path: "/dev/ttyUSB1", baud: 12_000_000)),
            ("h4:tcp:localhost:1", .tcp(host: "localhost", port: 1)),
            ("h4:tcp:192.0.2.1:65535", .tcp(host: "192.0.2.1", port: 65_535)),
            ("h4:tcp:[2001:db8::1]:4000", .tcp(host: "2001:db8::1", port: 4000)),
            ("h4:tcp:[fe80::1%eth0]:4000", .tcp(host: "fe80::1%eth0", port: 4000)),
            ("h4:unix:/run/air/hci0", .unix(path: "/run/air/hci0")),
            ("h4:unix:beside me", .unix(path: "beside me")),
            ("h4:unix:" + String(repeating: "p", count: 107), .unix(path: String(repeating: "p", count: 107))),
        ] as [(String, AdapterAddress)])
    func roundTrip(text: String, address: AdapterAddress) throws {
        #expect(try AdapterAddress(parsing: text) == address)
        #expect(address.description == text)
    }

    @Test("a serial port without a speed has the usual one")
    func defaultSpeed() throws {
        let address = try AdapterAddress(parsing: "h4:/dev/ttyACM0")
        #expect(address == .serial(path: "/dev/ttyACM0", baud: 1_000_000))
        #expect(try AdapterAddress(parsing: address.description) == address)
    }

    @Test(
        "what is no address is refused, with the fault and the way to write it",
        arguments: [
            ("", "neither"), ("usb0", "neither"), ("HCI0", "neither"), (" hci0", "neither"), ("h4", "neither"),
            ("hci", "number"), ("hci-1", "number"), ("hci+1", "number"), ("hci01", "number"), ("hci0 ", "number"),
            ("hci65535", "number"), ("hci65536", "number"), ("hci99999999999999999999", "number"), ("hci٣", "number"),
            ("h4:", "absolute path"), ("h4:ttyACM0", "absolute path"), ("h4:TCP:a:1", "absolute path"),
            ("h4:/dev/ttyACM0,", "speed"), ("h4:/dev/ttyACM0,fast", "speed"), ("h4:/dev/ttyACM0,9599", "speed"),
            ("h4:/dev/ttyACM0,12000001", "speed"), ("h4:/dev/ttyACM0,0115200", "speed"),
            ("h4:/dev/ttyACM0,4294977296", "speed"), ("h4:/dev/tty\u{7},115200", "control"),
            ("h4:/dev/a\0b", "control"),
            ("h4:/" + String(repeating: "p", count: 4095), "longer"),
            ("h4:tcp:", "port"), ("h4:tcp:host", "port"), ("h4:tcp:host:", "port"), ("h4:tcp:host:0", "port"),
            ("h4:tcp:host:65536", "port"), ("h4:tcp:host:x", "port"), ("h4:tcp::1", "host is missing"),
            ("h4:tcp:..:1", "host is missing"), ("h4:tcp:a b:1", "letters"), ("h4:tcp:2001:db8::1:4000", "brackets"),
            ("h4:tcp:[::1]", "port"), ("h4:tcp:[::1]4000", "port"), ("h4:tcp:[]:1", "brackets"),
            ("h4:tcp:[::1:1", "brackets"), ("h4:tcp:::1]:1", "brackets"), ("h4:tcp:[192.0.2.1]:1", "brackets"),
            ("h4:tcp:[fe80::1%]:1", "brackets"), ("h4:tcp:1.2:1", "IPv4"), ("h4:tcp:256.0.0.1:1", "IPv4"),
            ("h4:tcp:" + String(repeating: "h", count: 254) + ":1", "longer"),
            ("h4:unix:", "missing"), ("h4:unix:/a\nb", "control"),
            ("h4:unix:" + String(repeating: "p", count: 108), "longer"),
        ])
    func refusals(text: String, fault: String) {
        let error = #expect(throws: BluetoothError.self) { try AdapterAddress(parsing: text) }
        guard case .badAddress(text, let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains(fault))
        let message = error?.description ?? ""
        for spelling in ["hci0", "h4:/dev/ttyACM0,1000000", "h4:tcp:HOST:PORT", "h4:unix:PATH"] {
            #expect(message.contains(spelling))
        }
    }

    @Test("the example in the messages reads back")
    func example() throws {
        let first = AdapterAddress.spellings.split(separator: ", ").prefix(2)
        for text in first { #expect(try AdapterAddress(parsing: String(text)).description == text) }
    }
}

@Suite("Bluetooth errors")
struct BluetoothErrorTests {
    private static let channel = AdapterAddress.userChannel(index: 3)
    private static let port = AdapterAddress.serial(path: "/dev/ttyACM0", baud: 1_000_000)
    private static let socket = AdapterAddress.unix(path: "/run/air/hci0")

    @Test(
        "each says what is wrong and what to do",
        arguments: [
            (
                .unsupported(reason: "this kernel has no Bluetooth"), "this kernel has no Bluetooth",
                "modprobe bluetooth"
            ),
            (.missing(channel), "there is no hci3", "plug"),
            (.missing(port), "there is no h4:/dev/ttyACM0,1000000", "plug"),
            (.missing(socket), "there is no h4:unix:/run/air/hci0", "start the controller"),
            (.busy(channel, process: 42), "hci3 is in use by process 42", "stop that process"),
            (.busy(channel, process: nil), "hci3 is up, or in use", "`bluetoothctl power off`"),
            (.busy(channel, process: nil), "hci3 is up, or in use", "`sudo hciconfig hci3 down`"),
            (.busy(port, process: nil), "in use by another program", "stop the other program"),
            (.blockedByRadioSwitch(channel, isHard: false), "switched off by rfkill", "`rfkill unblock bluetooth`"),
            (.blockedByRadioSwitch(channel, isHard: true), "radio switch of this machine", "turn the switch"),
            (.notPermitted(channel), "no permission to open hci3", "setcap cap_net_admin,cap_net_raw+eip"),
            (.notPermitted(channel), "no permission to open hci3", "AmbientCapabilities=CAP_NET_ADMIN CAP_NET_RAW"),
            (.notPermitted(port), "no permission to open h4:", "dialout"),
            (.notPermitted(socket), "no permission to open h4:", "permission to write"),
            (.notASerialPort(port), "is not a serial port", "/dev/ttyACM0"),
            (.badSpeed(port), "cannot run at the speed", "1000000"),
            (
                .unreachable(socket, reason: "nobody listens"), "h4:unix:/run/air/hci0: nobody listens",
                "start the controller"
            ),
        ] as [(BluetoothError, String, String)])
    func words(error: BluetoothError, problem: String, remedy: String) {
        #expect(error.description.contains(problem))
        #expect(error.remedy?.contains(remedy) == true)
        #expect(!error.description.contains("\n") && error.remedy?.contains("\n") != true)
    }

    @Test("an unforeseen failure is named by the system")
    func system() {
        let error = BluetoothError.system(action: "open", subject: "hci3", code: 5)
        #expect(error.description == "cannot open hci3: Input/output error")
        #expect(error.remedy == nil)
    }
}
