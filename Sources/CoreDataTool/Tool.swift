import Foundation

/// The program `coredata`: finds the command, runs it, and says how it ended.
package enum Tool {
    package static let commands: [any Command.Type] = [
        InfoCommand.self,
        FetchCommand.self,
        CountCommand.self,
        DistinctCommand.self,
        AggregateCommand.self,
        ShowCommand.self,
        SQLCommand.self,
        HistoryCommand.self,
        WatchCommand.self,
        StudioCommand.self,
        VerifyCommand.self,
        RepairCommand.self,
        SalvageCommand.self,
        ForecastCommand.self,
        MigrateCommand.self,
        CopyCommand.self,
        ConvertCommand.self,
        ExportCommand.self,
        ImportCommand.self,
        ModelShowCommand.self,
        ModelDiffCommand.self,
        ModelLintCommand.self,
        ModelHashCommand.self,
        ModelDiagramCommand.self,
        ModelCompileCommand.self,
        GenerateCommand.self,
        LintCommand.self,
        PortingCommand.self,
        CompletionCommand.self,
        ManualCommand.self,
    ]

    /// Runs the program with the arguments behind its name.
    /// - Returns: the exit status.
    package static func run(_ arguments: [String], _ console: Console = Console()) -> Int32 {
        // Whoever reads may go; the write that then fails is told as an error of ours.
        signal(SIGPIPE, SIG_IGN)
        do {
            let status = try dispatch(arguments, console)
            try console.flush()
            return status.rawValue
        } catch {
            let error = ToolError(error)
            // What was found before the mistake belongs to the caller.
            if error.status != .closed { try? console.flush() }
            // A name or a value in it may hold anything.
            // The option is the library's: a command that waits names its own.
            let message = error.message.replacingOccurrences(
                of: ", or wait longer (NSPersistentStoreTimeoutOption)", with: "")
            console.say("coredata: \(Table.onOneLine(message))")
            for line in error.details.flatMap({ $0.split(separator: "\n", omittingEmptySubsequences: false) }) {
                console.say(Table.onOneLine(String(line)))
            }
            return error.status.rawValue
        }
    }

    private static func dispatch(_ arguments: [String], _ console: Console) throws -> ExitStatus {
        let width = min(console.columns ?? 80, 100)
        guard let first = arguments.first else {
            throw ToolError(.usage, "no command", details: [Help.text(of: commands.map { $0.page }, width: width)])
        }
        if ["--help", "-h", "help"].contains(first) {
            if first == "help", arguments.count > 1 {
                return try dispatch(Array(arguments.dropFirst()) + ["--help"], console)
            }
            try console.line(Help.text(of: commands.map { $0.page }, width: width))
            return .done
        }
        let (command, rest) = try command(of: arguments)
        let parsed = try Arguments(rest, of: command.page)
        if parsed.wantsHelp {
            try console.line(Help.text(of: command.page, width: width))
            return .done
        }
        return try command.init(parsed).run(console)
    }

    /// The command that the first words name, and the words behind them.
    private static func command(of arguments: [String]) throws -> (any Command.Type, [String]) {
        for count in [2, 1] where arguments.count >= count {
            let name = arguments.prefix(count).joined(separator: " ")
            if let command = commands.first(where: { $0.page.name == name }) {
                return (command, Array(arguments.dropFirst(count)))
            }
        }
        let family = commands.map { $0.page.name }.filter { $0.hasPrefix("\(arguments[0]) ") }
        if !family.isEmpty {
            throw ToolError(
                .usage, "'\(arguments[0])' needs one of \(family.map { "'\($0)'" }.joined(separator: ", "))")
        }
        let nearest = NearestName.hint(arguments[0], among: commands.map { $0.page.name })
        throw ToolError.usage(
            "unknown command '\(arguments[0])'" + nearest)
    }
}
