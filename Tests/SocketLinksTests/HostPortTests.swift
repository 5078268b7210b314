import Testing

@testable import SocketLinks

@Suite("Addresses")
struct HostPortTests {
    @Test(
        "names, IPv4 and bracketed IPv6 are read, and written as they were",
        arguments: [
            ("localhost:1", "localhost", 1), ("pi-2.example.org:4000", "pi-2.example.org", 4000),
            ("192.0.2.1:65535", "192.0.2.1", 65535), ("[2001:db8::1]:4000", "2001:db8::1", 4000),
            ("[::]:0", "::", 0), ("0.0.0.0:0", "0.0.0.0", 0), ("[fe80::1%eth0]:7", "fe80::1%eth0", 7),
            ("4you:7", "4you", 7),
        ] as [(String, String, UInt16)])
    func accepted(text: String, host: String, port: UInt16) throws {
        let address = try HostPort(parsing: text)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.description == text)
    }

    @Test(
        "anything else is refused, and the message names it",
        arguments: [
            "", ":", "host", "host:", ":4000", "host:-1", "host:+1", "host:65536", "host:4000x", "host: 4000",
            "host:0x10",
            "2001:db8::1:4000", "[2001:db8::1]", "[2001:db8::1]:", "[2001:db8::1", "[host]:1", "[]:1", "[::1]4000",
            "[192.0.2.1]:1", "[::1%]:1", "[::1%a/b]:1", "[::1%waytoolonginterface]:1", "1.2.3:4", "256.1.1.1:4",
            "01.2.3.4:5", "1:2", "0x7f.1:2", "0x7f000001:2", "ho st:1", "höst:1", "host/path:1", "user@host:1",
            "a\0b:1",
            "http://host:1", "host:٤", String(repeating: "a", count: 254) + ":1",
        ])
    func refused(text: String) {
        let error = #expect(throws: SocketLinksError.self) { try HostPort(parsing: text) }
        guard case .badAddress(text, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains("\"\(text)\"") == true)
    }
}
