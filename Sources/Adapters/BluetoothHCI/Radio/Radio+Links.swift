import Application
import Domain

/// What connections ask of their radio, and the node of its links.
extension Radio {
    // MARK: From the node

    /// Frames were left for links of ours.
    func fetch() {
        let links = settings.desk.takeUnfetched(of: settings.number)
        guard !links.isEmpty, let controller else { return }
        for connection in connections where connection.openLinks.contains(where: links.contains) {
            controller.wantsToSend(on: connection.handle)
        }
    }

    /// The node closes a link.
    func close(_ link: LinkID) {
        connections.first { $0.openLinks.contains(link) }?.close(link)
        statusChanged()
    }

    // MARK: From connections

    /// A link of a connection comes up.
    func open(_ role: RadioConnection.Role, on connection: RadioConnection, frameLimit: Int) -> LinkID {
        let link = settings.nextLinkID()
        settings.desk.open(link, radio: settings.number, frameLimit: frameLimit)
        settings.handlers.linkUp(
            LinkDescription(
                id: link, frameLimit: frameLimit, isOutgoing: role == .client, name: name(of: connection.peer),
                device: connection.peer.description))
        statusChanged()
        return link
    }

    /// A link is gone.
    func ended(_ link: LinkID, _ reason: String) {
        settings.desk.close(link)
        settings.handlers.linkDown(link, reason)
        statusChanged()
    }

    /// A frame came in.
    func deliver(_ frame: [UInt8], on link: LinkID) {
        countFrame(isSent: false)
        seeking.traffic.record(at: timers.now)
        settings.handlers.frame(frame, link)
    }

    /// The oldest frame that the node left for a link.
    func nextFrame(of link: LinkID) -> (frame: [UInt8], isNoticeDue: Bool)? {
        settings.desk.nextFrame(of: link)
    }

    func reportWritable(_ link: LinkID) { settings.handlers.linkWritable(link) }

    func wantsToSend(_ connection: RadioConnection) { controller?.wantsToSend(on: connection.handle) }

    func update(_ parameters: ConnectionParameters, of connection: RadioConnection) {
        controller?.updateParameters(of: connection.handle, parameters)
    }

    /// A connection is of no use any more.
    func disconnect(_ connection: RadioConnection) {
        controller?.disconnect(connection.handle, reason: .remoteUserTerminated)
    }

    /// The set-up of our side failed: without a link the other way round the connection is worth nothing.
    func clientFailed(_ connection: RadioConnection, _ failure: GATTFailure) {
        log(.debug, "\(name(of: connection.peer)): \(failure)")
        if !connection.isInUse || failure.isFatal { disconnect(connection) }
    }
}
