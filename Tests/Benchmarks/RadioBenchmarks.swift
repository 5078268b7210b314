import Glibc
import Support

/// Our radio from node to node through a pair of virtual controllers, beside what their link carries for a host that does
/// nothing else.
///
/// The controllers are a program of their own, in Python, and where they have a processor to themselves they are the
/// slowest part. The share of the raw link tells whether the radio holds them up, the processor time what the radio itself
/// costs; that of a raw host's two ends, which are one thread, is shown in halves. The two links are measured in turns, so
/// that both meet the same state of the machine.
struct RadioBenchmarks {
    let harness: Harness
    private let options = VirtualAir.Options()
    private static let packets = 2000
    private static let pings = 2000

    /// One way over the link.
    private enum Way: CaseIterable {
        case raw, written, notified

        var name: String {
            switch self {
            case .raw: "raw link"
            case .written: "written, client to server"
            case .notified: "notified, server to client"
            }
        }
    }

    /// What one run took, in seconds for each packet.
    private struct Run {
        let time: Double
        /// Processor time.
        let sender: Double
        let receiver: Double
        let air: Double
    }

    /// Both links, over one air.
    private struct Bed {
        let air: VirtualAir
        let raw: RawLink
        let near: RadioEnd
        let isClient: Bool
    }

    /// Prints all lines.
    func run() {
        guard InteropPython.path != nil else { return print("radio: skipped; \(InteropPython.reason)") }
        do {
            let air = try VirtualAir(adapters: 4, options)
            let raw = try RawLink(air, options, from: 0, to: 1)
            let far = try ChildProcess("/proc/self/exe", [Self.farEnd, air.address(of: 3)], environment: [:])
            let near = try RadioEnd(air.address(of: 2))
            defer { near.stop() }
            let bed = Bed(air: air, raw: raw, near: near, isClient: try near.isOutgoing())
            header()
            for size in [512, 200] { try throughput(size, bed) }
            try latency(512, bed)
            withExtendedLifetime(far) {}
        } catch {
            print("radio: \(error)")
        }
    }

    /// The argument that makes this program the far end, on the adapter that follows.
    static let farEnd = "radio-end"

    /// Is the far end until the link is gone.
    static func serveFarEnd(_ adapter: String) {
        do {
            try RadioEnd.serve(adapter)
        } catch {
            print("\(error)")
        }
    }

    private func throughput(_ size: Int, _ bed: Bed) throws {
        var runs: [Way: [Run]] = [:]
        for _ in 0..<Harness.runs {
            for way in Way.allCases { runs[way, default: []].append(try run(way, size, bed)) }
        }
        func median(_ way: Way, _ value: (Run) -> Double) -> Double {
            (runs[way] ?? []).map(value).sorted()[Harness.runs / 2]
        }
        for way in Way.allCases {
            let time = median(way, \.time)
            let (sender, receiver) = (median(way, \.sender), median(way, \.receiver))
            let share = median(.raw, \.time) / time * 100
            row(
                "\(way.name), \(size) B",
                [harness.decimal(1 / time), harness.decimal(Double(size) / time / 1000), harness.decimal(share) + " %"]
                    + [sender, receiver, sender + receiver, median(way, \.air)].map(microseconds))
        }
    }

    private func run(_ way: Way, _ size: Int, _ bed: Bed) throws -> Run {
        let count = Double(Self.packets)
        let airTime = bed.air.processorTime ?? 0
        let (time, sender, receiver) = try transfer(way, size, bed)
        let air = (bed.air.processorTime ?? 0) - airTime
        return Run(time: time / count, sender: sender / count, receiver: receiver / count, air: air / count)
    }

    /// Carries all packets once: seconds, and processor seconds of the two ends.
    private func transfer(_ way: Way, _ size: Int, _ bed: Bed) throws -> (time: Double, Double, Double) {
        guard way != .raw else {
            let (start, processor) = (Clocks.now, Clocks.processor)
            let end = try bed.raw.carry(Self.packets, size: size)
            let each = Double(Clocks.processor - processor) / 2e9
            return (Double(end - start) / 1e9, each, each)
        }
        if (way == .written) == bed.isClient {
            let transfer = try bed.near.send(Self.packets, size: size)
            return (transfer.time, transfer.near, transfer.far)
        }
        let transfer = try bed.near.fetch(Self.packets, size: size)
        return (transfer.time, transfer.far, transfer.near)
    }

    private func latency(_ size: Int, _ bed: Bed) throws {
        var (rawTimes, times): ([Double], [Double]) = ([], [])
        for _ in 0..<Self.pings {
            let start = Clocks.now
            rawTimes.append(Double(try bed.raw.carry(1, size: size) - start) / 1e9)
            times.append(try bed.near.ping(size: size))
        }
        print(harness.column("one packet at a time, \(size) B", 44) + "median and 99th of \(Self.pings), one way")
        for (name, times) in [("raw link", rawTimes.sorted()), ("send to handler", times.sorted())] {
            row(name, [microseconds(times[times.count / 2]), microseconds(times[times.count * 99 / 100])])
        }
    }

    // MARK: Printing

    private func header() {
        row(
            "radio over virtual controllers",
            ["packets/s", "KB/s", "of raw link", "CPU sender", "receiver", "both", "controllers"])
    }

    private func row(_ name: String, _ columns: [String]) {
        print(harness.column(name, 44) + columns.map { harness.column($0, 13, right: true) }.joined())
    }

    private func microseconds(_ seconds: Double) -> String { harness.decimal(seconds * 1e6) + " us" }
}
