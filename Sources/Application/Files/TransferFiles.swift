import Domain

/// Files for everyone: ours leave in fragments, theirs are checked, stored and only then shown.
///
/// Source: spec, packet §4.5; app §10.
final class TransferFiles<C: Cryptography> {
    private let localPeer: PeerID
    private let signers: Signers<C>
    private let signatures: SignatureCheck<C>
    private let transmitter: Transmitter<C>
    private let names: DisplayNames
    private let ports: NodePorts
    private let counters: Counters
    private let cryptography: C
    /// Whether files are only passed on: nobody here reads them.
    var isForRelay = false
    /// Accepted files on their way to the disk.
    private var storing: [FileTicket: ReceivedFile] = [:]
    /// Files that arrived lately: their fragments can be replayed, and the seen-set is short.
    private var seen = RecentIDs()
    /// Files that may be on their way to the disk at once. [ours]: each holds up to a megabyte.
    static var maximumStoring: Int { 16 }

    init(
        localPeer: PeerID, signers: Signers<C>, signatures: SignatureCheck<C>, transmitter: Transmitter<C>,
        names: DisplayNames, ports: NodePorts, counters: Counters, cryptography: C
    ) {
        self.localPeer = localPeer
        self.signers = signers
        self.signatures = signatures
        self.transmitter = transmitter
        self.names = names
        self.ports = ports
        self.counters = counters
        self.cryptography = cryptography
    }

    // MARK: Sending

    /// Sends a file to everyone; answers the identifier under which its status is told.
    func send(_ content: [UInt8], name: String, mime: String) throws(Refusal) -> String {
        guard !content.isEmpty else { throw .invalid("the file is empty") }
        guard let file = FilePacket(fileName: name, mimeType: mime, content: content) else {
            throw .tooLong(bytes: content.count, limit: FilePacket.maximumContentLength)
        }
        guard MediaType(accepting: file) != nil else {
            throw .invalid("the content does not look like \(mime); receivers would drop it")
        }
        if let hold = transmitter.hold { throw hold }
        guard transmitter.links.count > 0 else { throw .nobodyHere }
        let limit = transmitter.maximumFileContent
        // Receivers would give up before the last piece, and nobody would be told.
        guard content.count <= limit else { throw .tooLong(bytes: content.count, limit: limit) }
        let packet = transmitter.makePacket(
            .fileTransfer, payload: file.encoded, version: PacketPolicy.version2)
        guard let signed = transmitter.sign(packet) else {
            throw .tooLong(bytes: content.count, limit: FilePacket.maximumContentLength)
        }
        let id = SyncID(of: packet, using: cryptography).hex
        tell(.sending, id)
        guard transmitter.send(signed, transfer: .named(id)) else {
            tell(.failed(reason: "too many files are waiting to leave"), id)
            throw .busy("too many files are waiting to leave")
        }
        return id
    }

    /// The last fragment of a train is on its way, or none could leave.
    func left(_ train: FragmentTrains.Train) {
        guard train.isOwn, case .named(let id) = train.transfer else { return }
        let isWhole = train.accepted == train.plan.count
        let cause = transmitter.hold == nil ? "the links went down" : "the clock turned out to be wrong"
        tell(
            isWhole
                ? .sent : .failed(reason: "\(train.accepted) of \(train.plan.count) pieces left; \(cause)"),
            id)
    }

    private func tell(_ status: DeliveryStatus, _ id: String) {
        _ = ports.journal.append(
            .event(.status(MessageStatusChange(id: id, peer: nil, status: status, at: ports.clock.wall))))
    }

    // MARK: Receiving

    /// Files on their way to the disk.
    var storingCount: Int { storing.count }

    /// Takes a file; one whose sender cannot be checked is neither kept nor passed on.
    func receive(_ packet: Inbound) -> Handling {
        guard let key = signers.key(of: packet.sender) else {
            counters.add(.droppedUnknownSigner)
            return .stop
        }
        guard packet.sender != localPeer, signatures.passes(packet, by: key) else { return .stop }
        guard !isForRelay else {
            counters.add(.notTakenByRelay)
            return .relayable
        }
        let isPrivate = packet.view.recipient == localPeer
        guard isPrivate || packet.view.isBroadcast else { return .relayable }
        guard let file = FilePacket(packet.payload), let type = MediaType(accepting: file),
            storing.count < Self.maximumStoring
        else {
            counters.add(.droppedFile)
            return .relayable
        }
        keep(file, type, packet, isPrivate: isPrivate)
        return .relayable
    }

    private func keep(_ file: FilePacket, _ type: MediaType, _ packet: Inbound, isPrivate: Bool) {
        let id = SyncID(
            type: packet.type, sender: packet.sender, timestamp: packet.view.timestamp, payload: packet.payload.span,
            using: cryptography)
        guard seen.insert(MessageID(id.hex)) else { return counters.add(.droppedDuplicate) }
        let safe = FileName(
            sanitizing: file.fileName, type: type, fallbackStem: "\(type.category.rawValue)_\(id.hex.prefix(16))",
            using: ports.normalization)
        let ticket = ports.files.store(file.content, name: safe.text, category: FileCategory(type.category))
        storing[ticket] = ReceivedFile(
            id: id.hex, sender: packet.sender, senderName: names.display(packet.sender), isPrivate: isPrivate,
            name: file.fileName, mime: (file.mimeType ?? "").lowercased(), size: file.content.count,
            sha256: cryptography.sha256(file.content.span), path: "", sentAt: packet.view.timestamp,
            receivedAt: ports.clock.wall)
    }

    /// A file is on the disk.
    func stored(_ ticket: FileTicket, path: String) {
        guard var file = storing.removeValue(forKey: ticket) else { return }
        file.path = path
        counters.add(.filesReceived)
        _ = ports.journal.append(.event(.file(file)))
    }

    /// A file could not be written.
    func failed(_ ticket: FileTicket, reason: String) {
        guard let file = storing.removeValue(forKey: ticket) else { return }
        counters.add(.droppedFile)
        seen.remove(MessageID(file.id))
        ports.events.emit(.log(.error, "a file of \(file.size) bytes from \(file.sender) was not kept: \(reason)"))
    }
}

extension FileCategory {
    init(_ category: MediaType.Category) {
        switch category {
        case .image: self = .image
        case .audio: self = .audio
        case .file: self = .file
        }
    }
}
