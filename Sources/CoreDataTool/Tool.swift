// About the room CoreDataTool.
//
// - This module is the program `coredata` without its `main.swift`, so that tests reach its parts. It uses the public
//   interface of the framework and of the launch library. If it needs something that an application might need, too,
//   that is an addition to the public interface. Of the package's own it takes the words of messages for addresses and
//   types, and the work of `coredata-modelc`.
// - The way of a command: `Tool` finds the command, `Arguments` reads the options (getopt_long), `Command.init` checks
//   their sense, and `Command.run` writes to the `Console`.
// - A command says of itself which arguments it takes (`CommandPage`). Help, completion for three shells and the manual
//   page are made of that, so nothing is parsed twice and no option is without help.
// - `CCommandLine` is the part of the C library that Foundation's Glibc module hides: `getopt_long`, and `wcwidth` for
//   the columns that a character takes.
// - A command opens nothing before its arguments make sense. It opens read-only unless it is there to write. It throws
//   a `ToolError`: one line, details below it, and an exit status with a meaning.
// - `OpenedStore` finds the model: in the store, at the place of `--model`, or beside the store. The program's classes
//   are taken out of a copy of it, and transformable values are read as the bytes that lie in the store. So no class of
//   a store's program is needed, and no class that an archive names is made.
// - ^C is noted in one place (`Interruption`), by a handler that writes to a pipe. A source of Dispatch's loses signals
//   that reach a thread of a library. Work looks at it where nothing is half done, and ends with the status 130.
// - All text on a terminal has passed `Table.onOneLine`: an escape sequence in a store does not reach it. Results are
//   written as they are read. A table takes its widths from the first 500 rows.
// - `ListedObjects` reads in one state of the store, a batch at a time, for `fetch` and for exports of the studio.
//   `fetch` reads by `ManagedSlot` and writes JSON without values in between (`ObjectLines`). The lines of a batch are
//   dropped if reading fails (`Console.whole`). `PredicateKeys` looks for unknown keys before the store is asked.
//   `DecodedBytes` shows transformable values: property lists and archives of plain values alone.
// - `Models/` has a model as facts (`ModelFact`): `model show` prints them, `model diff` compares them.
//   `MigrationOutlook` forecasts by an empty store of the older version. Graphviz's `dot` draws `coredata model
//   diagram`. It is started as a program, so building needs none of it.
// - `Migrations/` follows a migration: a thread migrates, the main one draws, SIGINT cancels (`FollowedMigration`).
//   `StoreUsers` tells which processes have a file open.
// - `Exchange/` brings graphs from one store to another. `GraphWalk` reads all objects in one query generation.
//   `GraphLine` and `ExactValue` make lines of them, by which two stores are compared as well. `GraphWriter` makes the
//   store with the original model and fills it through one without classes. `StoreDraft` makes a store in a locked
//   folder beside its place, and renames it.
// - `Verification/` looks at every object by public means alone. A link is asked for by ids, so a dangling one is no
//   fault. Facts that tables alone know come from `inspect(_:for: .irregularities)` (`StoreFinding+Tables`).
//   `DerivedValues` has the store compute derived attributes, or the program where the store keeps no tables. A finding
//   carries its `Mend`.
// - `Repairs/` copies into a `StoreDraft`, verifies, mends and verifies again (`StoreRepair`). `StoreMender` writes
//   through a model whose one-to-one sides do not know each other, as `GraphWriter` does. `OneSidedLinks` decides which
//   links are made and which go.

import CoreData
import Foundation

/// The program `coredata`: finds the command, runs it, and says how it ended.
package enum Tool {
    /// The version of all of OpenCoreData. `CHANGELOG.md` begins with it, and `bin/package` takes it from the program.
    package static let version = "0.1.0"

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
    ///
    /// - Parameter isProcess: whether nothing else in the process uses stores.
    /// - Returns: the exit status.
    package static func run(
        _ arguments: [String], _ console: Console = Console(), isProcess: Bool = false
    ) -> Int32 {
        // The reader of a pipe may end. The write then fails, and is reported as an error of ours.
        signal(SIGPIPE, SIG_IGN)
        // A file may become larger than the process may have it: that write fails, too. A handler is none of the
        // programs' that are started.
        signal(SIGXFSZ) { _ in }
        do {
            let status = try dispatch(arguments, console, isProcess)
            try console.flush()
            return status.rawValue
        } catch {
            let error = ToolError(error)
            // The caller gets the results that were found before the mistake.
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

    private static func dispatch(
        _ arguments: [String], _ console: Console, _ isProcess: Bool
    ) throws -> ExitStatus {
        let width = min(console.columns ?? 80, 100)
        guard let first = arguments.first else {
            throw ToolError(.usage, "no command", details: [Help.text(of: commands.map { $0.page }, width: width)])
        }
        if ["--help", "-h", "help"].contains(first) {
            if first == "help", arguments.count > 1 {
                return try dispatch(Array(arguments.dropFirst()) + ["--help"], console, isProcess)
            }
            try console.line(Help.text(of: commands.map { $0.page }, width: width))
            return .done
        }
        if first == "--version" {
            guard arguments.count == 1 else { throw ToolError.usage("'--version' stands alone") }
            try console.line("coredata \(version)")
            return .done
        }
        let (command, rest) = try command(of: arguments)
        let parsed = try Arguments(rest, of: command.page)
        if parsed.wantsHelp {
            try console.line(Help.text(of: command.page, width: width))
            return .done
        }
        let work = try command.init(parsed)
        // A person who has noted a hash of each file finds it again.
        if isProcess, !work.writesStore { UntouchedIndexes.areWanted = true }
        return try work.run(console)
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
