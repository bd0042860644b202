import CoreData
import Foundation

/// `coredata convert`: a store's content in a store of another kind.
package struct ConvertCommand: Command {
    package static let page = CommandPage(
        "convert", "make a store of another kind: SQLite, XML, binary, PostgreSQL",
        operands: [.store, Operand("TO", completion: .file)],
        discussion: [
            "TO is a path, or the URL of a database (postgresql://host/database). It is made anew: where there is "
                + "something already, it stays as it is. Afterwards every object of both stores is compared; the old "
                + "store is only read.",
            "From and to databases, rows keep their ids. Values that PostgreSQL cannot hold are listed before "
                + "anything is written, and dates are kept to the microsecond. Objects of XML and binary stores have "
                + "ids of their own; these kinds hold everything in memory, and have no history.",
            "With --for-apple, a SQLite store gets the triggers by which Apple's framework keeps derived attributes. "
                + "Other programs can then not write to the tables of these attributes: they get the error 'no such "
                + "function: NSCoreDataDATriggerUpdatedAffectedObjectValue'.",
            "A file gets its name when it is whole: after a kill, the next call begins anew. The filling of a database "
                + "is resumed.",
        ],
        options: [
            Option(
                "type", letter: "t", value: "TYPE", completion: .words(StoreKindName.allCases.map(\.rawValue)),
                StoreKindName.help),
            Option("for-apple", "make a SQLite store that a program on a Mac may write to, too"), .model, .json,
        ],
        examples: [
            .init("coredata convert Library.sqlite Library.xml", "make an XML store"),
            .init("coredata convert Library.sqlite Mac.sqlite --for-apple", "make a store that a Mac writes to"),
            .init("coredata convert Library.sqlite postgresql://localhost/library", "move to a database"),
        ])

    private let store: String
    private let target: String
    private let type: StoreKindName
    private let model: String?
    private let isJSON: Bool
    private let isForApple: Bool

    package init(_ arguments: Arguments) throws {
        store = try arguments.required(0)
        target = try arguments.required(1)
        type = try StoreKindName.given(arguments, target)
        model = arguments.value("model")
        isJSON = arguments.has(.json)
        isForApple = arguments.has("for-apple")
        if isForApple, type != .sqlite {
            throw ToolError.usage("--for-apple makes a SQLite store, and not one of the type \(type.rawValue)")
        }
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let source = try ResolvedStore(store, model: model)
        let url = try type.url(target)
        let shown = type == .postgresql ? StoreAddress.shown(url) : target
        let transfer = GraphTransfer(source: source, console: console)
        if isForApple { try requireTriggers(of: source) }
        var names: [String: String]?
        var made = GraphTransfer.Summary()
        let summary: GraphTransfer.Summary
        if type == .postgresql {
            (summary, made, names) = try fill(url, shown, transfer)
        } else {
            let draft = try StoreDraft(of: url, type: type.storeType, shown: shown)
            defer { draft.discard() }
            switch (source.address.type, type) {
            case (NSSQLiteStoreType, .sqlite):
                try transfer.requireFiles()
                try source.address.copy(to: draft.url, shown: shown)
            case (StoreKindName.postgresql.storeType, .sqlite): try move(source, to: draft.url, shown, console)
            default: (made, names) = try transfer.make(type.storeType, at: draft.url, shown: shown)
            }
            if isForApple { try addTriggers(to: draft.url, of: source, shown) }
            let copy = try ResolvedStore(draft.url, type: type.storeType, model: source.model, shown: shown)
            summary = try transfer.compare(
                with: copy, names: names, isRounded: source.address.type == StoreKindName.postgresql.storeType)
            try draft.publish()
        }
        var text = ExchangeSummary(
            verb: "converted", preposition: "into", place: shown, counts: summary.counts,
            facts: [
                ("from", .string(source.shown)), ("type", .string(type.storeType)),
                ("keepsIDs", .bool(made.keepsNumbers)), ("verified", .bool(true)),
            ],
            remarks: ["every object was compared"] + (made.keepsNumbers ? [] : ["they have other ids there"])
                + (type == .xml || type == .binary ? ["it keeps no model: name one with --model"] : []))
        text.note(dangling: made.dangling, console)
        if type != .sqlite { text.note(mirror: try source.mirror(source.context()), console) }
        try text.write(isJSON: isJSON, on: console)
        return .done
    }

    /// Throws if Apple's triggers for a derived attribute are not known, before anything is copied.
    private func requireTriggers(of source: ResolvedStore) throws {
        do {
            try DerivedAttributeTriggers.require(for: source.model)
        } catch {
            let error = ToolError(error, at: source.shown)
            throw ToolError(.failed, error.message, details: error.details)
        }
    }

    /// Makes the triggers of the new store by opening it for writing.
    ///
    /// No other connection has the new store open, so that the triggers are in its main file afterwards, and not in a
    /// `-wal`.
    private func addTriggers(to url: URL, of source: ResolvedStore, _ shown: String) throws {
        let reading = try source.context()
        let keepsHistory = try reading.performAndWait { try source.keepsHistory(reading) }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: source.model)
        do {
            let store = try coordinator.addPersistentStore(
                ofType: type.storeType, configurationName: nil, at: url,
                options: [
                    NSSQLiteDerivedAttributeTriggersOption: true, NSPersistentHistoryTrackingKey: keepsHistory,
                ])
            try coordinator.remove(store)
        } catch {
            throw ToolError(error, at: shown)
        }
    }

    // MARK: Databases

    /// Fills a database. A store without rows becomes an SQLite store first.
    private func fill(
        _ url: URL, _ shown: String, _ transfer: GraphTransfer
    ) throws -> (GraphTransfer.Summary, GraphTransfer.Summary, [String: String]?) {
        let source = transfer.source
        var made = GraphTransfer.Summary()
        var names: [String: String]?
        if [NSSQLiteStoreType, StoreKindName.postgresql.storeType].contains(source.address.type) {
            try transfer.requireFiles()
            try move(source, to: url, shown, transfer.console)
        } else {
            try ScratchFolder.with { folder in
                let between = folder.appendingPathComponent("Store.sqlite")
                (made, names) = try transfer.make(NSSQLiteStoreType, at: between, shown: shown)
                let rows = try ResolvedStore(between, type: NSSQLiteStoreType, model: source.model, shown: source.shown)
                try move(rows, to: url, shown, transfer.console)
            }
        }
        let target = try ResolvedStore(url, type: type.storeType, model: source.model, shown: shown)
        return (try transfer.compare(with: target, names: names, isRounded: true), made, names)
    }

    /// Moves the rows of a store to another database by the library.
    private func move(_ source: ResolvedStore, to url: URL, _ shown: String, _ console: Console) throws {
        // Rows are moved as they are stored, so the model is the one that the other store will keep.
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: source.model)
        do {
            let store = try coordinator.addPersistentStore(
                ofType: source.address.type, configurationName: nil, at: source.url,
                options: [NSReadOnlyPersistentStoreOption: true])
            try WorkLine.following("converting", on: console) { progress in
                let moved = try coordinator.migratePersistentStore(
                    store, to: url, options: [NSMigrationProgressOption: progress], withType: type.storeType)
                try coordinator.remove(moved)
            }
        } catch {
            throw Self.told(error, shown)
        }
    }

    /// An error of moving, with the values that the database cannot hold.
    private static func told(_ error: any Error, _ shown: String) -> ToolError {
        let info = (error as NSError).userInfo
        guard let values = info[NSMigrationUnfitValuesErrorKey] as? [MigrationUnfitValue] else {
            return ToolError(error, at: shown)
        }
        let count = info[NSMigrationUnfitValueCountErrorKey] as? Int ?? values.count
        let lines = values.map { Table.onOneLine("  \($0)") }
        return ToolError(
            .failed, "\(shown) cannot hold \(count) value\(count == 1 ? "" : "s") of the store; nothing was written",
            details: lines + (count > values.count ? ["  … and \(count - values.count) more"] : []))
    }
}
