import Domain

/// One decoder under the fuzzer, and the vectors that its corpus starts with.
struct Target: Sendable {
    /// The value of `SATCHEL_FUZZ_TARGET` that selects it.
    let name: String
    /// Where in the vectors its inputs stand: file, operation, member of the input.
    let seeds: [(file: String, op: String, member: String)]
    /// Inputs that the corpus starts with besides.
    let samples: [[UInt8]]
    /// Takes one input; must neither trap nor break what it claims.
    let run: @Sendable (ArraySlice<UInt8>) -> Void

    init(
        _ name: String, _ seeds: [(file: String, op: String, member: String)], samples: [[UInt8]] = [],
        run: @escaping @Sendable (ArraySlice<UInt8>) -> Void
    ) {
        self.name = name
        self.seeds = seeds
        self.samples = samples
        self.run = run
    }

    /// A codec: what the decoder accepts must settle, that is, encoded and decoded again be the same bytes.
    init(
        _ name: String, _ file: String, _ op: String, _ member: String,
        rewrite: @escaping @Sendable (ArraySlice<UInt8>) -> [UInt8]?
    ) {
        self.init(name, [(file, op, member)]) { input in
            guard let once = rewrite(input) else { return }
            require(rewrite(once[...]) == once, "\(name) does not settle")
        }
    }

    /// Every target.
    static let all: [Target] = frames + payloads + texts + sealed + attributes + radio
}

/// Ends the process, and so reports the input, when a claim does not hold.
func require(_ claim: Bool, _ message: @autoclosure () -> String) {
    if !claim { fatalError(message()) }
}
