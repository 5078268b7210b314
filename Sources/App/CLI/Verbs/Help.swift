import Domain

/// `help`: what there is, and how each verb is used.
enum Help {
    /// The verb.
    static let verb = Verb(
        spec: VerbSpec(
            "help", summary: "list the commands, or explain one",
            details: "Without an argument, lists the commands and the exit codes; with one, explains that command.",
            positionals: [PositionalSpec("COMMAND", .optional, "the command to explain")],
            example: "satchel help send"),
        run: { context throws(Failure) in
            guard let name = context.invocation.argument("COMMAND") else {
                try overview(context)
                return .done
            }
            guard let verb = Verbs.all.first(where: { $0.spec.name == name }) else {
                let near = EditDistance.suggestion(for: name, among: Verbs.all.map(\.spec.name))
                throw Failure(
                    .usage, "there is no command '\(name)'", hints: near.map { ["did you mean '\($0)'?"] } ?? [])
            }
            try explain(verb.spec, context)
            return .done
        })

    /// Explains one verb.
    static func explain(_ verb: VerbSpec, _ context: CommandContext) throws(Failure) {
        if context.invocation.wantsJSON {
            try context.output.answer(json(of: verb))
        } else {
            try context.output.answer(HelpText.help(of: verb))
        }
    }

    private static func overview(_ context: CommandContext) throws(Failure) {
        guard context.invocation.wantsJSON else {
            return try context.output.answer(HelpText.overview(of: Verbs.all.map(\.spec)))
        }
        let codes = ExitCode.allCases.map { code -> JSONValue in
            .object([
                "code": .number(code.rawValue), "name": .string(code.name), "meaning": .string(code.meaning),
            ])
        }
        try context.output.answer(
            .object(["commands": .array(Verbs.all.map { json(of: $0.spec) }), "exitCodes": .array(codes)]))
    }

    private static func json(of verb: VerbSpec) -> JSONValue {
        .object([
            "name": .string(verb.name), "summary": .string(verb.summary), "details": .string(verb.details),
            "usage": .string(HelpText.usageLine(of: verb)),
            "options": .array(
                verb.allOptions.map { option in
                    .object([
                        "name": .string(option.name), "short": option.short.map { .string(String($0)) },
                        "value": option.placeholder.map { .string($0) }, "help": .string(option.help),
                        "choices": option.choices.isEmpty ? nil : .array(option.choices.map { .string($0) }),
                    ])
                }),
            "example": .string(verb.example),
        ])
    }
}
