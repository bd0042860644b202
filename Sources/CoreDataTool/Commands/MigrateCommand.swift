import CoreData
import Foundation

/// `coredata migrate`: brings a store to another version of its model.
package struct MigrateCommand: Command {
    package static let page = CommandPage(
        "migrate", "bring a store to another version of its model",
        operands: [.store],
        discussion: [
            "Prints nothing while it works, unless the standard error is a terminal: there a bar shows the stage, the "
                + "entity, its rows and the time that is left. ^C cancels: the store is then as it was. The next "
                + "call resumes a killed migration, or begins it anew.",
            "Values that the version to reach has no place for are not lost silently: each has to be named by "
                + "--allow-loss. Code of a program's own (policies, handlers of stages) is not here; a store that "
                + "needs it is migrated by its program.",
            "A store that CloudKit mirrors is migrated only where its entities keep their names and numbers, unless "
                + "--ignore-cloudkit is given. CloudKit's tables are never written.",
        ],
        options: MigrationOrder.options + [
            Option("dry-run", letter: "n", "only print what would be done, as 'coredata forecast' does"),
            Option(
                "backup", value: "DIR", completion: .folder,
                "first copy the store, with its -wal and its external files, to this folder"),
            Option("while-open", "migrate although another process has the store open, if it holds no lock"),
            Option("wait", value: "SECONDS", "wait for programs that have the store open; by default not at all"),
            .json,
        ],
        examples: [
            .init("coredata migrate Library.sqlite --model Library.momd --dry-run", "forecast only"),
            .init(
                "coredata migrate Library.sqlite --model Library.momd --backup Backups", "keep the old store, too"),
        ],
        found: "--dry-run found that the migration is not possible")

    private let order: MigrationOrder
    private let isDry: Bool
    private let backup: String?
    private let patience: Int
    private let whileOpen: Bool
    private let isJSON: Bool

    package init(_ arguments: Arguments) throws {
        order = try MigrationOrder(arguments)
        isDry = arguments.has("dry-run")
        backup = arguments.value("backup")
        patience = try arguments.number("wait", atLeast: 0) ?? 0
        whileOpen = arguments.has("while-open")
        isJSON = arguments.has(.json)
        if backup != nil, arguments.operand(0)?.hasPrefix("postgres") == true {
            throw arguments.misuse("'--backup' copies files; a database is copied by its own tools, such as pg_dump")
        }
    }

    package var writesStore: Bool { true }

    package func run(_ console: Console) throws -> ExitStatus {
        let opened = try order.open()
        let store = opened.store.shown
        let report = ForecastReport(order: opened, forecast: try opened.forecast())
        if isDry {
            isJSON ? try console.write(report.json) : try report.write(console)
            return report.isClear ? .done : .found
        }
        guard report.forecast.isMigrationRequired else {
            try tell(report, nil, console)
            return .done
        }
        if let refusal = report.refusal { throw refusal }
        let migration = FollowedMigration()
        let copy: URL?
        do {
            // This check comes before a copy is made, which would be of no use.
            if patience == 0, !whileOpen { try FollowedMigration.requireClosed(opened.store.url) }
            copy = try backup.map { try StoreBackup.make(of: opened.store, in: $0, waiting: patience) }
            try Interruption.check()
            try migration.run(
                opened.job(), waiting: patience, whileOpen: whileOpen,
                message: Table.onOneLine("\(store) is brought to version \(report.target); ^C cancels."),
                columns: console.errorColumns, write: { console.draw($0) })
        } catch {
            throw Self.error(error, store)
        }
        guard try opened.isReached() else {
            throw ToolError(.failed, "\(store): the migration ended, but the store is not of version \(report.target)")
        }
        try tell(report, copy, console)
        return .done
    }

    private func tell(_ report: ForecastReport, _ copy: URL?, _ console: Console) throws {
        let isMigrated = report.forecast.isMigrationRequired
        guard !isJSON else {
            return try console.write(
                .object([
                    ("isMigrated", .bool(isMigrated)),
                    ("from", report.order.source.map { .string($0.name) } ?? .null),
                    ("to", .string(report.order.target.name)), ("backup", copy.map { .string($0.path) } ?? .null),
                    ("mirror", MirrorText.json(report.forecast.mirror)),
                ]))
        }
        if let copy { try console.line(Table.onOneLine("the old store is kept at \(copy.path)")) }
        guard isMigrated else { return try report.write(console) }
        try console.line(Table.onOneLine("\(report.order.store.shown) is of version \(report.target) now"))
        if let mirror = report.forecast.mirror { try MirrorText(mirror).tell(console, isJSON: false) }
    }

    /// The error of a migration. Its message names the store, and this command's option to wait.
    private static func error(_ error: any Error, _ store: String) -> ToolError {
        let error = ToolError(error, at: store).naming(waitingOption: "--wait SECONDS")
        if error.status == .cancelled {
            return ToolError(.cancelled, "\(store): the migration was cancelled; the store is as it was")
        }
        let name = URL(fileURLWithPath: store).lastPathComponent
        return ToolError(
            error.status, error.message.contains(name) ? error.message : "\(store): \(error.message)",
            details: error.details)
    }
}
