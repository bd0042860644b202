import Foundation

/// The files of a damaged store, and the metadata, model and counters that they hold.
final class SalvageSource {
    let url: URL
    let files: SQLiteStoreFiles
    let reader: PageReader
    let use: PageUse
    let records: SalvageRecords
    private(set) var definitions: [SalvageDefinition] = []
    private(set) var findings: [StoreSalvageReport.Finding] = []
    /// The walk over the pages of the schema table.
    private(set) var schemaWalk: TreeWalk
    private let states: [FileState?]

    init(_ url: URL) throws {
        self.url = url
        files = SQLiteStoreFiles(url)
        states = [FileState(files.main), FileState(files.wal)]
        let main = try MainFileBytes(SQLiteConnection(path: files.main.path, access: .immutable))
        let beside = BesideFileBytes(files.wal)
        let log = beside.flatMap { WriteAheadLog($0) }
        let own = Self.reading(main, log: nil)
        var chosen = own
        if let log, log.pageCount != nil {
            let together = Self.reading(main, log: log)
            if together.reader.log == nil || Self.isForeign(own, together, url) {
                findings.append(Self.noteOfForeignLog(files))
            } else {
                chosen = together
            }
        } else if let beside, beside.count > 0, log == nil {
            findings.append(
                .init(.log, "\(files.wal.lastPathComponent) is no log: saves that were only there are lost"))
        }
        if log?.isDamaged == true {
            findings.append(
                .init(
                    .log,
                    "\(files.wal.lastPathComponent) is damaged: saves after its frame "
                        + "\(log?.frameCount ?? 0) are lost"))
        }
        (reader, use, records) = (chosen.reader, chosen.use, chosen.records)
        (definitions, schemaWalk) = Self.definitions(chosen)
        if FileKind(at: files.journal) == .file, FileKind.size(at: files.journal) > 512 {
            findings.append(
                .init(
                    .log,
                    "\(files.journal.lastPathComponent) is not read: a save that was cut short may be half written"))
        }
        if !reader.header.isWhole {
            findings.append(
                .init(
                    .file,
                    "the header of the file is damaged; its pages seem to have \(reader.pageSize) bytes"))
        }
        if !schemaWalk.unread.isEmpty || definitions.isEmpty {
            findings.append(
                .init(.file, "the definitions of tables are damaged; the model says what tables hold"))
        }
        if !use.isFreeListWhole {
            findings.append(
                .init(.file, "the list of free pages is damaged" + (use.hasMap ? "" : Self.noSearch)))
        }
    }

    private static let noSearch = "; pages that no table leads to were not searched"

    private typealias Reading = (reader: PageReader, use: PageUse, records: SalvageRecords)

    private static func reading(_ main: MainFileBytes, log: WriteAheadLog?) -> Reading {
        let reader = PageReader(main, log: log)
        let use = PageUse(reader)
        return (reader, use, SalvageRecords(reader, use))
    }

    /// Throws if a process has written the files since they were opened, because their content is a mixture then.
    func requireUnchanged() throws {
        guard [FileState(files.main), FileState(files.wal)] != states else { return }
        throw NSError.coreData(
            NSPersistentStoreTimeoutError,
            reason: "The file “\(url.lastPathComponent)” was written while it was read.",
            remedy: "Try again when no other process has it open.", url: url)
    }

    // MARK: The log

    private static func noteOfForeignLog(_ files: SQLiteStoreFiles) -> StoreSalvageReport.Finding {
        .init(
            .log,
            "\(files.wal.lastPathComponent) belongs to another store, and was not read; the last saves may be in "
                + "the file's own one")
    }

    /// Whether a log belongs to another store: without the log the file has another identifier, and it never had the
    /// log's.
    private static func isForeign(_ own: Reading, _ together: Reading, _ url: URL) -> Bool {
        func metadata(_ reading: Reading) -> [String: Any]? {
            let (definitions, _) = definitions(reading)
            return rows(of: SQLBookkeeping.Metadata.table, definitions, reading).lazy.compactMap(metadata(of:)).first
        }
        guard let before = metadata(own)?[NSStoreUUIDKey] as? String, let after = metadata(together) else {
            return false
        }
        return !SQLStoreMetadata.isSameStore(after, as: before)
    }

    // MARK: Tables

    private static func definitions(_ reading: Reading) -> ([SalvageDefinition], TreeWalk) {
        var walk = TreeWalk(reading.reader, reading.use)
        var found: [SalvageDefinition] = []
        walk.leaves(from: 1) { page, _ in
            found += reading.records.rows(of: page).rows.compactMap { SalvageDefinition($0) }
        }
        return (found, walk)
    }

    private static func rows(of table: String, _ definitions: [SalvageDefinition], _ reading: Reading) -> [SalvagedRow]
    {
        guard let root = definitions.first(where: { $0.kind == "table" && $0.name == table })?.root else { return [] }
        var walk = TreeWalk(reading.reader, reading.use)
        var rows: [SalvagedRow] = []
        walk.leaves(from: root) { page, _ in rows += reading.records.rows(of: page).rows }
        return rows
    }

    // MARK: The store's metadata, model and counters

    /// The first result of a body for a row of a table, or for a row of any other page that is in use.
    private func first<Result>(of table: String, _ body: (SalvagedRow) -> Result?) -> Result? {
        let known = Self.rows(of: table, definitions, (reader, use, records))
        if let result = known.lazy.compactMap(body).first { return result }
        for number in reader.pages where use.isLost(number) {
            guard let page = reader.page(number), let tree = BTreePage(page, usableSize: reader.usableSize),
                tree.kind == .tableLeaf
            else { continue }
            if let result = records.rows(of: tree).rows.lazy.compactMap(body).first { return result }
        }
        return nil
    }

    /// The metadata; nil if they cannot be read.
    func metadata() -> [String: Any]? { first(of: SQLBookkeeping.Metadata.table, Self.metadata(of:)) }

    private static func metadata(of row: SalvagedRow) -> [String: Any]? {
        guard row.values.count == 3, let identifier = row[1].text, !identifier.isEmpty, let list = row[2].data,
            var metadata = MetadataList.dictionary(from: list), metadata[NSStoreModelVersionHashesKey] != nil
        else { return nil }
        metadata[NSStoreUUIDKey] = identifier
        return metadata
    }

    /// The model that the store keeps; nil if it cannot be read.
    func model() -> NSManagedObjectModel? {
        first(of: SQLBookkeeping.ModelCache.table) { row in
            guard row.values.count == 1, let archive = row[0].data, archive.count > 64 else { return nil }
            return try? ModelArchive.decode(deflated: archive)
        }
    }

    /// The row of an entity in the table of key counters.
    struct Counter {
        let number: Int
        let name: String
        let highest: Int64
    }

    /// The numbers of the entities, and the highest keys, as far as the file has them.
    private(set) lazy var counters: [Counter] = {
        var rows = Self.rows(of: SQLBookkeeping.Keys.table, definitions, (reader, use, records))
        if rows.isEmpty {
            // The table is recognised by the values of its rows: a text and two numbers.
            let page = first(of: SQLBookkeeping.Keys.table) { row in
                row.values.count == 4 && row[0].value == .null && row[1].text != nil && row[2].integer != nil
                    && row[3].integer != nil ? reader.page(row.page) : nil
            }
            let tree = page.flatMap { BTreePage($0, usableSize: reader.usableSize) }
            rows = tree.map { records.rows(of: $0).rows } ?? []
        }
        return rows.compactMap { row in
            guard let name = row[1].text, let number = Int(exactly: row.key), number > 0 else { return nil }
            return Counter(number: number, name: name, highest: row[3].integer ?? 0)
        }
    }()
}
