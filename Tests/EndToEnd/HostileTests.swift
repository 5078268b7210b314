import Application
import Dispatch
import Domain
import Foundation
import InMemory
import NativeCryptography
import Support
import Synchronization
import Testing
import ZlibCompression

extension EndToEnd {
    /// The test plays the neighbours of a real process: an honest sender and an honest receiver by TCP, and somebody
    /// hostile in the air.
    @Suite("A node among hostile neighbours")
    final class HostileTests {
        /// What the victim may hold at its worst, in bytes: a tenth of what the floods would be, were they kept.
        private static let memoryLimit = 150 << 20

        private let folder: TemporaryDirectory
        private let victim: SatchelNode
        private let sender: RawNeighbour
        private let receiver: RawNeighbour
        private let hostile: RawNeighbour
        private var lastHonest: UInt32 = 0

        init() throws {
            folder = try TemporaryDirectory()
            let air = folder.file("air")
            victim = try SatchelNode(
                "victim", in: folder, options: ["--nickname", "victim", "--air", air, "--listen", "127.0.0.1:0"])
            try victim.start()
            sender = try RawNeighbour(address: try victim.address)
            receiver = try RawNeighbour(address: try victim.address) { HonestFrame.isHonest($0) }
            hostile = try RawNeighbour(air: air)
        }

        deinit { for neighbour in [sender, receiver, hostile] { neighbour.leave() } }

        @Test("honest frames pass while another link sends frames that inflate to a megabyte each")
        func inflation() throws {
            let flood = try HostileFrames.inflating()
            try honestFramesPass(during: flood, counted: "droppedInflationBudget")
        }

        @Test("honest frames pass while another link sends signatures that fail in every form")
        func signatures() throws {
            let mallory = HostileFrames(seed: 7)
            try hostile.send(try mallory.announce("mallory"))
            try victim.events().wait { $0["kind"] == "connected" && $0["name"] == "mallory" }
            try honestFramesPass(during: try mallory.forged(), counted: "droppedBadSignature")
            #expect(try victim.counter("droppedSignatureBudget") > 0)
        }

        @Test("frames that are damaged, repeated, untimely or pretend to be ours do no harm, by the thousand")
        func garbage() throws {
            let identifier = try #require(PeerID(hex: try victim.identifier))
            let corpus = try Corpus(victim: identifier, seed: 0x6761_7262)
            let hostile = hostile
            let outcome = Watched<Result<Int, any Error>?>(nil)
            let rounds = EndToEnd.isSoak ? 10 : 1
            Thread.detachNewThread {
                let result = Result { () throws in
                    var sent = 0
                    for round in 0..<rounds {
                        for frame in try corpus.frames(round: round) {
                            try hostile.send(frame)
                            sent += 1
                        }
                    }
                    return sent
                }
                outcome.change { $0 = result }
            }
            var batches = 0
            repeat {
                try passHonestFrames(100)
                batches += 1
            } while outcome.look { $0 } == nil
            let sent = try #require(outcome.look { $0 }).get()
            #expect(sent >= 5000)
            // This was said last on the hostile link; when it comes out, all before it has been looked at or dropped. The
            // link's budgets are spent, and come back within seconds.
            var isHeard = false
            for _ in 0..<20 where !isHeard {
                lastHonest += 1
                receiver.forget()
                try hostile.send(try HonestFrame.make(lastHonest))
                isHeard = receiver.hears(1, within: 1)
            }
            #expect(isHeard)
            for counter in [
                "droppedMalformedFrame", "droppedClockSkew", "droppedSelfLoop", "droppedDuplicateAtIngress",
            ] {
                #expect(try victim.counter(counter) > 0, "\(counter)")
            }
            #expect(try victim.peakMemory < Self.memoryLimit)
            print("\(sent) bad frames, \(batches * 100) honest ones meanwhile, peak \(try victim.peakMemory >> 20) MiB")
        }

        @Test("a flood of the largest frames, faster than the node can pass them on, does not pile up")
        func largest() throws {
            var flood = try HostileFrames.largest()
            let start = ContinuousClock.now
            let count = EndToEnd.isSoak ? 20_000 : 4000
            for _ in 0..<count { try hostile.send(flood.next()) }
            print(
                "\(count >> 4) MiB took \(ContinuousClock.now - start), peak \(try victim.peakMemory >> 20) MiB")
            try passHonestFrames(100)
            #expect(try victim.peakMemory < Self.memoryLimit)
        }

        // MARK: Steps

        /// Measures honest frames alone and during a flood of 200 frames a second.
        private func honestFramesPass(during flood: TimedFrame, counted counter: String) throws {
            let count = EndToEnd.isSoak ? 10_000 : 1000
            try passHonestFrames(count / 4)
            let calm = try passHonestFrames(count)
            let before = try victim.counter(counter)
            let attack = Attack(flood, by: hostile)
            defer { attack.stop() }
            try #require(attack.awaitFrames(200))
            let stormy = try passHonestFrames(count)
            try #require(attack.awaitFrames(600))
            attack.stop()
            #expect(try victim.counter(counter) > before)
            #expect(try victim.peakMemory < Self.memoryLimit)
            let ratio = stormy / calm
            print(
                "\(counter): \(count) honest frames in \(calm) s alone and \(stormy) s under attack, ratio \(ratio), "
                    + "peak \(try victim.peakMemory >> 20) MiB")
            if EndToEnd.isSoak { #expect(ratio < 2) }
        }

        /// Sends honest frames through the victim, a few at a time, and checks each that comes out. A relay waits a random
        /// 10 ms at least, so they change places, and stay below what a link may have passed on in a second.
        ///
        /// - Returns: How long it took, in seconds.
        @discardableResult
        private func passHonestFrames(_ count: Int) throws -> Double {
            let window = 8
            receiver.forget()
            let frames = try (0..<count).map { _ in
                lastHonest += 1
                return try HonestFrame.make(lastHonest)
            }
            let clock = ContinuousClock()
            let start = clock.now
            for first in stride(from: 0, to: count, by: window) {
                let end = min(first + window, count)
                for frame in frames[first..<end] { try sender.send(frame) }
                try #require(receiver.hears(end))
            }
            let time = clock.now - start
            let expected = frames.map { frame in
                var relayed = frame
                relayed[2] -= 1
                return relayed
            }
            // Not their difference, which would fill the screen.
            let areAllThere = receiver.heard.count == count && Set(receiver.heard) == Set(expected)
            #expect(areAllThere)
            return Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
        }
    }
}

/// Frames of an unknown type, to be passed on as they are but for the TTL byte.
enum HonestFrame {
    private static let author = PeerID(rawValue: 0x0011_2233_4455_6677)

    static func make(_ number: UInt32) throws -> [UInt8] {
        var payload: [UInt8] = []
        payload.append(bigEndian: number)
        payload += SeededRandomness(seed: UInt64(number)).bytes(400)
        let packet = Packet(
            type: MessageType(rawValue: 0x7E), ttl: 7, timestamp: .now, sender: author, payload: payload)
        return try #require(packet.encoded(padding: false, using: NoCompression()))
    }

    static func isHonest(_ frame: [UInt8]) -> Bool {
        PacketView(frame).map { $0.sender == author && $0.type.rawValue == 0x7E } ?? false
    }
}

/// Sends 200 frames a second until it is stopped.
final class Attack {
    private static let framesPerTick = 5
    private let timer: any DispatchSourceTimer
    private let sent = Watched(0)

    init(_ flood: TimedFrame, by neighbour: RawNeighbour) {
        let source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "attack"))
        let sent = sent
        let frames = Watched(flood)
        source.setEventHandler {
            for _ in 0..<Self.framesPerTick where neighbour.offer(frames.change { $0.next() }) {
                sent.change { $0 += 1 }
            }
        }
        source.schedule(deadline: .now(), repeating: .milliseconds(25))
        timer = source
        source.activate()
    }

    func awaitFrames(_ count: Int) -> Bool {
        sent.wait(within: SatchelNode.patience) { $0 >= count ? true : nil } ?? false
    }

    func stop() { timer.cancel() }
}
