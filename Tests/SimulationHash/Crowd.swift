import Application
import Domain
import InMemory

/// A node of a crowd.
package typealias Person = Member<ModelCryptography>

/// A mesh of simulated nodes that talk, under given conditions: one seed, one course of events.
package final class Crowd {
    /// The nodes, and what they live in.
    package let world: World<ModelCryptography>
    /// Everything that happened, as a hash.
    package private(set) var trace = Trace()
    /// What was done and what became of it.
    package private(set) var tally = Tally()
    /// Whether people talk; they do from the warm-up's end on.
    package var isTalking = false
    /// Sees each event as it becomes durable.
    package var logged: ((Person, LoggedEvent) -> Void)?
    /// Sees each frame that a link takes.
    package var sent: ((FrameInFlight) -> Void)?
    /// Sees each frame before the node does.
    package var received: ((Person, [UInt8], LinkID) -> Void)?

    private var crashes: [String: Int] = [:]
    private let conditions: Conditions
    private let randomness: SeededRandomness
    private var time: VirtualTime { world.time }

    /// How often things happened.
    package struct Tally: Hashable {
        package var publicSent = 0
        package var privateSent = 0
        package var privatePartsSent = 0
        package var filesSent = 0
        package var refused = 0
        package var publicReceived = 0
        package var privateReceived = 0
        package var filesReceived = 0
        package var delivered = 0
        package var events = 0
        package var crashes = 0
        package var linksLost = 0
    }

    /// Makes a crowd; nothing happens before ``run(seconds:)``.
    package init(seed: UInt64, nodes count: Int, _ conditions: Conditions = .rough) {
        self.conditions = conditions
        world = World(seed: seed, cryptography: ModelCryptography())
        randomness = world.randomness.fork("crowd")
        world.air.tap = { [unowned self] frame in
            trace.add("frame", frame)
            sent?(frame)
        }
        let dice = randomness.fork("settle")
        for number in 0..<count {
            let person = world.addNode("node\(number)")
            setUp(person, dice)
            listen(person)
            time.at(Uptime(milliseconds: Int64(dice.number(below: 3000)))) { [unowned self] in
                for _ in 0..<2 { link(person, dice) }
            }
        }
        scheduleTraffic()
        scheduleFaults()
    }

    /// Lets virtual seconds pass.
    package func run(seconds: Int64) { time.run(for: .seconds(seconds)) }

    /// The nodes that run.
    package var running: [Person] { world.members.filter { $0.node != nil } }

    /// Which of its lives a node lives, from 0.
    package func life(of person: Person) -> Int { crashes[person.name] ?? 0 }

    // MARK: Watching

    private func setUp(_ person: Person, _ dice: SeededRandomness) {
        person.clock.skew = Milliseconds(dice.number(in: -conditions.clockSkew...conditions.clockSkew))
        let delays = conditions.commitDelays
        person.journal.delay = delays[dice.number(below: delays.count)]
        person.journal.failureProbability = conditions.commitFailure
        person.files.delay = person.journal.delay
        person.files.failureProbability = conditions.commitFailure
        person.journal.observe = { [unowned self, unowned person] entry in
            trace.add("event \(person.name) \(time.now.milliseconds) \(entry.json.text)")
            count(entry.event)
            logged?(person, entry)
        }
        person.notices.observe = { [unowned self, unowned person] notice in
            if case .log(let level, let line) = notice {
                trace.add("notice \(person.name) \(time.now.milliseconds) \(level.rawValue) \(line)")
            }
            person.notices.clear()
        }
    }

    /// Puts an ear before the node's, which a crash takes away.
    private func listen(_ person: Person) {
        let deliver = person.endpoint.frame
        person.endpoint.frame = { [unowned self, unowned person] frame, link in
            received?(person, frame, link)
            deliver(frame, link)
        }
    }

    private func count(_ event: Event) {
        tally.events += 1
        switch event {
        case .publicMessage(let message): if !message.isOwn { tally.publicReceived += 1 }
        case .privateMessage(let message): if !message.isOwn { tally.privateReceived += 1 }
        case .file: tally.filesReceived += 1
        case .status(let change): if change.status == .delivered { tally.delivered += 1 }
        case .peer: break
        }
    }

    // MARK: Links

    /// Links a node to a random other one that runs and is not its neighbour yet.
    func link(_ node: Person, _ dice: SeededRandomness) {
        let neighbours = node.endpoint.openLinks.compactMap { node.endpoint.neighbour(on: $0)?.name }
        let others = running.filter { $0 !== node && !neighbours.contains($0.endpoint.name) }
        guard !others.isEmpty else { return }
        var profile = conditions.profile
        profile.frameLimit = conditions.frameLimits[dice.number(below: conditions.frameLimits.count)]
        world.air.connect(node.endpoint, others[dice.number(below: others.count)].endpoint, profile)
    }

    // MARK: Faults

    private func scheduleFaults() {
        if let mean = conditions.linkLifetime {
            every(mean, randomness.fork("links")) { [unowned self] dice in loseLink(dice) }
        }
        if let mean = conditions.crashInterval {
            every(mean, randomness.fork("crashes")) { [unowned self] dice in crash(dice) }
        }
    }

    /// Closes a random link, and a little later gives both ends another one, so that the mesh stays connected.
    private func loseLink(_ dice: SeededRandomness) {
        let open = world.air.openConnections
        guard !open.isEmpty else { return }
        let connection = open[dice.number(below: open.count)]
        tally.linksLost += 1
        world.air.disconnect(connection)
        let ends = connection.ends.map(\.endpoint.name)
        time.after(Milliseconds(dice.number(in: 100...5000))) { [unowned self] in
            for node in running where ends.contains(node.endpoint.name) { link(node, dice) }
        }
    }

    private func crash(_ dice: SeededRandomness) {
        let candidates = running
        guard candidates.count > 1 else { return }
        let node = candidates[dice.number(below: candidates.count)]
        tally.crashes += 1
        crashes[node.name, default: 0] += 1
        trace.add("crash \(node.name) \(time.now.milliseconds)")
        node.crash(in: world)
        time.after(Milliseconds(dice.number(in: conditions.downtime))) { [unowned self] in
            node.start()
            listen(node)
            for _ in 0..<2 { link(node, dice) }
        }
    }

    // MARK: Traffic

    private func scheduleTraffic() {
        time.after(conditions.warmUp) { [unowned self] in isTalking = true }
        every(conditions.publicInterval, randomness.fork("public")) { [unowned self] in speak($0) }
        every(conditions.privateInterval, randomness.fork("private")) { [unowned self] in write($0) }
        every(conditions.fileInterval, randomness.fork("files")) { [unowned self] in sendFile($0) }
    }

    private func speak(_ dice: SeededRandomness) {
        guard let node = author(dice) else { return }
        perform {
            _ = try node.sendPublic(text(tally.publicSent, dice))
        } then: {
            tally.publicSent += 1
        }
    }

    private func write(_ dice: SeededRandomness) {
        guard let node = author(dice) else { return }
        let peers = node.peers.filter(\.isReachable)
        guard !peers.isEmpty else { return }
        let peer = peers[dice.number(below: peers.count)].id
        let text = text(tally.privateSent, dice)
        perform {
            tally.privatePartsSent += try node.sendPrivate(text, to: peer).count
        } then: {
            tally.privateSent += 1
        }
    }

    private func sendFile(_ dice: SeededRandomness) {
        guard let node = author(dice) else { return }
        let content = dice.bytes(500 + dice.number(below: 6000))
        perform {
            _ = try node.sendFile(content, name: "a.bin", mime: "application/octet-stream")
        } then: {
            tally.filesSent += 1
        }
    }

    private func perform(_ action: () throws -> Void, then count: () -> Void) {
        do {
            try action()
            count()
        } catch {
            tally.refused += 1
            trace.add("refused \(time.now.milliseconds) \(error)")
        }
    }

    /// Says something that was not said before, short as a rule and now and then too long for a small frame.
    private func text(_ number: Int, _ dice: SeededRandomness) -> String {
        let length = dice.number(below: 8) == 0 ? dice.number(below: 2000) : dice.number(below: 120)
        return "\(number) " + String(repeating: "x", count: length)
    }

    private func author(_ dice: SeededRandomness) -> Node<ModelCryptography>? {
        let candidates = running
        return candidates.isEmpty || !isTalking ? nil : candidates[dice.number(below: candidates.count)].node
    }

    /// Does something again and again, at random times with a given mean.
    private func every(_ mean: Milliseconds, _ dice: SeededRandomness, _ action: @escaping (SeededRandomness) -> Void) {
        time.after(Milliseconds(dice.number(in: 1...2 * mean.count))) { [unowned self] in
            action(dice)
            every(mean, dice, action)
        }
    }
}
