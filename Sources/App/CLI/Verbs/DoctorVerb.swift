import Domain

/// `doctor`: what is wrong, and what to do about it.
enum DoctorVerb {
    /// The verb.
    static let verb = Verb(
        spec: VerbSpec(
            "doctor", summary: "check everything that the node needs",
            details: """
                Checks configuration, directories and their permissions, key file and vault, control socket, links, \
                Bluetooth adapters, clock and versions, and says what to do about whatever is wrong. Nothing is changed. Exits with the \
                code of the first thing that is broken, and with 0 when only warnings are left.
                """,
            options: Settings.options, example: "satchel doctor"),
        run: { context throws(Failure) in
            let findings = try Examination(context).findings()
            if context.invocation.wantsJSON {
                let isHealthy = findings.allSatisfy { $0.code == nil }
                try context.output.answer(
                    .object(["healthy": .bool(isHealthy), "findings": .array(findings.map(\.json))]))
            } else {
                let width = findings.map(\.subject.count).max() ?? 0
                for finding in findings {
                    let subject = finding.subject + String(repeating: " ", count: width - finding.subject.count)
                    let word = finding.word + String(repeating: " ", count: 7 - finding.word.count)
                    try context.output.answer("\(word)  \(subject)  \(DisplayText.line(finding.text))\n")
                    if let remedy = finding.remedy {
                        let indent = String(repeating: " ", count: 9 + width + 2)
                        try context.output.answer("\(indent)→ \(DisplayText.line(remedy))\n")
                    }
                }
            }
            return findings.lazy.compactMap(\.code).first ?? .done
        })
}
