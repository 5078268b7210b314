@main
struct Main {
    static func main() {
        let harness = Harness()
        harness.header()
        PacketBenchmarks(harness: harness).run()
        NoiseBenchmarks(harness: harness).run()
        RelayBenchmarks(harness: harness).run()
    }
}
