/// Where a Bluetooth controller is reached, as people write it.
///
/// `auto` · `hci0` · `h4:/dev/ttyACM0,1000000` · `h4:tcp:HOST:PORT` · `h4:unix:PATH`
public enum AdapterAddress: Hashable, Sendable {
    /// The kernel's first adapter, whichever that is at the moment of opening; it may be plugged in later.
    case automatic
    /// The kernel's adapter `hciN`, through the HCI user channel.
    case userChannel(index: UInt16)
    /// H4 over a serial port, at so many bits a second, with RTS/CTS.
    case serial(path: String, baud: UInt32)
    /// H4 over TCP.
    case tcp(host: String, port: UInt16)
    /// H4 over a Unix socket.
    case unix(path: String)
}
