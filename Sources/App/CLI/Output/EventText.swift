import Application
import Domain

/// Events as lines for a person (spec: app §1.4).
enum EventText {
    /// One line, or more where a text has several; `name` is what the sender is called.
    static func text(of event: Event) -> String {
        switch event {
        case .publicMessage(let message): "\(head(message)) \(DisplayText.block(message.text))"
        case .privateMessage(let message): "\(head(message)) \(DisplayText.block(message.text))"
        case .status(let change):
            "\(LocalTime.clock(change.at)) -- \(DisplayText.line(change.id)): \(text(of: change.status))"
        case .file(let file):
            """
            \(LocalTime.clock(file.receivedAt)) <\(DisplayText.line(file.senderName))>\
            \(file.isPrivate ? " [private]" : "") sent \(DisplayText.line(file.name ?? "a file")) \
            (\(DisplayText.line(file.mime)), \(file.size) bytes): \(DisplayText.line(file.path))
            """
        case .peer(let change):
            "\(LocalTime.clock(change.at)) -- \(DisplayText.line(change.name)) (\(change.peer.hex)) \(text(of: change.kind))"
        }
    }

    private static func head(_ message: ChatMessage) -> String {
        let part = message.part.map { " (\($0.number)/\($0.count))" } ?? ""
        let secret = message.peer == nil ? "" : " [private]"
        return "\(LocalTime.clock(message.sentAt)) <\(DisplayText.line(message.senderName))>\(secret)\(part)"
    }

    /// A delivery status in words.
    static func text(of status: DeliveryStatus) -> String {
        switch status {
        case .sending: "sending"
        case .sent: "sent, not confirmed"
        case .carried: "with couriers, not confirmed"
        case .partiallySent(let sent, let total): "\(sent) of \(total) sent"
        case .delivered: "delivered"
        case .read: "read"
        case .failed(let reason): "failed: \(DisplayText.line(reason))"
        }
    }

    private static func text(of kind: PeerChange.Kind) -> String {
        switch kind {
        case .connected: "is connected"
        case .disconnected: "is not connected any more"
        case .appeared: "is here"
        case .left: "left"
        case .renamed: "has a new name"
        case .keyConflict: "announced itself with ANOTHER KEY; somebody may pose as this peer"
        case .secured: "speaks with us in private"
        }
    }
}
