import Domain

/// `version`: what runs here.
enum VersionVerb {
    /// The verb.
    static let verb = Verb(
        spec: VerbSpec(
            "version", summary: "print the versions of the program and its libraries",
            details: "Prints the program's version, the Swift compiler that built it, and the libraries it runs with.",
            example: "satchel version --json"),
        run: { context throws(Failure) in
            guard !context.invocation.wantsJSON else {
                try context.output.answer(Version.json)
                return .done
            }
            let lines = ["satchel \(Version.number)", "Swift \(Version.swift)"]
            let libraries = Version.libraries.map { "\($0.name) \($0.version)" }
            try context.output.answer((lines + libraries).joined(separator: "\n") + "\n")
            return .done
        })
}
