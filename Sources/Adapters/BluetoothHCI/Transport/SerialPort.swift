import CBluetooth
import Glibc

/// A controller on a serial port: eight data bits, no parity, one stop bit, RTS/CTS.
///
/// Source: Core Specification, Vol 4, Part A, 3.
enum SerialPort {
    /// Opens a port for this process alone, sets it up, and forgets what was on the way in it.
    static func open(_ path: String, baud: UInt32) throws(BluetoothError) -> Int32 {
        let address = AdapterAddress.serial(path: path, baud: baud)
        // Not blocking: without a carrier the open itself would wait for one.
        let descriptor = Glibc.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno, address) }
        do throws(BluetoothError) {
            guard isatty(descriptor) == 1 else { throw BluetoothError.notASerialPort(address) }
            guard AdapterClaim.lock(descriptor) else { throw failure(EBUSY, address) }
            // For programs that do not ask for locks. It does not hold off those with CAP_SYS_ADMIN.
            _ = ioctl(descriptor, UInt(TIOCEXCL))
            try configure(descriptor, baud: baud, address)
            tcflush(descriptor, TCIOFLUSH)
            return descriptor
        } catch {
            OpenedAdapter(descriptor: descriptor, kind: .serial).close()
            throw error
        }
    }

    private static func failure(_ code: Int32, _ address: AdapterAddress) -> BluetoothError {
        switch code {
        case ENOENT, ENODEV, ENXIO, ENOTDIR: .missing(address)
        case EBUSY: .busy(address, process: AdapterDirectory().holder(of: address))
        case EACCES, EPERM: .notPermitted(address)
        case EISDIR: .notASerialPort(address)
        default: .system(action: "open", subject: "\(address)", code: code)
        }
    }

    private static func configure(_ descriptor: Int32, baud: UInt32, _ address: AdapterAddress) throws(BluetoothError) {
        var state = termios()
        guard tcgetattr(descriptor, &state) == 0 else { throw failure(errno, address) }
        cfmakeraw(&state)
        state.c_cflag &= ~tcflag_t(CSTOPB)
        state.c_cflag |= tcflag_t(CREAD) | tcflag_t(CLOCAL) | tcflag_t(CRTSCTS)
        // A read without data must say so (EAGAIN): with a minimum of 0 it would answer 0, which also means hung up.
        withUnsafeMutableBytes(of: &state.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        guard tcsetattr(descriptor, TCSANOW, &state) == 0 else { throw failure(errno, address) }
        try setSpeed(descriptor, baud, address)
        // The call succeeds when any part of it does, so look. RTS/CTS is not looked for: ports over USB have none and
        // lose nothing, and where a byte is lost the framing is, which is noticed.
        guard tcgetattr(descriptor, &state) == 0 else { throw failure(errno, address) }
        let isRaw = state.c_lflag & tcflag_t(ICANON | ECHO | ISIG) == 0 && state.c_oflag & tcflag_t(OPOST) == 0
        guard isRaw, state.c_cflag & tcflag_t(CSIZE | PARENB) == tcflag_t(CS8) else {
            throw .notASerialPort(address)
        }
    }

    private static func setSpeed(_ descriptor: Int32, _ baud: UInt32, _ address: AdapterAddress) throws(BluetoothError)
    {
        // One way for every speed: the constants that termios has for some of them add nothing to the number itself.
        let actual = serial_set_speed(descriptor, baud)
        guard actual >= 0 else {
            throw errno == EINVAL
                ? .badSpeed(address) : .system(action: "set the speed of", subject: "\(address)", code: errno)
        }
        let wanted = Int64(baud)
        guard abs(actual - wanted) * 1000 <= wanted * Int64(BluetoothPolicy.speedTolerance) else {
            throw .badSpeed(address)
        }
    }
}
