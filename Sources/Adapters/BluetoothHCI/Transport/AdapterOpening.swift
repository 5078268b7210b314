import Glibc

/// Opens adapters.
enum AdapterOpening {
    /// Opens an adapter for this process alone.
    ///
    /// Waits: for a connection at most ``BluetoothPolicy/connectTimeout``, for the name of a host as long as the
    /// resolver does. So it is not for a queue that has other work.
    static func open(_ address: AdapterAddress) throws(BluetoothError) -> OpenedAdapter {
        switch address {
        case .automatic:
            // Found anew at each attempt: what was not there the last time may be there now.
            let index = try AdapterDirectory().firstAdapter()
            var opened = try UserChannel.open(index)
            opened.choice = .userChannel(index: index)
            return opened
        case .userChannel(let index):
            return try UserChannel.open(index)
        case .serial(let path, let baud):
            return OpenedAdapter(descriptor: try SerialPort.open(path, baud: baud), kind: .serial)
        case .tcp(let host, let port):
            return OpenedAdapter(descriptor: try ControllerSocket.open(host: host, port: port), kind: .stream)
        case .unix(let path):
            return OpenedAdapter(descriptor: try ControllerSocket.open(path: path), kind: .stream)
        }
    }
}
