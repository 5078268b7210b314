import Glibc
import InMemory

/// Runs one simulated world and prints its hash, so that two processes can be compared: what is not determined by the
/// seed (hash tables' order, a clock, a random number) shows as a difference.
@main
struct Main {
    static func main() {
        let numbers = CommandLine.arguments.dropFirst().map { UInt64($0) }
        guard (1...3).contains(numbers.count), let seed = numbers[0], !numbers.contains(nil),
            let nodes = numbers.count > 1 ? numbers[1].flatMap(Int.init(exactly:)) : 20,
            let seconds = numbers.count > 2 ? numbers[2].flatMap(Int64.init(exactly:)) : 120
        else {
            print("usage: SimulationHash SEED [NODES] [VIRTUAL_SECONDS]")
            exit(2)
        }
        let crowd = Crowd(seed: seed, nodes: nodes)
        crowd.run(seconds: seconds)
        let tally = crowd.tally
        print(
            crowd.trace.hash.hex, "records=\(crowd.trace.count)", "events=\(tally.events)",
            "frames=\(crowd.world.air.framesSent)", "public=\(tally.publicSent)/\(tally.publicReceived)",
            "private=\(tally.privateSent)/\(tally.privateReceived)/\(tally.delivered)",
            "files=\(tally.filesSent)/\(tally.filesReceived)", "crashes=\(tally.crashes)",
            "linksLost=\(tally.linksLost)", "refused=\(tally.refused)")
    }
}
