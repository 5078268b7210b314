import Domain
import KeyfileVault
import MediaFolder
import NativeCryptography

/// Destroys everything that this program keeps of a node: the keys first, without which nothing sealed opens any more, then
/// what they sealed, and what is not sealed.
///
/// It can be cut off at any point: the marks stay until all is gone, and the next start does the whole again before anything
/// else (spec: store-and-forward §8). Whoever wipes holds the ``HomeLock``.
struct PanicWipe {
    private let places: Places
    private let marks: PanicMarks
    private let vault: KeyfileVault<NativeCryptography>
    /// A folder for received files outside the data directory.
    private let media: String?
    /// The file with the packets of the Bluetooth adapters.
    private let packetLog: String?

    /// What people are told that a wipe takes, and what it leaves.
    static let extent = """
        Erased are the keys, and with them the identity; all messages, contacts, pins and mail, our own and what was \
        carried for others; received files; the packet log of the adapters, if one is written. The configuration file, \
        a passphrase file and what the system's journal holds of the log are not ours to erase. On flash memory \
        old blocks may outlive the files: what they hold of the stores is sealed under a key that is overwritten.
        """

    init(_ places: Places, _ configuration: Configuration?) {
        self.places = places
        marks = PanicMarks(places)
        vault = KeyfileVault(directory: places.data, cryptography: NativeCryptography())
        media = configuration?.mediaDirectory.map { Places.absolute($0, in: Environment.workingDirectory) }
        packetLog = configuration?.hciLog.map { Places.absolute($0, in: Environment.workingDirectory) }
    }

    /// Whether a wipe was begun and has to be finished before anything else.
    var isPending: Bool { marks.areSet }

    /// The part that counts: marks what is coming, and destroys the keys. Takes milliseconds.
    ///
    /// - Returns: What went wrong, in words.
    func destroyKeys() -> [String] {
        var faults = marks.set()
        do { try vault.destroy() } catch { faults.append(error.description) }
        return faults
    }

    /// Removes what the keys sealed and what was not sealed, and then the marks. Nothing may write there any more.
    ///
    /// - Parameter faults: What went wrong before.
    func erase(after faults: [String] = []) throws(Failure) {
        var left: [String] = []
        if let media { do { try MediaFolder.erase(root: media) } catch { left.append(error.description) } }
        // Who logs into a device keeps it.
        if let packetLog, SystemFile.isRegular(packetLog), let fault = SystemFile.remove(packetLog) {
            left.append(fault)
        }
        do throws(Failure) {
            // The lock is held, and a second file of its name could be locked beside it. It holds a process number.
            if SystemFile.exists(places.data) {
                try SystemFile.emptyDirectory(places.data, except: ["lock", PanicMarks.name], followingLink: true)
                if let fault = SystemFile.flushDirectory(places.data) { left.append(fault) }
            }
        } catch {
            left.append(error.message)
        }
        left += remains()
        // What was in the way of a mark, or of the vault before its folder was emptied, is no reason: all is gone. But what
        // could not be looked at counts as being there.
        guard left.isEmpty else {
            throw Failure(
                .inputOutput, "the wipe is not complete: \((faults + left).joined(separator: "; "))",
                hints: ["the keys are destroyed if nothing says otherwise", "the next start tries again: satchel run"])
        }
        try marks.clear()
    }

    /// What is still there, in words.
    private func remains() -> [String] {
        var remains = SystemFile.names(in: places.data).filter { !["lock", PanicMarks.name].contains($0) }
            .map { "\(places.data)/\($0) is still there" }
        if let packetLog, SystemFile.isRegular(packetLog) { remains.append("\(packetLog) is still there") }
        if let media, !MediaFolder.isErased(root: media) {
            remains.append("received files in \(media) are still there")
        }
        return remains
    }

    /// Finishes what an earlier run began.
    func finish() throws(Failure) { try erase(after: destroyKeys()) }

    /// Refuses to work on a home whose wipe is not finished.
    static func refuseIfPending(_ places: Places) throws(Failure) {
        guard PanicMarks(places).areSet else { return }
        throw Failure(
            .refused, "a wipe of \(places.data) was begun and is not finished",
            hints: ["finish it: satchel panic --now\(places.options)", "or start the node, which finishes it first"])
    }
}
