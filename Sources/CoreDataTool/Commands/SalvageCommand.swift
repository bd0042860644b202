import CoreData
import Foundation

/// `coredata salvage`: a new store with all rows that can be read of a damaged one.
package struct SalvageCommand: Command {
    package static let page = CommandPage(
        "salvage", "bring what can be read of a damaged SQLite store into a new one",
        operands: [.store],
        discussion: [
            "STORE is only read, page by page, without SQLite: also where its header, its tables' definitions or its "
                + "list of free pages are damaged, where it was cut short, and where the -wal beside it is another "
                + "store's. No program may write it at that time. The new store is made anew, and has its name when it is "
                + "whole; where there is something of that name, it stays as it is.",
            "Rows keep their numbers, values and links, and external files are copied. Each line of the "
                + "output names something that cannot be read: values that are nil now, links to rows that were not "
                + "found, rows and pages. Rows that were deleted do not come back. The history is left out.",
            "The model is the one that the store keeps, where that can be read. 'coredata verify' checks the new "
                + "store, and 'coredata repair' repairs what it can in it. A backup has more, where there is one.",
        ],
        options: [
            Option("output", letter: "o", value: "NEW", completion: .file, "where the new store is made; needed"),
            .model, .json,
        ],
        examples: [
            .init("coredata salvage Library.sqlite -o Salvaged.sqlite", "bring out what can be read"),
            .init(
                "coredata salvage Library.sqlite -o Salvaged.sqlite --model Library.momd",
                "by a model, where the store's own one is damaged, too"),
            .init(
                "coredata salvage Library.sqlite -o New.sqlite --json | jq '.findings[] | select(.kind == \"row\")'",
                "the rows that are lost, for a script"),
        ],
        found: "the new store was made, and something could not be brought out")

    private let store: String
    private let target: String
    private let model: String?
    private let isJSON: Bool

    package init(_ arguments: Arguments) throws {
        store = try arguments.required(0)
        guard let target = arguments.value("output") else {
            throw arguments.misuse("'--output' is missing")
        }
        self.target = target
        model = arguments.value("model")
        isJSON = arguments.has(.json)
    }

    package func run(_ console: Console) throws -> ExitStatus {
        // The first bytes may be damaged, too, so they cannot identify the kind of the file.
        guard let url = store.hasPrefix("file:") ? URL(string: store) : URL(fileURLWithPath: store), url.isFileURL,
            !store.contains("://") || store.hasPrefix("file:")
        else { throw ToolError(.usage, "\(store): files alone are salvaged") }
        let model = try model.map { try Self.model($0, of: url) }
        let draft = try StoreDraft(of: try StoreKindName.sqlite.url(target), type: NSSQLiteStoreType, shown: target)
        defer { draft.discard() }
        let report: StoreSalvageReport
        do {
            report = try WorkLine.following("salvaging", on: console) { progress in
                try NSPersistentStoreCoordinator.salvage(
                    storeAt: url, into: draft.url, model: model,
                    options: [NSMigrationProgressOption: progress, NSPersistentStoreTimeoutOption: 2])
            }
        } catch let error as NSError where error.code == NSMigrationMissingSourceModelError {
            throw ToolError(
                .unreadable, ToolError(error, at: store).message,
                details: ["Name the model: --model PATH (.xcdatamodeld, .xcdatamodel, .momd, .mom)."])
        } catch {
            throw ToolError(error, at: store)
        }
        try draft.publish()
        try isJSON ? writeJSON(report, console) : writeText(report, console)
        return report.isWhole ? .done : .found
    }

    /// The version of a model that fits the store; the current one if the store's metadata cannot be read.
    private static func model(_ path: String, of url: URL) throws -> NSManagedObjectModel {
        let file = try ModelArgument(path)
        let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(
            type: .sqlite, at: url, options: StoreAddress.readingOptions)
        return (metadata.flatMap { file.version(fitting: $0) } ?? file.current).model
    }

    // MARK: Output

    private func writeJSON(_ report: StoreSalvageReport, _ console: Console) throws {
        let entities = report.entities.map { entity in
            JSON.object([
                ("name", .string(entity.name)), ("rows", .integer(Int64(entity.rowCount))),
                ("lostRows", .integer(Int64(entity.lostRowCount))),
                ("lostValues", .integer(Int64(entity.lostValueCount))),
            ])
        }
        let findings = report.findings.map { finding in
            JSON.object([
                ("kind", .string(finding.kind.rawValue)), ("entity", .optional(finding.entityName)),
                ("number", .optional(finding.number)), ("property", .optional(finding.propertyName)),
                ("text", .string(finding.text)),
            ])
        }
        try console.write(
            .object([
                ("store", .string(target)), ("from", .string(store)), ("entities", .array(entities)),
                ("links", .integer(Int64(report.pairCount))), ("lostLinks", .integer(Int64(report.lostPairCount))),
                ("pages", .integer(Int64(report.pageCount))),
                ("unreadPages", .array(report.unreadPages.map { .integer(Int64($0)) })),
                ("foundPages", .integer(Int64(report.foundPageCount))),
                ("findingCount", .integer(Int64(report.findingCount))), ("findings", .array(findings)),
            ]))
    }

    private func writeText(_ report: StoreSalvageReport, _ console: Console) throws {
        for finding in report.findings { try console.line(Table.onOneLine(Self.line(finding))) }
        if report.findingCount > report.findings.count {
            try console.line("and \(report.findingCount - report.findings.count) more")
        }
        if !report.findings.isEmpty { try console.line() }
        if !report.entities.isEmpty {
            var table = Table(
                [
                    .init("entity"), .init("rows", isNumber: true), .init("lost rows", isNumber: true),
                    .init("lost values", isNumber: true),
                ], on: console)
            for entity in report.entities {
                try table.add([
                    entity.name, "\(entity.rowCount)", "\(entity.lostRowCount)", "\(entity.lostValueCount)",
                ])
            }
            try table.finish()
            try console.line()
        }
        var parts = ["\(report.rowCount) rows", "\(report.pairCount) links"]
        if report.lostPairCount > 0 { parts.append("\(report.lostPairCount) links lost") }
        if !report.unreadPages.isEmpty {
            parts.append("\(report.unreadPages.count) of \(report.pageCount) pages unread")
        }
        if report.foundPageCount > 0 { parts.append("\(report.foundPageCount) pages found again") }
        if report.isWhole { parts.append("nothing was wrong") }
        try console.line(Table.onOneLine("made \(target): \(parts.joined(separator: ", "))"))
    }

    /// A line such as `Book/12.author: leads to Author 99, which was not found; it is nil now`.
    private static func line(_ finding: StoreSalvageReport.Finding) -> String {
        let row = finding.entityName.map { entity in entity + (finding.number.map { "/\($0)" } ?? "") }
        let place = row.map { $0 + (finding.propertyName.map { ".\($0)" } ?? "") }
        return "\(place.map { "\($0): " } ?? "")\(finding.text)"
    }
}
