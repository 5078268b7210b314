/// Prints the figures of everything, or of the groups that are named: `packets`, `noise`, `relay`, `radio`.
@main
struct Main {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.count == 2, arguments.first == RadioBenchmarks.farEnd, let adapter = arguments.last {
            return RadioBenchmarks.serveFarEnd(adapter)
        }
        let harness = Harness()
        let groups = [
            ("packets", PacketBenchmarks(harness: harness).run), ("noise", NoiseBenchmarks(harness: harness).run),
            ("relay", RelayBenchmarks(harness: harness).run), ("radio", RadioBenchmarks(harness: harness).run),
        ]
        harness.header()
        for (name, run) in groups where arguments.isEmpty || arguments.contains(name) { run() }
    }
}
