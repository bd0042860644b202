import CoreData
import Foundation

/// `coredata forecast`: the steps and the cost of a migration of a store, without changing it.
package struct ForecastCommand: Command {
    package static let page = CommandPage(
        "forecast", "say what a migration of a store would do and cost, and what stands in its way",
        operands: [.store],
        discussion: ["Reads only. An SQLite store takes milliseconds at any size."],
        options: MigrationOrder.options + [.json],
        examples: [
            .init("coredata forecast Library.sqlite --model Library.momd", "forecast one to the current version"),
            .init(
                "coredata forecast Library.sqlite -m Library.momd --to 'Library 3'", "forecast one to another version"),
        ],
        found: "the migration is not possible: something cannot be inferred, values would be lost, the disk is too full"
    )

    private let order: MigrationOrder
    private let isJSON: Bool

    package init(_ arguments: Arguments) throws {
        order = try MigrationOrder(arguments)
        isJSON = arguments.has(.json)
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let opened = try order.open()
        let report = ForecastReport(order: opened, forecast: try opened.forecast())
        isJSON ? try console.write(report.json) : try report.write(console)
        return report.isClear ? .done : .found
    }
}
