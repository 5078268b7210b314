import Application
import Domain
import Testing

@testable import App

@Suite("Chat state")
struct ChatStateTests {
    private let own = PeerID(rawValue: 0x00FF_0000_0000_0001)
    private let bob = PeerID(rawValue: 0x1A2B_0000_0000_0002)
    private let eve = PeerID(rawValue: 0x9999_0000_0000_0003)

    private func chat() -> ChatState { ChatState(own: own, nickname: "anna") }

    private func message(
        _ id: String, _ text: String, from sender: PeerID, name: String = "bob", with peer: PeerID? = nil,
        at time: UInt64 = 1000, own: Bool = false
    ) -> ChatMessage {
        ChatMessage(
            id: id, sender: sender, senderName: name, peer: peer, text: text, sentAt: WallTime(milliseconds: time),
            receivedAt: WallTime(milliseconds: time), isOwn: own)
    }

    private func shown(_ effects: [ChatState.Effect]) -> [String] {
        effects.compactMap { effect in
            guard case .show(let row) = effect else { return nil }
            return ChatRowText(columns: 80, usesColour: false, clock: { _ in "T" }).text(of: row)
        }
    }

    private func take(_ state: inout ChatState, _ event: Event, _ sequence: UInt64 = 1, old: Bool = false)
        -> [ChatState.Effect]
    {
        state.take(LoggedEvent(sequence: sequence, event: event), isOld: old)
    }

    @Test("a public message is shown in the mesh, once")
    func publicMessage() {
        var state = chat()
        let event = Event.publicMessage(message("1", "hello", from: bob))
        #expect(shown(take(&state, event)) == ["T <bob#1a2b> hello"])
        #expect(take(&state, event) == [])
        #expect(state.rows(of: .mesh).count == 1)
    }

    @Test("a private message opens no view: it is announced once, with the bell, and counted")
    func announced() {
        var state = chat()
        let first = take(&state, .privateMessage(message("1", "psst", from: bob, with: bob)), 7)
        #expect(shown(first) == ["-- bob#1a2b wrote to you; /open bob#1a2b"])
        #expect(first.contains(.bell))
        #expect(take(&state, .privateMessage(message("2", "hey", from: bob, with: bob)), 8) == [])
        #expect(state.unread(in: .direct(bob)) == 2)
        #expect(state.prompt == "mesh (2)> ")
        #expect(state.firstUnread == 7)
    }

    @Test("everything that opening a view acknowledges is among the rows to be shown, and the list is bounded")
    func unreadRows() {
        var state = chat()
        #expect(state.unreadRows(in: .direct(bob)) == 0)
        for number in 0..<ChatBuffer.capacity + 5 {
            let received = message("\(number)", "x", from: bob, with: bob)
            _ = take(&state, .privateMessage(received), UInt64(number) + 1)
        }
        #expect(state.unread(in: .direct(bob)) == ChatBuffer.capacity)
        #expect(state.unreadRows(in: .direct(bob)) == ChatBuffer.capacity)
        #expect(state.firstUnread == 1)
        let seen = (5..<ChatBuffer.capacity + 5).map(String.init)
        #expect(state.open(.direct(bob)) == [.markRead(bob, seen)])
        #expect(state.unreadRows(in: .direct(bob)) == 0)
        #expect(state.firstUnread == nil)
    }

    @Test("opening the thread acknowledges what was not seen, and each later message as it is shown")
    func receipts() {
        var state = chat()
        for number in 1...2 {
            _ = take(&state, .privateMessage(message("\(number)", "x", from: bob, with: bob)), UInt64(number))
        }
        let opened = state.open(.direct(bob))
        #expect(opened == [.markRead(bob, ["1", "2"])])
        #expect(state.firstUnread == nil)
        #expect(state.prompt == "bob#1a2b> ")
        let effects = take(&state, .privateMessage(message("3", "y", from: bob, with: bob)), 3)
        #expect(effects.last == .markRead(bob, ["3"]))
        #expect(shown(effects) == ["T <bob#1a2b> y"])
        let again = state.open(.direct(bob))
        #expect(again == [])
    }

    @Test("messages of the mesh behind a thread are counted and not shown")
    func behind() {
        var state = chat()
        _ = state.open(.direct(bob))
        #expect(take(&state, .publicMessage(message("1", "hello", from: eve))) == [])
        #expect(state.prompt == "anon#1a2b (1)> ")
        let didClose = state.close()
        #expect(didClose)
        #expect(state.prompt == "mesh> ")
        let again = state.close()
        #expect(!again)
    }

    @Test("one's own messages are neither unread nor acknowledged, and carry their status")
    func ownMessages() {
        var state = chat()
        _ = state.open(.direct(bob))
        let effects = take(
            &state, .privateMessage(message("1", "hi there", from: own, name: "anna", with: bob, own: true)))
        #expect(shown(effects) == ["T <anna#00ff> hi there  […]"])
        #expect(effects.count == 1)
        func change(_ status: DeliveryStatus) -> [String] {
            shown(
                take(
                    &state,
                    .status(
                        MessageStatusChange(id: "1", peer: bob, status: status, at: WallTime(milliseconds: 2000)))))
        }
        #expect(change(.sent) == [])
        #expect(change(.carried) == ["-- » carried, no confirmation: hi there"])
        #expect(change(.delivered) == ["-- ✓✓ delivered: hi there"])
        #expect(change(.delivered) == [])
        #expect(change(.read) == ["-- ✓✓ read: hi there"])
        #expect(state.rows(of: .direct(bob)).last?.status == .read)
    }

    @Test("the status of a message elsewhere, or of none, says nothing here")
    func otherStatus() {
        var state = chat()
        let change = MessageStatusChange(id: "9", peer: bob, status: .read, at: WallTime(milliseconds: 1))
        #expect(take(&state, .status(change)) == [])
        _ = take(&state, .privateMessage(message("9", "hi", from: own, with: bob, own: true)))
        #expect(take(&state, .status(change)) == [])
        #expect(state.rows(of: .direct(bob)).first?.status == .read)
    }

    @Test("a mention is marked and rings, at most once in ten seconds")
    func mention() {
        var state = chat()
        func mention(_ id: String, at time: UInt64) -> [ChatState.Effect] {
            take(&state, .publicMessage(message(id, "hi @anna", from: bob, at: time)))
        }
        #expect(mention("1", at: 1000).contains(.bell))
        #expect(!mention("2", at: 10_999).contains(.bell))
        #expect(mention("3", at: 11_000).contains(.bell))
        #expect(state.rows(of: .mesh).allSatisfy { $0.isMention })
        // From somebody with our own name it is an echo of ours.
        #expect(
            !take(&state, .publicMessage(message("4", "@anna", from: bob, name: "anna", at: 99_000))).contains(.bell))
    }

    @Test("a mention in the mesh is announced in a thread")
    func mentionElsewhere() {
        var state = chat()
        _ = state.open(.direct(bob))
        let effects = take(&state, .publicMessage(message("1", "@anna?", from: eve)))
        #expect(shown(effects) == ["-- you are mentioned in the mesh; /close shows it"])
        #expect(effects.contains(.bell))
    }

    @Test("a gesture keeps its sender's name in public, and stays as it came in private")
    func emotes() {
        var state = chat()
        let gesture = "* 🫂 panic: identity wiped *"
        #expect(
            shown(take(&state, .publicMessage(message("1", gesture, from: bob))))
                == ["T * bob#1a2b: 🫂 panic: identity wiped"])
        _ = state.open(.direct(bob))
        #expect(
            shown(take(&state, .privateMessage(message("2", gesture, from: bob, with: bob))))
                == ["T <bob#1a2b> \(gesture)"])
        let hug = take(&state, .privateMessage(message("3", "* 🫂 bob hugs you *", from: bob, with: bob)))
        #expect(hug.contains(.bell))
    }

    @Test("the past is filed without a sound, and unread only when it is new")
    func past() {
        var state = chat()
        #expect(take(&state, .privateMessage(message("1", "old", from: bob, with: bob)), 1, old: true) == [])
        #expect(take(&state, .publicMessage(message("2", "old @anna", from: bob)), 2, old: true) == [])
        #expect(state.unread(in: .direct(bob)) == 0)
        #expect(state.rows(of: .direct(bob)).count == 1)
        #expect(state.rows(of: .mesh).count == 1)
    }

    @Test("a file is shown with its place, in the view where it belongs")
    func files() {
        var state = chat()
        func file(_ id: String, isPrivate: Bool) -> Event {
            .file(
                ReceivedFile(
                    id: id, sender: bob, senderName: "bob", isPrivate: isPrivate, name: "a.png", mime: "image/png",
                    size: 12, sha256: Bytes32(high: 0, low: 0), path: "/data/a.png",
                    sentAt: WallTime(milliseconds: 1), receivedAt: WallTime(milliseconds: 2)))
        }
        #expect(
            shown(take(&state, file("1", isPrivate: false)))
                == ["T <bob#1a2b> sent a.png (image/png, 12 bytes): /data/a.png"])
        #expect(shown(take(&state, file("2", isPrivate: true))) == ["-- bob#1a2b wrote to you; /open bob#1a2b"])
    }

    @Test("who comes and goes is told in the mesh; another key behind a name is an alarm everywhere")
    func peers() {
        var state = chat()
        func change(_ kind: PeerChange.Kind) -> [ChatState.Effect] {
            take(&state, .peer(PeerChange(kind: kind, peer: bob, name: "bob", at: WallTime(milliseconds: 1))))
        }
        #expect(shown(change(.connected)) == ["-- bob#1a2b is connected"])
        #expect(change(.left).contains(.refreshPeers))
        #expect(shown(change(.secured)) == [])
        _ = state.open(.direct(bob))
        #expect(shown(change(.left)) == [])
        #expect(shown(change(.secured)) == ["-- the line to bob#1a2b is secured"])
        let alarm = change(.keyConflict)
        #expect(shown(alarm).first?.hasPrefix("-- !! bob#1a2b") ?? false)
        #expect(alarm.contains(.bell))
        #expect(state.unread(in: .mesh) == 0)
    }

    @Test("a view keeps its newest 1337 rows")
    func capacity() {
        var state = chat()
        for number in 0..<1400 { _ = take(&state, .publicMessage(message("\(number)", "x", from: bob))) }
        #expect(state.rows(of: .mesh).count == 1337)
        #expect(state.rows(of: .mesh).last?.id == "1399")
        state.clear()
        #expect(state.rows(of: .mesh) == [])
    }

    @Test("a local line goes to the view it belongs to, whatever is open")
    func local() {
        var state = chat()
        _ = state.open(.direct(bob))
        let elsewhere = state.addLocal(.local("pong"), to: .mesh)
        let here = state.addLocal(.local("pong"), to: .direct(bob))
        #expect(elsewhere == [])
        #expect(shown(here) == ["-- pong"])
        #expect(state.rows(of: .mesh) == [.local("pong")])
        #expect(state.unread(in: .mesh) == 0)
    }

    @Test("a hostile name cannot break the prompt")
    func prompt() {
        var state = chat()
        _ = take(&state, .privateMessage(message("1", "x", from: bob, name: "a\u{1B}[2J\nb", with: bob)))
        _ = state.open(.direct(bob))
        #expect(state.prompt == "a\u{FFFD}[2J\u{FFFD}b#1a2b> ")
    }
}

@Suite("Chat roster")
struct ChatRosterTests {
    private func peer(_ id: String, _ nickname: String, _ displayName: String? = nil, connected: Bool = true)
        -> JSONValue
    {
        .object([
            "id": .string(id), "nickname": .string(nickname), "displayName": .string(displayName ?? nickname),
            "fingerprint": .string(String(repeating: "ab", count: 32)), "noiseKey": .string(id + "cc"),
            "isConnected": .bool(connected), "isReachable": .bool(connected), "isSecure": .bool(false),
        ])
    }

    private var roster: ChatRoster {
        ChatRoster(
            .object([
                "peers": [
                    peer("1a2b000000000001", "bob", "bob#1a2b"), peer("9999000000000002", "bob", "bob#9999"),
                    peer("3333000000000003", "zo\u{EB}"), peer("4444000000000004", "away", connected: false),
                    .object(["nickname": "no identifier"]),
                ]
            ]))
    }

    @Test("a name, a name with suffix, an identifier and a key are understood")
    func one() {
        let zoe = ChatRoster.Match.one(PeerID(rawValue: 0x3333_0000_0000_0003))
        #expect(roster.match("zo\u{EB}") == zoe)
        #expect(roster.match("zoe\u{308}") == zoe)
        #expect(roster.match("zo\u{EB}#3333") == zoe)
        #expect(roster.match("3333000000000003") == zoe)
        #expect(roster.match("3333000000000003CC") == zoe)
        #expect(roster.match("bob#9999") == .one(PeerID(rawValue: 0x9999_0000_0000_0002)))
    }

    @Test("an ambiguous name is refused with the candidates, an unknown one is none")
    func others() {
        #expect(roster.match("bob") == .several(["bob#1a2b (1a2b000000000001)", "bob#9999 (9999000000000002)"]))
        #expect(roster.match("Zo\u{EB}") == .none)
        #expect(roster.match("") == .none)
        #expect(roster.match("00112233445566") == .none)
        #expect(roster.match("0011223344556677") == .one(PeerID(rawValue: 0x0011_2233_4455_6677)))
    }

    @Test("nobody is reached under another's identifier, key or digits, whatever they call themselves")
    func borrowed() {
        let key = String(repeating: "ab", count: 32)
        for name in ["1a2b000000000001", key, "bob#1a2b", "bob#1A2B"] {
            let eve = JSONValue.object([
                "id": "9999000000000009", "nickname": .string(name), "displayName": .string(name), "isConnected": true,
            ])
            let roster = ChatRoster(.object(["peers": [eve]]))
            #expect(roster.match(name) != .one(PeerID(rawValue: 0x9999_0000_0000_0009)), "\(name)")
            #expect(roster.match("9999000000000009") == .one(PeerID(rawValue: 0x9999_0000_0000_0009)))
        }
    }

    @Test("those who are here are listed by code point, without those who are away")
    func names() {
        #expect(roster.names == ["bob#1a2b", "bob#9999", "zo\u{EB}"])
    }
}
