import Application
import Domain
import InMemory
import NativeCryptography
import Testing
import ZlibCompression

/// A node under test and its neighbours: some with a right clock, some that lie.
private struct ClockWorld {
    static let year = Milliseconds(365 * 86_400_000)

    let world = RealWorld.real()
    let node: RealMember
    var friends: [RealMember] = []
    /// Hears everything that leaves the node, and says nothing.
    let ear: Stranger
    /// Frames of the node's own with their distance to its wall clock at their arrival.
    let heard = Heard()

    /// What the ear heard.
    final class Heard {
        var types: [MessageType] = []
        var errors: [UInt64] = []
    }

    /// Puts the node and its friends together; nothing has been said yet.
    ///
    /// - Parameter skew: How far the node's clock is ahead when it starts.
    init(friends count: Int, skew: Milliseconds = 0, floor: WallTime = WallTime(milliseconds: 0)) {
        node = world.addNode("pi")
        ear = Stranger(world, seed: 7)
        friends = (0..<count).map { world.addNode("friend\($0)") }
        restart(skew: skew, floor: floor)
    }

    /// Boots the node with another clock, and joins everybody to it.
    func restart(skew: Milliseconds, floor: WallTime = WallTime(milliseconds: 0)) {
        node.crash(in: world)
        node.notices.clear()
        node.clock.skew = skew
        node.clockFloor = floor
        node.start()
        let (heard, clock, id) = (heard, node.clock, node.id)
        ear.endpoint.frame = { frame, _ in
            guard let view = PacketView(frame), view.sender == id else { return }
            heard.types.append(view.type)
            heard.errors.append(view.timestamp.distance(to: clock.wall))
        }
        _ = ear.join(node)
        for friend in friends { _ = world.connect(node, friend) }
    }

    /// A neighbour that announces another time every few seconds, under one identity or several.
    func addLiar(error: Milliseconds, identities: Int = 1, seed: UInt64) -> Liar {
        let liar = Liar(world, error: error, identities: identities, seed: seed)
        _ = liar.stranger.join(node)
        return liar
    }

    /// Runs while the liars speak.
    func run(for span: Milliseconds, liars: [Liar] = []) {
        var left = span.count
        while left > 0 {
            for liar in liars { liar.speak() }
            world.time.run(for: Milliseconds(min(left, 1500)))
            left -= 1500
        }
    }

    var judgement: ClockJudgement? { node.node?.report.clock.judgement }
    var warnings: [String] { node.notices.lines(atLeast: .warning).filter { $0.contains("clock") } }
}

/// Somebody on one link whose announces show another time.
private final class Liar {
    let stranger: Stranger
    private let error: Milliseconds
    private let identities: [IdentityKeys<NativeCryptography>]
    private var turn = 0

    init(_ world: RealWorld, error: Milliseconds, identities: Int, seed: UInt64) {
        stranger = Stranger(world, seed: seed)
        self.error = error
        let (cryptography, dice) = (stranger.cryptography, SeededRandomness(seed: seed + 1000))
        self.identities = (0..<identities).map { _ in
            IdentityKeys(
                noise: cryptography.makeSecret(count: 32, from: dice),
                signing: cryptography.makeSecret(count: 32, from: dice),
                data: cryptography.makeSecret(count: 32, from: dice))
        }
    }

    /// Announces the next identity.
    func speak() {
        let keys = identities[turn % identities.count]
        turn += 1
        let cryptography = stranger.cryptography
        let noise = cryptography.agreementPublicKey(of: keys.noise)
        let time = Int64(clamping: stranger.now.milliseconds) + error.count
        stranger.send(
            stranger.announce(
                name: "liar", noiseKey: noise, signingKey: cryptography.signingPublicKey(of: keys.signing),
                sender: PeerID(of: noise, using: cryptography),
                at: WallTime(milliseconds: UInt64(clamping: time))), signingWith: keys.signing)
    }
}

@Suite("A node with a wrong clock")
struct WrongClockTests {
    /// Met its friends, then lost power and booted a year behind.
    private func bootedAYearBehind() -> ClockWorld {
        let scene = ClockWorld(friends: 3)
        scene.world.time.run(for: .seconds(10))
        scene.restart(skew: Milliseconds(-ClockWorld.year.count))
        scene.world.time.run(for: .seconds(10))
        return scene
    }

    @Test("boots a year behind: three neighbours show it, and nothing of ours leaves")
    func held() throws {
        let scene = bootedAYearBehind()
        let node = try #require(scene.node.node)
        let judgement = try #require(scene.judgement)
        #expect(judgement.reason == .neighboursDisagree)
        #expect((judgement.offset ?? 0).count.distance(to: ClockWorld.year.count).magnitude < 1000)
        #expect(scene.warnings.count == 1)
        scene.heard.types.removeAll()
        let open = try node.sendPublic("open")
        let secret = try #require(node.sendPrivate("secret", to: scene.friends[0].id).first)
        scene.world.time.run(for: .seconds(300))
        #expect(scene.heard.types == [])
        #expect(scene.node.statuses(of: open) == [.sending])
        #expect(scene.node.statuses(of: secret) == [.sending])
        #expect(node.report.heldMessages == 1)
        #expect(node.report.queuedMessages == 1)
        #expect(scene.warnings.count == 1)
    }

    @Test("what was held leaves in its order once the clock was set, and arrives")
    func released() throws {
        let scene = bootedAYearBehind()
        let node = try #require(scene.node.node)
        let texts = (1...5).map { "number \($0)" }
        let open = try texts.map { try node.sendPublic($0) }
        let secret = try texts.flatMap { try node.sendPrivate($0, to: scene.friends[1].id) }
        scene.world.time.run(for: .seconds(200))
        scene.heard.types.removeAll()
        scene.node.clock.jump(by: ClockWorld.year)
        let isDelivered = scene.world.run(atMost: .seconds(60)) {
            secret.allSatisfy { scene.node.statuses(of: $0).last == .delivered }
        }
        #expect(isDelivered)
        #expect(scene.judgement?.reason == .neighboursAgree)
        #expect(scene.heard.types.first == .announce)
        #expect(open.allSatisfy { scene.node.statuses(of: $0) == [.sending, .sent] })
        for friend in scene.friends { #expect(friend.publicTexts == texts) }
        #expect(scene.friends[1].privateTexts == texts)
        #expect(scene.node.notices.lines().filter { $0.contains("taken for right again") }.count == 1)
    }

    @Test("every packet that left carries the node's own time, before, during and after")
    func ownTime() throws {
        let scene = bootedAYearBehind()
        _ = try #require(scene.node.node).sendPublic("held")
        scene.world.time.run(for: .seconds(30))
        scene.node.clock.jump(by: ClockWorld.year)
        scene.world.time.run(for: .seconds(30))
        #expect(scene.heard.types.contains(.message))
        #expect(scene.heard.errors.count > 5)
        #expect(scene.heard.errors.allSatisfy { $0 < 1000 })
    }

    @Test("a send right after the clock was set need not wait for a tick")
    func atOnce() throws {
        let scene = bootedAYearBehind()
        let node = try #require(scene.node.node)
        _ = try node.sendPublic("first")
        scene.node.clock.jump(by: ClockWorld.year)
        _ = try node.sendPublic("second")
        scene.world.time.run(for: .seconds(2))
        #expect(scene.friends[0].publicTexts == ["first", "second"])
    }

    @Test("a clock that is set wrong while the node runs holds the very next message")
    func setWrong() throws {
        let scene = ClockWorld(friends: 3)
        scene.world.time.run(for: .seconds(20))
        let node = try #require(scene.node.node)
        #expect(scene.judgement?.reason == .neighboursAgree)
        scene.node.clock.jump(by: Milliseconds(-86_400_000))
        _ = try node.sendPublic("too early")
        #expect(node.report.heldMessages == 1)
        scene.world.time.run(for: .seconds(10))
        #expect(scene.friends[0].publicTexts.isEmpty)
        scene.node.clock.jump(by: Milliseconds(86_400_000))
        scene.world.time.run(for: .seconds(10))
        #expect(scene.friends[0].publicTexts == ["too early"])
    }

    @Test("files, pings and strangers' names are refused with the reason and the remedy")
    func refusals() throws {
        let scene = bootedAYearBehind()
        let node = try #require(scene.node.node)
        func check(_ body: () throws -> Void) {
            let refusal = #expect(throws: Refusal.self) { try body() }
            guard case .clockWrong(let reason)? = refusal else {
                Issue.record("refused for \(String(describing: refusal))")
                return
            }
            #expect(reason.contains("slow") && reason.contains("--trust-clock"))
        }
        check { _ = try node.sendFile([1, 2, 3], name: "a.bin", mime: "application/octet-stream") }
        check { _ = try node.ping(scene.friends[0].id) }
        check { _ = try node.resolve("nobody") }
        check { _ = try node.sendPrivate("x", to: PeerID(rawValue: 5)) }
    }

    @Test("what waits for the clock is bounded, and given up when the node stops")
    func bounded() throws {
        let scene = bootedAYearBehind()
        let node = try #require(scene.node.node)
        let ids = try (0..<ClockPolicy.heldMessages).map { try node.sendPublic("number \($0)") }
        #expect(throws: Refusal.busy("too many messages wait for a right clock")) { _ = try node.sendPublic("more") }
        let types = scene.heard.types.count
        node.stop()
        scene.world.time.run(for: .seconds(1))
        #expect(scene.heard.types.count == types, "no goodbye either")
        #expect(ids.allSatisfy { scene.node.statuses(of: $0).count == 2 })
    }

    @Test("what others write is still passed on by the guard's rules, and counted")
    func relaying() throws {
        let scene = bootedAYearBehind()
        let before = scene.node.counter(.droppedClockSkew)
        _ = try #require(scene.friends[0].node).sendPublic("for the others")
        scene.world.time.run(for: .seconds(1))
        #expect(scene.node.counter(.droppedClockSkew) > before)
        #expect(scene.friends[1].publicTexts.isEmpty)
    }
}

@Suite("Witnesses of a wrong clock")
struct ClockWitnessTests {
    @Test(
        "liars who are too few move nothing, whatever they claim",
        arguments: [(3, 1, 1), (3, 2, 1), (3, 1, 50), (0, 1, 50), (0, 2, 1), (0, 2, 50), (2, 2, 1)])
    func liars(friends: Int, liars: Int, identities: Int) throws {
        let scene = ClockWorld(friends: friends)
        let crowd = (0..<liars).map {
            scene.addLiar(error: ClockWorld.year, identities: identities, seed: UInt64($0) + 20)
        }
        scene.run(for: .seconds(90), liars: crowd)
        #expect(scene.judgement?.isWrong == false)
        #expect(scene.judgement?.reason == (friends > liars ? .neighboursAgree : .noWitness))
        #expect(scene.warnings.isEmpty)
        let verdicts = try #require(scene.node.node).report.clock.witnesses
        #expect(verdicts == friends + liars, "each link has one voice, and the liars were heard")
        let id = try #require(scene.node.node).sendPublic("heard")
        #expect(scene.node.node?.report.heldMessages == 0)
        #expect(!id.isEmpty)
    }

    @Test("a clock that the kernel keeps right is not outvoted; the log says so once")
    func kernel() throws {
        let scene = ClockWorld(friends: 0)
        scene.node.clock.isSynchronised = true
        let crowd = (0..<3).map { scene.addLiar(error: ClockWorld.year, seed: $0 + 20) }
        scene.run(for: .seconds(60), liars: crowd)
        #expect(scene.judgement?.state == .right)
        #expect(scene.judgement?.isDisputed == true)
        #expect(scene.warnings.count == 1)
        _ = try #require(scene.node.node).sendPublic("said")
        #expect(scene.node.node?.report.heldMessages == 0)
        scene.node.clock.isSynchronised = false
        scene.run(for: .seconds(6), liars: crowd)
        #expect(scene.judgement?.reason == .neighboursDisagree)
    }

    @Test("a word grows old when its neighbour falls silent")
    func silence() {
        let scene = ClockWorld(friends: 0)
        let crowd = (0..<3).map { scene.addLiar(error: ClockWorld.year, seed: $0 + 20) }
        scene.run(for: .seconds(10), liars: crowd)
        #expect(scene.judgement?.isWrong == true)
        scene.run(for: .seconds(310))
        #expect(scene.judgement?.reason == .noWitness)
    }

    @Test("a link that goes takes its word with it")
    func linkDown() {
        let scene = ClockWorld(friends: 0)
        let crowd = (0..<2).map { scene.addLiar(error: ClockWorld.year, seed: $0 + 20) }
        let third = Liar(scene.world, error: ClockWorld.year, identities: 1, seed: 40)
        let connection = third.stranger.join(scene.node)
        scene.run(for: .seconds(10), liars: crowd + [third])
        #expect(scene.judgement?.isWrong == true)
        scene.world.air.disconnect(connection)
        scene.world.time.run(for: 10)
        #expect(scene.judgement?.isWrong == false)
    }

    @Test("a replayed announce of a neighbour adds no voice")
    func replay() throws {
        let scene = ClockWorld(friends: 2)
        let thief = Stranger(scene.world, seed: 60)
        _ = thief.join(scene.friends[0])
        scene.world.time.run(for: .seconds(10))
        let frame = try #require(
            thief.heard.first {
                PacketView($0)?.isDirectAnnounce == true && PacketView($0)?.sender == scene.friends[0].id
            })
        let replayer = Stranger(scene.world, seed: 61)
        _ = replayer.join(scene.node)
        scene.restart(skew: Milliseconds(-ClockWorld.year.count))
        _ = replayer.join(scene.node)
        for _ in 0..<5 {
            scene.world.time.run(for: .seconds(2))
            replayer.send(frame)
        }
        scene.world.time.run(for: .seconds(1))
        #expect(scene.judgement?.isWrong == false)
    }

    @Test("announces with a bad signature, another's identifier or a hop behind them are no witnesses")
    func forged() throws {
        let scene = ClockWorld(friends: 0)
        let strangers = (0..<3).map { Stranger(scene.world, seed: $0 + 70) }
        for stranger in strangers { _ = stranger.join(scene.node) }
        let time = WallTime(milliseconds: strangers[0].now.milliseconds + UInt64(ClockWorld.year.count))
        for (stranger, other) in zip(strangers, strangers.reversed()) {
            stranger.send(stranger.announce(at: time), signingWith: other === stranger ? nil : other.keys.signing)
            scene.world.time.run(for: .seconds(2))
            stranger.send(stranger.announce(sender: PeerID(rawValue: 77), at: time))
            scene.world.time.run(for: .seconds(2))
            stranger.send(stranger.announce(ttl: 6, at: time))
            scene.world.time.run(for: .seconds(2))
        }
        // The one in the middle signed its first announce itself.
        #expect(scene.node.node?.report.clock.witnesses == 1)
    }

    @Test("a flood of strange announces costs one verification a second")
    func flood() {
        let scene = ClockWorld(friends: 0)
        let flooder = Stranger(scene.world, seed: 80)
        _ = flooder.join(scene.node)
        let time = WallTime(milliseconds: flooder.now.milliseconds + UInt64(ClockWorld.year.count))
        for number in 0..<300 {
            flooder.send(
                flooder.announce(at: WallTime(milliseconds: time.milliseconds + UInt64(number))),
                signingWith: flooder.keys.noise)
        }
        flooder.send(flooder.announce())
        scene.world.time.run(for: 100)
        #expect(scene.node.counter(.droppedClockSkew) == 300)
        #expect(scene.node.counter(.droppedSignatureBudget) == 0)
        #expect(scene.node.node?.peers.count == 1)
    }
}

@Suite("A time that has passed for certain")
struct ClockFloorTests {
    private let start = WallTime(milliseconds: 1_700_000_000_000)
    private var nextYear: WallTime { start.adding(ClockWorld.year) }

    @Test("a clock before the last shutdown holds from the first moment: not even an announce leaves")
    func below() throws {
        let scene = ClockWorld(friends: 1, floor: nextYear)
        scene.world.time.run(for: .seconds(30))
        #expect(scene.judgement?.reason == .beforeFloor)
        #expect(scene.warnings.count == 1)
        #expect(scene.heard.types.isEmpty)
        #expect(scene.friends[0].node?.peers.isEmpty == true)
    }

    @Test("neighbours who confirm the clock show that the recorded time was wrong, for good")
    func overruledByNeighbours() throws {
        let scene = ClockWorld(friends: 3, floor: nextYear)
        scene.world.time.run(for: .seconds(20))
        #expect(scene.judgement?.reason == .neighboursAgree)
        for friend in scene.friends { friend.crash(in: scene.world) }
        scene.world.time.run(for: .seconds(400))
        #expect(scene.judgement?.reason == .noWitness)
    }

    @Test("the kernel overrules the recorded time, as soon as it is synchronised")
    func overruledByKernel() throws {
        let scene = ClockWorld(friends: 1, floor: nextYear)
        scene.world.time.run(for: .seconds(10))
        _ = try #require(scene.node.node).sendPublic("waits")
        scene.node.clock.isSynchronised = true
        scene.world.time.run(for: .seconds(6))
        #expect(scene.judgement?.reason == .synchronised)
        #expect(scene.friends[0].publicTexts == ["waits"])
    }

    @Test("the operator overrules everything, at the start and while the node runs")
    func overruledByOperator() throws {
        let scene = ClockWorld(friends: 1, floor: nextYear)
        scene.world.time.run(for: .seconds(10))
        _ = try #require(scene.node.node).sendPublic("waits")
        scene.node.node?.trustClock(true)
        #expect(scene.judgement?.reason == .trusted)
        scene.world.time.run(for: .seconds(1))
        #expect(scene.friends[0].publicTexts == ["waits"])
        scene.node.settings.trustsClock = true
        scene.restart(skew: 0, floor: nextYear)
        #expect(scene.judgement?.reason == .trusted)
    }

    @Test("a clock that reaches the recorded time is no longer held")
    func reached() {
        let scene = ClockWorld(friends: 0, floor: start.adding(.seconds(90)))
        scene.world.time.run(for: .seconds(10))
        #expect(scene.judgement?.reason == .beforeFloor)
        scene.world.time.run(for: .seconds(30))
        #expect(scene.judgement?.reason == .noWitness)
    }
}
