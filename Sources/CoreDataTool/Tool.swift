// Implementation notes: CoreDataTool.
//
// - This module is the program `coredata` without its `main.swift`, so that tests reach its parts. It uses the public
//   interface of the framework and of the launch library. Functions that an application might need, too, are added to
//   the public interface. From the `package` interface it uses the words for addresses and types in messages, and the
//   functions of `coredata-modelc`.
// - A command runs in these steps: `Tool` finds the command, `Arguments` reads the options (getopt_long),
//   `Command.init` checks their sense, and `Command.run` writes to the `Console`.
// - Each command has a description of its arguments (`CommandPage`). Help, completion for three shells and the manual
//   page are made of it, so no option is parsed twice or is without help.
// - `CCommandLine` is the part of the C library that Foundation's Glibc module hides: `getopt_long`, and `wcwidth` for
//   the columns that a character takes.
// - A command opens no file before its arguments have been checked. It opens a store read-only unless its purpose is to
//   write. It throws a `ToolError`: a line, details below it, and an exit status with a meaning.
// - `ResolvedStore` finds the model: in the store, at the path of `--model`, or beside the store. It removes the
//   program's classes from a copy of the model, and transformable values are read as the bytes that are in the store.
//   So no class of a store's program is needed, and no class that an archive names is instantiated.
// - ^C is recorded in one place (`Interruption`), by a handler that writes to a pipe. A dispatch source loses signals
//   that reach a thread of a library. Work checks the flag where no change is half done, and ends with the status 130.
// - All text on a terminal has passed `Table.onOneLine`, so an escape sequence in a store does not reach the terminal.
//   Results are written as they are read. A table takes its widths from the first 500 rows.
// - `ListedObjects` reads in one state of the store, a batch at a time, for `fetch` and for exports of the studio.
//   `fetch` reads by `ManagedSlot` and writes JSON without values in between (`ObjectLines`). The lines of a batch are
//   dropped if reading fails (`Console.whole`). `PredicateKeys` finds unknown keys before the request reaches the
//   store. `DecodedBytes` shows transformable values, but only property lists and archives of property-list values.
// - `Models/` has a model as facts (`ModelFact`): `model show` prints them, `model diff` compares them.
//   `MigrationOutlook` forecasts by an empty store of the older version. Graphviz's `dot` draws `coredata model
//   diagram`. It is started as a program, so the build does not depend on it.
// - `ModelSources/` edits the sources of models. `XMLFileText` has the bytes of a file with the places of its elements;
//   `ModelEditor` replaces bytes there, so all other bytes stay. `ModelSourceWriter` and `ModelOfTables` make new
//   sources, and note what has no place in one.
// - `SwiftModels/` writes the classes of a model for SwiftData, with the version hashes of the model.
// - `Migrations/` runs a migration with its progress: one thread migrates, the main one draws, SIGINT cancels
//   (`FollowedMigration`). `StoreUsers` lists the processes that have a file open.
// - `Exchange/` copies graphs from one store to another. `GraphWalk` reads all objects in one query generation.
//   `GraphLine` and `ExactValue` make lines of them, by which two stores are compared as well. `GraphWriter` makes the
//   store with the original model and fills it through one without classes. `StoreDraft` makes a store in a locked
//   folder beside its place, and renames it.
// - `Verification/` checks every object by the public interface. It reads links as ids, so that a dangling one is no
//   fault. Facts of the tables come from `inspect(_:for: .irregularities)` (`StoreFinding+Tables`). For `DerivedValues`
//   the store computes derived attributes; the program does it if the store has no tables. A finding has its repair
//   (`Repair`).
// - `Repairs/` copies into a `StoreDraft`, verifies, repairs and verifies again (`StoreRepair`). `RepairPass` writes
//   through a model in which one-to-one relationships have no inverses, as `GraphWriter` does. `OneSidedLinks` decides
//   which links are made two-sided and which are removed.

import CoreData
import Foundation

/// The program `coredata`: finds the command, runs it, and returns its exit status.
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
        ModelCheckCommand.self,
        ModelHashCommand.self,
        ModelDiagramCommand.self,
        ModelCompileCommand.self,
        ModelNewCommand.self,
        ModelEditCommand.self,
        ModelAddVersionCommand.self,
        ModelFromCommand.self,
        ModelSwiftCommand.self,
        GenerateCommand.self,
        LintCommand.self,
        PortingCommand.self,
        CompletionCommand.self,
        ManualCommand.self,
    ]

    /// Runs the program with the arguments after its name.
    ///
    /// - Parameter isProcess: whether no other code in the process uses stores.
    /// - Returns: the exit status.
    package static func run(
        _ arguments: [String], _ console: Console = Console(), isProcess: Bool = false
    ) -> Int32 {
        // The reader of a pipe may end. The write then fails, and is reported as an error of this program.
        signal(SIGPIPE, SIG_IGN)
        // A file may become larger than the limit of the process. That write fails, too. Unlike SIG_IGN, a handler is
        // not inherited by the programs that are started.
        signal(SIGXFSZ) { _ in }
        do {
            let status = try dispatch(arguments, console, isProcess)
            try console.flush()
            return status.rawValue
        } catch {
            let error = ToolError(error)
            // The caller gets the results before the mistake.
            if error.status != .closed { try? console.flush() }
            // A name or a value in the message may contain any characters.
            console.say("coredata: \(Table.onOneLine(error.message))")
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
        // A user who has recorded a hash of each file must find it unchanged.
        if isProcess, !work.writesStore { UntouchedSharedMemoryFiles.areWanted = true }
        return try work.run(console)
    }

    /// The command that the first words name, and the words after them.
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
