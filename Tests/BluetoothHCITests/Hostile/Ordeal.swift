import Application
import Dispatch
import Domain
import Foundation
import Glibc
import Support
import Testing

@testable import BluetoothHCI

/// One radio over a scripted controller, with an honest neighbour that must not notice what goes on beside it.
final class Ordeal {
    let controller: SocketController
    let station: RadioStation
    let clock = LeapingClock()
    /// On handle 1; it connected and subscribed.
    let honest: Neighbour
    /// The link with it.
    let link: LinkID
    private var sent: [[UInt8]] = []
    private var turns = 0

    /// - Parameters:
    ///   - configure: Changes the controller.
    ///   - onFrame: Runs on the radio's queue for each frame, which waits for it.
    init(
        _ configure: (inout SocketController.State) -> Void = { _ in },
        onFrame: @escaping @Sendable ([UInt8]) -> Void = { _ in }
    ) throws {
        controller = try SocketController(configure)
        station = try RadioStation([controller.address], seed: 7, timers: clock.timers, onFrame: onFrame)
        honest = Neighbour(controller, 1)
        try station.ready()
        honest.connect()
        try honest.subscribe()
        link = try station.link().id
    }

    /// The honest neighbour and the node exchange a frame.
    func exchange() throws {
        let value = numberedFrame(sent.count, count: 30 + sent.count % 480)
        sent.append(value)
        honest.say(Neighbour.write(value))
        while station.radios.send(value, on: link) == .full {
            let wanted = turns + 1
            turns = wanted
            try station.until("a writable link") { seen in seen.writables.count { $0 == link } >= wanted ? true : nil }
        }
    }

    /// Checks that the radio is as it was, and that nothing of what was exchanged was lost or came out of order.
    func check() throws {
        let heard = try honest.notified(sent.count)
        let received = try station.until("all frames") { seen in
            let frames = seen.frames.filter { $0.link == link }
            return frames.count >= sent.count ? frames : nil
        }
        #expect(heard == sent)
        #expect(received.map(\.bytes) == sent)
        let status = try #require(station.radios.adapters.first)
        #expect(status.state == .ready && status.losses == 0)
        #expect(station.seen.alive.contains { $0.id == link })
    }

    /// Repeats something, while the honest neighbour and the node talk; then checks that they did.
    func endure(_ count: Int, exchangeEvery period: Int = 10, _ attack: (Int) throws -> Void) throws {
        for number in 0..<count {
            try attack(number)
            if number.isMultiple(of: period) { try exchange() }
        }
        try check()
    }

    /// Pushes the time on, second by second: a controller that answers has the time to.
    func leap(by seconds: Int) throws {
        for _ in 0..<seconds {
            clock.leap(by: .seconds(1))
            // A radio that is never done must not keep the test from saying so.
            for _ in 0..<200 where try !inRadio({ $0.controller?.commands.isIdle ?? true }) { try honest.catchUp() }
        }
    }

    /// The same as ``endure(_:exchangeEvery:_:)``, and tells how long it took and how much memory is held for it afterwards.
    /// Other tests take memory meanwhile, so that only a flood that is kept whole shows.
    func measure(_ what: String, _ count: Int, exchangeEvery period: Int = 10, _ attack: (Int) throws -> Void) throws {
        let (start, before) = (ContinuousClock.now, Self.residentMegabytes())
        try endure(count, exchangeEvery: period, attack)
        let growth = Self.residentMegabytes() - before
        let duration = ContinuousClock.now - start
        print("\(what), and \(count / period) frames each way beside it: \(duration), \(growth) MB more")
        #expect(growth < 200)
    }

    private static func residentMegabytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .ascii)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(Int32(_SC_PAGESIZE)) >> 20
    }

    /// A neighbour connects and subscribes; its link.
    func join(_ neighbour: Neighbour) throws -> LinkID {
        let before = Set(station.seen.ups.map(\.id))
        neighbour.connect()
        try neighbour.subscribe()
        return try station.link(besides: before).id
    }

    /// A neighbour is seen.
    func sight(_ neighbour: Neighbour) throws {
        controller.say(Packets.legacyReport(neighbour.device, data: Advertisement.data(for: .production)))
        try honest.catchUp()
    }

    /// The radio sees a neighbour, connects to it, and is let.
    ///
    /// - Parameter serving: Whether the neighbour answers what it is asked.
    func reach(_ neighbour: Neighbour, serving: Bool) throws {
        let attempts = controller.look { $0.far.opCodes.count { $0 == .createConnection } }
        try sight(neighbour)
        _ = try #require(
            controller.wait { state in
                let count = state.far.opCodes.count { $0 == .createConnection }
                return count > attempts ? count : nil
            })
        if serving { neighbour.serve() }
        controller.say(Packets.connected(neighbour.handle, neighbour.device, isCentral: true))
    }

    /// Waits until the radio has ended connections of a neighbour so many times.
    func waitForDisconnects(of neighbour: Neighbour, _ count: Int) throws {
        let handle = Packets.bytes(neighbour.handle)
        _ = try #require(
            controller.wait { state in
                let ends = state.far.commands.count { $0.opCode == .disconnect && $0.parameters.starts(with: handle) }
                return ends >= count ? ends : nil
            }, "\(count) disconnects of \(neighbour.handle)")
    }

    /// The adapter was lost: waits until the radio has it again, and checks that it carries links as before.
    func comeBack() throws {
        #expect(!station.seen.alive.contains { $0.id == link })
        try station.until("a radio at work again") { seen in
            seen.logs.count { $0.contains("on the air as") } == seen.adapterDowns + 1 ? true : nil
        }
        let again = try join(honest)
        #expect(station.radios.send(numberedFrame(1), on: again) == .accepted)
        #expect(try honest.notified(1).contains(numberedFrame(1)))
    }

    /// Checks that everybody but the honest neighbour left nothing behind.
    func checkTables() throws {
        try honest.catchUp()
        let counts = try inRadio { radio in
            [
                radio.connections.count, radio.settings.desk.openLinks,
                radio.controller?.connections.count ?? -1,
            ]
        }
        #expect(counts == [1, 1, 1])
        let timers = try inRadio { ($0.timers as? DispatchTimers)?.count ?? .max }
        #expect(timers < 30, "\(timers)")
        let budget = try inRadio { $0.seeking.scheduler.budget.controllerLinks }
        #expect(budget <= BluetoothPolicy.connections)
        #expect(station.seen.alive.map(\.id) == [link])
    }

    /// Looks at the radio from within, after whatever it was told before.
    func inRadio<Value: Sendable>(_ look: @escaping @Sendable (Radio) -> Value) throws -> Value {
        try station.inRadio(look)
    }

    /// Credits that neither are free nor held by the honest neighbour, whose last ones may be on their way.
    func missingCredits() throws -> Int? {
        let handle = ConnectionHandle(rawValue: honest.handle)
        return try inRadio { radio in
            (radio.controller?.data).map { $0.total - $0.free - $0.held(by: handle) }
        }
    }

    /// What went wrong so far, by name.
    func faults() throws -> [String: UInt64] {
        try honest.catchUp()
        return try inRadio(\.faults)
    }
}

extension RadioStation {
    /// Waits until the radio is at work.
    func ready() throws {
        try until("a radio at work") { seen in seen.logs.first { $0.contains("on the air as") } }
    }

    /// Looks at the first radio from within.
    func inRadio<Value: Sendable>(_ look: @escaping @Sendable (Radio) -> Value) throws -> Value {
        let result = Watched<Value?>(nil)
        let host = try #require(radios.hosts.first)
        host.post { radio in
            let value = look(radio)
            result.change { $0 = value }
        }
        return try #require(result.wait(within: SatchelNode.patience) { $0 }, "a radio that lives")
    }
}
