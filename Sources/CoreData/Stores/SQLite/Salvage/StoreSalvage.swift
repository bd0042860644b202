// Implementation notes: Stores/SQLite/Salvage.
//
// - Pages are read without SQLite (`PageReader`, `WriteAheadLog`, `PageUse`, `BTreePage`, `TreeWalk`,
//   `SalvageRecords`). `SalvageSchema` recognises them by a model, and `SalvageTarget` writes a new store.
//   `SQLiteFault` describes the damage of a file that SQLite refuses.
// - Each value is used only after it has been checked against the rest of the page. The cells of a leaf are certain if
//   their sizes, with those of holes and fragments, make up the page's content. Otherwise the content of a hole, and
//   everything before the content area, is left out, because it may have been deleted.
// - A leaf that no tree leads to counts if the file marks it as in use. Either it is not on the list of free pages, and
//   that list is complete; or the pointer map (auto_vacuum) leads from it to a root.
// - Such a leaf belongs to the table of that root, or to the only table that its rows fit by their entity numbers.

import Foundation

/// Copies everything that can be read in a damaged store into a new one.
///
/// First the trees of the tables are walked. Then leaves are searched that no tree leads to any more. Only leaves that
/// are certain to be in use count, so that no deleted row returns.
final class StoreSalvage {
    private let source: SalvageSource
    private let target: SalvageTarget
    private let schema: SalvageSchema
    private let layout: ModelLayout
    private let counters: [SalvageSource.Counter]
    private let work: FollowedWork
    private var walk: TreeWalk
    private var foundPages = 0
    private var readPages = 0
    /// The indexes of the entities in the model's layout, by the entity numbers of rows.
    private let entityOfNumber: [Int64: Int]

    /// Salvages a store. If that fails, the files of the new store are removed.
    static func salvage(
        _ url: URL, into newURL: URL, model: NSManagedObjectModel?, options: [AnyHashable: Any]?
    ) throws -> StoreSalvageReport {
        for url in [url, newURL] { try StorePlace.requireFileURL(url) }
        try SQLiteStoreMetadata.requireFile(at: url)
        let files = SQLiteStoreFiles(newURL)
        if let taken = ([newURL] + files.existing).first(where: { FileKind(at: $0) != nil }) {
            throw NSError.coreData(
                CocoaError.Code.fileWriteFileExists.rawValue,
                reason: "“\(taken.lastPathComponent)” is there already. Name a file that does not exist.",
                url: taken)
        }
        do {
            let source = try SalvageSource(url.standardizedFileURL)
            let metadata = source.metadata()
            let model = try self.model(model, source, metadata)
            return try withExtendedLifetime(model) {
                do {
                    return try StoreSalvage(source, files: files, model: model, metadata: metadata, options: options)
                        .run()
                } catch {
                    try? files.removeRemains()
                    throw error
                }
            }
        } catch let error as SQLiteError {
            throw error.nsError(doing: .saving)
        }
    }

    /// The model by which rows are read: a given one, which must be the store's, or the model that the store keeps.
    private static func model(
        _ given: NSManagedObjectModel?, _ source: SalvageSource, _ metadata: [String: Any]?
    ) throws -> NSManagedObjectModel {
        guard let given else {
            if let own = source.model() { return own }
            let own = [SQLBookkeeping.Metadata.table, SQLBookkeeping.Keys.table]
            let isStore = metadata != nil || source.definitions.contains { own.contains($0.name) }
            guard isStore || source.definitions.isEmpty || !source.reader.header.isWhole else {
                throw SQLStoreMetadata.notAStore(source.url)
            }
            throw NSError.coreData(
                NSMigrationMissingSourceModelError,
                reason: "The store “\(source.url.lastPathComponent)” has no copy of its model that can be read.",
                remedy: "Give the model that it was written with.", url: source.url)
        }
        if let metadata, !isModel(given, of: metadata) {
            throw NSError.coreData(
                NSPersistentStoreIncompatibleVersionHashError,
                reason: "The store “\(source.url.lastPathComponent)” was written with another version of the model.",
                url: source.url)
        }
        return given
    }

    /// Whether a model is the one that the metadata describe. The metadata may be damaged, too: then their digest does
    /// not fit their hashes, or a hash differs in a few bytes.
    private static func isModel(_ model: NSManagedObjectModel, of metadata: [String: Any]) -> Bool {
        if model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) { return true }
        guard let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] else { return true }
        let sum = metadata["NSStoreModelVersionHashesDigest"] as? String
        if sum == VersionHash.storeDigest(of: hashes) { return false }
        let own = model.entityVersionHashesByName
        let others = own.values.filter { hash in
            // Names may be damaged, too.
            !hashes.values.contains { noted in
                noted.count == hash.count && zip(noted, hash).count { $0 != $1 } <= hash.count / 2
            }
        }
        return sum == nil ? others.isEmpty : others.count * 2 < own.count
    }

    private init(
        _ source: SalvageSource, files: SQLiteStoreFiles, model: NSManagedObjectModel, metadata: [String: Any]?,
        options: [AnyHashable: Any]?
    ) throws {
        self.source = source
        layout = model.layout
        work = FollowedWork(progress: options?[NSMigrationProgressOption] as? Progress)
        counters = source.counters
        schema = try SalvageSchema.reading(source, layout)
        walk = source.schemaWalk
        var options = options ?? [:]
        for key in [NSReadOnlyPersistentStoreOption, NSPersistentHistoryTrackingKey] { options[key] = nil }
        target = try SalvageTarget(
            files, layout, metadata: metadata ?? [:], options: options, externalFrom: source.files.externalDataFolder)
        var entities: [Int64: Int] = [:]
        for (index, number) in schema.schema.numbers.enumerated() {
            if let number, !layout.entities[index].entity.isAbstract { entities[Int64(number)] = index }
        }
        entityOfNumber = entities
        for finding in source.findings { target.note(finding) }
        if metadata == nil {
            target.note(
                .init(
                    .bookkeeping,
                    "the metadata cannot be read: the new store has another identifier, and no metadata of a program's")
            )
        }
        if !Set(layout.entities.map(\.name)).isSubset(of: counters.map(\.name)) {
            target.note(
                .init(.bookkeeping, "the numbers of the entities cannot be read: they are the model's"))
        }
    }

    private func run() throws -> StoreSalvageReport {
        for (place, table) in schema.tables.enumerated() {
            guard let root = table.root else {
                target.note(.init(.file, "the file does not tell where \(table.name) begins"))
                continue
            }
            if table.hasNoRowNumbers {
                try readByDatabase(table, root, of: place)
            } else {
                try walk.leaves(from: root) { try read($0, $1, of: place) }
            }
        }
        try search()
        target.endRows()
        try source.requireUnchanged()
        let unread = unreadPages()
        for page in unread {
            target.note(
                .init(.page, "page \(page) \(source.reader.page(page) == nil ? Self.gone : Self.hurt)"))
        }
        target.notePages(source.reader.expectedPageCount, unread: unread, found: foundPages)
        try target.makeIndexes()
        try target.completeLinks()
        try target.noteHighestKeys(counters)
        if source.definitions.contains(where: { $0.name == HistoryTables.transactions }) {
            target.note(.init(.leftOut, "the history is not brought out"))
        }
        let triggers = source.definitions.filter { $0.kind == "trigger" }.map(\.name)
        if !triggers.isEmpty {
            target.note(.init(.leftOut, "triggers are not brought out: \(triggers.joined(separator: ", "))"))
        }
        if source.definitions.contains(where: { $0.name.hasPrefix(MirrorTables.beginning) }) {
            target.note(
                .init(
                    .leftOut,
                    "CloudKit's account of the store is not brought out: a device would upload all objects again"))
        }
        try target.finish()
        try work.advance(1)
        return target.report
    }

    private static let gone = "is not there"
    private static let hurt = "is damaged, or leads to pages that are not its own"

    private func unreadPages() -> [Int] {
        let missing = source.reader.expectedPageCount - source.reader.pages.last
        // The missing pages at the end of a truncated file are reported once.
        if missing > 0 {
            target.note(.init(.page, "the last \(missing) pages of the file are not there"))
        }
        // Damage of the definitions has been reported already.
        return walk.unread.subtracting(source.schemaWalk.unread).sorted()
    }

    // MARK: Pages

    /// Reads the rows of a leaf that a table's tree leads to.
    private func read(_ page: BTreePage, _ keys: ClosedRange<Int64>, of place: Int) throws {
        let found = source.records.rows(of: page, keys: keys, columns: schema.tables[place].columns.count)
        try advance()
        if found.unread > 0 { noteUnread(found.unread, on: page, of: place) }
        var (own, others) = Self.parted(found.rows) { schema.isRow($0, of: place) }
        if own.count > others.count {
            let (damaged, strangers) = Self.parted(others) { schema.isDamagedRow($0, of: place) }
            (own, others) = (own + damaged, strangers)
        }
        try write(own, to: place)
        if others.isEmpty { return }
        // If all rows of a page belong to another table, the page has replaced one of this table's.
        if own.isEmpty, let home = schema.table(of: others) { return try write(others, to: home) }
        for row in others { noteStranger(row, in: place) }
    }

    /// Reads the rows of a table without row ids. Its tree has index pages, whose rows SQLite reads. Another program
    /// has written such a table, and a damaged page ends the reading.
    private func readByDatabase(_ table: SalvageSchema.SourceTable, _ root: Int, of place: Int) throws {
        do {
            let connection = try SQLiteStoreMetadata.quietConnection(at: source.url, timeout: 0)
            try connection.rows(of: table.name, table.columns) { values in
                let row = SalvagedRow(key: 0, page: root, values: values)
                if schema.isRow(row, of: place) { try write([row], to: place) } else { noteStranger(row, in: place) }
            }
            try advance()
        } catch let error as SQLiteError {
            let text = "\(table.name), which is a table WITHOUT ROWID, cannot be read to its end: \(error.message)"
            target.note(.init(.file, text))
        }
    }

    private static func parted(
        _ rows: [SalvagedRow], by condition: (SalvagedRow) -> Bool
    ) -> ([SalvagedRow], [SalvagedRow]) {
        rows.reduce(into: ([], [])) { parts, row in
            if condition(row) { parts.0.append(row) } else { parts.1.append(row) }
        }
    }

    /// Searches for leaves that no tree leads to.
    private func search() throws {
        for root in schema.otherRoots { try walk.leaves(from: root) { _, _ in try advance() } }
        for number in source.reader.pages {
            guard let page = walk.lostLeaf(number) else { continue }
            try advance()
            guard let place = home(of: number, source.records.rows(of: page).rows) else { continue }
            let found = source.records.rows(of: page, columns: schema.tables[place].columns.count)
            foundPages += 1
            if found.unread > 0 { noteUnread(found.unread, on: page, of: place) }
            try write(found.rows.filter { schema.isRow($0, of: place) }, to: place)
        }
    }

    /// The table that a leaf belongs to, by the file's pointer map or by the values of its rows.
    private func home(of page: Int, _ rows: [SalvagedRow]) -> Int? {
        if let root = source.use.root(of: page) {
            if let place = schema.tableOfRoot[root] { return place }
            if schema.otherRoots.contains(root) { return nil }
        }
        return schema.table(of: rows)
    }

    private func noteUnread(_ count: Int, on page: BTreePage, of place: Int) {
        let number = page.page.number
        switch schema.tables[place].content {
        case .objects(let root):
            for _ in 0..<count { target.noteLostRow(of: root, nil, "a row on page \(number) cannot be read") }
        case .pairs:
            let rows = count == 1 ? "a row" : "\(count) rows"
            target.note(
                .init(.link, "\(schema.tables[place].name): \(rows) on page \(number) cannot be read"))
        }
    }

    private func noteStranger(_ row: SalvagedRow, in place: Int) {
        switch schema.tables[place].content {
        case .objects(let root):
            target.noteLostRow(of: root, row.key, "the row on page \(row.page) is none of this table")
        case .pairs:
            target.note(
                .init(.link, row: row.key, "\(schema.tables[place].name): a row on page \(row.page) is no pair"))
        }
    }

    private func advance() throws {
        readPages += 1
        guard readPages % 64 == 0 else { return }
        try target.keep()
        try work.advance(min(0.9, Double(readPages) / Double(max(1, source.reader.pages.count))))
    }

    // MARK: Rows

    private func write(_ rows: [SalvagedRow], to place: Int) throws {
        let table = schema.tables[place]
        switch table.content {
        case .pairs(let join): try target.write(rows, ofJoin: join, from: schema, table.columns)
        case .objects(let root):
            for row in rows {
                let key = SalvageSchema.key(of: row, in: table) ?? row.key
                try write(SalvagedRow(key: key, page: row.page, values: row.values), table, root)
            }
        }
    }

    private func write(_ row: SalvagedRow, _ table: SalvageSchema.SourceTable, _ root: Int) throws {
        guard ObjectKey.isPrimaryKey(row.key) else {
            return target.noteLostRow(of: root, row.key, "\(row.key) is no number of a row")
        }
        let number = table.columns.firstIndex(of: SQLSchema.entityColumn).flatMap { row[$0].integer }
        if let number, let index = entityOfNumber[number], layout.entities[index].rootIndex == root {
            return try target.write(row, of: index, from: schema, table.columns)
        }
        guard let only = schema.schema.soleLayout(ofRoot: root, in: layout) else {
            return target.noteLostRow(
                of: root, row.key, "the number of its entity is \(number.map { "\($0)" } ?? "lost"), which is none here"
            )
        }
        target.note(
            .init(
                .value, of: layout.entities[only].name, row: row.key,
                "the number of its entity was \(number.map { "\($0)" } ?? "lost"); the table has one entity only"))
        try target.write(row, of: only, from: schema, table.columns)
    }
}
