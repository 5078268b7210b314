import Domain

/// `config`: what is configured and where it comes from.
enum ConfigVerb {
    /// The verb.
    static let verb = Verb(
        spec: VerbSpec(
            "config", summary: "show the settings that hold, or an example file",
            details: """
                'config show' lists every setting with its value and who set it: an option, the environment, the \
                configuration file, or nobody. 'config --example' prints a complete configuration in which every \
                setting is explained and commented out.
                """,
            positionals: [PositionalSpec("ACTION", .optional, choices: ["show"], "what to do; show without one")],
            options: [.flag("example", "print a complete, commented configuration")] + Settings.options,
            example: "satchel config --example > ~/.config/satchel/config.json5"),
        run: { context throws(Failure) in
            if context.invocation.has("example") {
                let example = ConfigurationFile.example
                if context.invocation.wantsJSON {
                    try context.output.answer(.object(["example": .string(example)]))
                } else {
                    try context.output.answer(example)
                }
            } else {
                try show(context)
            }
            return .done
        })

    private static func show(_ context: CommandContext) throws(Failure) {
        let places = try context.places()
        let file = try context.configurationFile(in: places)
        let entries = try context.configuration(in: places).entries
        guard context.invocation.wantsJSON else {
            let rows = entries.map { entry in
                [
                    entry.setting.key, DisplayText.line(entry.value.map(ConfigurationFile.text(of:)) ?? "not set"),
                    entry.origin.description,
                ]
            }
            try context.output.answer(Table.lines(["SETTING", "VALUE", "SET BY"], rows))
            let state = file == nil ? " (there is none)" : ""
            return try context.output.answer(
                "\nfile     \(places.configuration)\(state)\ndata     \(places.data)\nsocket   \(places.controlSocket)\n"
            )
        }
        let settings = entries.map { entry -> JSONValue in
            .object([
                "key": .string(entry.setting.key), "value": entry.value.map(json) ?? .null,
                "origin": .string(entry.origin.description), "environment": .string(entry.setting.environment),
                "option": .string("--" + entry.setting.option),
            ])
        }
        try context.output.answer(
            .object([
                "file": .string(places.configuration), "fileExists": .bool(file != nil), "data": .string(places.data),
                "socket": .string(places.controlSocket), "settings": .array(settings),
            ]))
    }

    private static func json(_ value: SettingValue) -> JSONValue {
        switch value {
        case .text(let text): .string(text)
        case .flag(let flag): .bool(flag)
        case .number(let number): .number(number)
        case .list(let texts): .array(texts.map { .string($0) })
        }
    }
}
