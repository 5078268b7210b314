import Glibc
import Support

/// Our radio from node to node through a pair of virtual controllers, beside what their link carries for a host that does
/// nothing else.
///
/// The controllers are a program of their own, in Python, and by far the slowest part: so the share of the raw link tells
/// whether the radio holds it up, and the processor time what the radio itself costs. The two are measured in turns, so
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
        /// Processor time; of a raw host, whose two ends are one thread, half of it.
        let sender: Double
        let receiver: Double
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
            let isClient = try near.isOutgoing()
            header()
            for size in [512, 200] { try throughput(size, raw, near, isClient: isClient) }
            try latency(512, raw, near)
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

    private func throughput(_ size: Int, _ raw: RawLink, _ near: RadioEnd, isClient: Bool) throws {
        var runs: [Way: [Run]] = [:]
        for _ in 0..<Harness.runs {
            for way in Way.allCases { runs[way, default: []].append(try run(way, size, raw, near, isClient: isClient)) }
        }
        func median(_ way: Way, _ value: (Run) -> Double) -> Double {
            (runs[way] ?? []).map(value).sorted()[Harness.runs / 2]
        }
        for way in Way.allCases {
            let time = median(way, \.time)
            let (sender, receiver) = (median(way, \.sender), median(way, \.receiver))
            row(
                "\(way.name), \(size) B",
                [
                    harness.decimal(1 / time), harness.decimal(Double(size) / time / 1000),
                    harness.decimal(median(.raw, \.time) / time * 100) + " %", microseconds(sender),
                    microseconds(receiver),
                    microseconds(sender + receiver),
                ])
        }
    }

    private func run(_ way: Way, _ size: Int, _ raw: RawLink, _ near: RadioEnd, isClient: Bool) throws -> Run {
        let count = Double(Self.packets)
        guard way != .raw else {
            let (start, processor) = (Clocks.now, Clocks.processor)
            try raw.carry(Self.packets, size: size)
            let (end, processorEnd) = (Clocks.now, Clocks.processor)
            let each = Double(processorEnd - processor) / 2e9 / count
            return Run(time: Double(end - start) / 1e9 / count, sender: each, receiver: each)
        }
        if (way == .written) == isClient {
            let transfer = try near.send(Self.packets, size: size)
            return Run(time: transfer.time / count, sender: transfer.near / count, receiver: transfer.far / count)
        }
        let transfer = try near.fetch(Self.packets, size: size)
        return Run(time: transfer.time / count, sender: transfer.far / count, receiver: transfer.near / count)
    }

    // MARK: Latency

    private func latency(_ size: Int, _ raw: RawLink, _ near: RadioEnd) throws {
        var (rawTimes, times): ([Double], [Double]) = ([], [])
        for _ in 0..<Self.pings {
            let start = Clocks.now
            try raw.carry(1, size: size)
            rawTimes.append(Double(Clocks.now - start) / 1e9)
            times.append(try near.ping(size: size))
        }
        print(harness.column("one packet at a time, \(size) B", 44) + "median and 99th of \(Self.pings), one way")
        for (name, times) in [("raw link", rawTimes.sorted()), ("send to handler", times.sorted())] {
            row(name, [microseconds(times[times.count / 2]), microseconds(times[times.count * 99 / 100])])
        }
    }

    // MARK: Printing

    private func header() {
        row("radio over virtual controllers", ["packets/s", "KB/s", "of raw link", "CPU sender", "receiver", "both"])
    }

    private func row(_ name: String, _ columns: [String]) {
        print(harness.column(name, 44) + columns.map { harness.column($0, 14, right: true) }.joined())
    }

    private func microseconds(_ seconds: Double) -> String { harness.decimal(seconds * 1e6) + " us" }
}
