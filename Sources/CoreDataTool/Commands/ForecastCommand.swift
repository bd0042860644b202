import CoreData
import Foundation

/// `coredata forecast`: the steps and the cost of a migration of a store, without changing it.
package struct ForecastCommand: Command {
    package static let page = CommandPage(
        "forecast", "say what a migration of a store would do and cost, and what stands in its way",
        operands: [.store],
        discussion: [
            "Reads only. An SQLite store takes milliseconds at any size.",
            "With --sql the output is a file of the statements in their order, for administrators. Comments have the "
                + "rows that a statement goes through, the locks and their time, and what cannot be undone. Work of a "
                + "program (mapping models, handlers of stages, derived attributes that the database cannot compute) "
                + "is marked where it takes place. SQLite's own shell lacks the framework's functions, which begin "
                + "with OCD_.",
            "--verify runs the statements on a copy, migrates another copy, and compares the two. A file is copied "
                + "into the temporary folder. For a database two databases are made on its server, which needs the right "
                + "CREATEDB, and dropped afterwards.",
        ],
        options: MigrationOrder.options + [
            Option("sql", "print the statements instead"),
            Option("verify", "with --sql: run the statements on a copy, and compare the result with a migration"),
            Option("online", "a migration beside other programs, for PostgreSQL"),
            .json,
        ],
        examples: [
            .init("coredata forecast Library.sqlite --model Library.momd", "forecast one to the current version"),
            .init(
                "coredata forecast Library.sqlite -m Library.momd --to 'Library 3'", "forecast one to another version"),
            .init(
                "coredata forecast Library.sqlite -m Library.momd --sql --verify > step.sql",
                "write the statements to a file, and check that they make what a migration makes"),
        ],
        found:
            "the migration is not possible (something cannot be inferred, values would be lost, the disk is too full), "
            + "or --verify found differences"
    )

    private let order: MigrationOrder
    private let isJSON: Bool
    private let wantsStatements: Bool
    private let verifies: Bool

    package init(_ arguments: Arguments) throws {
        wantsStatements = arguments.has("sql")
        verifies = arguments.has("verify")
        if verifies, !wantsStatements { throw arguments.misuse("'--verify' goes with '--sql'") }
        var order = try MigrationOrder(arguments)
        order.isOnline = arguments.has("online")
        order.wantsStatements = wantsStatements
        self.order = order
        isJSON = arguments.has(.json)
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let opened = try order.open()
        let verification = verifies ? try opened.verification() : nil
        let report = ForecastReport(order: opened, forecast: try verification?.forecast ?? opened.forecast())
        if isJSON {
            try console.write(report.json)
        } else if wantsStatements, report.isClear, !report.forecast.statements.isEmpty {
            try report.writeScript(console)
        } else {
            try report.write(console)
        }
        guard let verification, report.isClear else { return report.isClear ? .done : .found }
        return tell(verification, console) ? .done : .found
    }

    /// Says on the standard error what the comparison has shown. Returns whether the statements are verified.
    private func tell(_ verification: MigrationStatementsVerification, _ console: Console) -> Bool {
        if verification.forecast.statements.isEmpty { return true }
        for line in verification.differences { console.say(Table.onOneLine("differs: \(line)")) }
        for line in verification.notCompared { console.say(Table.onOneLine("not compared: \(line)")) }
        if verification.isVerified {
            console.say("verified: the statements make what a migration makes")
        } else if verification.differences.isEmpty {
            console.say("not verified: code of a program takes part")
        }
        return verification.isVerified
    }
}
