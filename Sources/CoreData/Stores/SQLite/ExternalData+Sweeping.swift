import Foundation

/// Files of external values that a transaction made, and those that no row names once it is committed.
struct ExternalFileChanges {
    var created: [String] = []
    var orphaned: [String] = []
    /// The file in which the transaction's files are noted, once there is one.
    fileprivate(set) var note: String?
}

// Files of a transaction that is held: what its parts have orphaned goes when the whole is committed, and so does the note.
extension SQLiteStore {
    /// The files of a transaction that begins.
    func filesOfTransaction() -> ExternalFileChanges {
        var files = ExternalFileChanges()
        files.note = writerLock.withLock { heldFiles.note }
        return files
    }

    func didCommit(_ files: ExternalFileChanges) {
        writerLock.withLock {
            guard writer?.holdsTransaction == true else {
                externalData?.committed(files)
                return
            }
            heldFiles.orphaned += files.orphaned
            heldFiles.note = files.note
        }
    }

    func didAbandon(_ files: ExternalFileChanges) {
        writerLock.withLock {
            guard writer?.holdsTransaction == true else {
                externalData?.abandoned(files)
                return
            }
            externalData?.remove(files.created)
            heldFiles.note = files.note
        }
    }

    /// The held transaction was committed; the caller holds `writerLock`.
    func releaseHeldFiles() {
        externalData?.committed(heldFiles)
        heldFiles = ExternalFileChanges()
    }
}

// What a killed process leaves: files that no row names. Before a transaction makes a file, and before it forgets one, the
// file's name is noted beside the folder; the note goes when the transaction and what follows it are over. A note that is
// there while nobody can be within a transaction is one of a process that was killed, or of a migration, which leaves it to
// the opening that follows.
extension ExternalData {
    private static let notePrefix = "_PENDING-"

    private var notesFolder: URL { folder.deletingLastPathComponent() }

    /// Adds names to the transaction's note.
    func note(_ names: [String], _ files: inout ExternalFileChanges) throws {
        if names.isEmpty { return }
        let name = files.note ?? Self.notePrefix + UUID().uuidString + suffix
        let url = notesFolder.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: notesFolder, withIntermediateDirectories: true)
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        guard descriptor >= 0 else { throw Self.failure(url) }
        files.note = name
        defer { close(descriptor) }
        try Data(names.map { $0 + "\n" }.joined().utf8).withUnsafeBytes { try write($0, to: descriptor, url) }
    }

    func forgetNote(_ files: ExternalFileChanges) {
        if let note = files.note { unlink(notesFolder.appendingPathComponent(note).path) }
    }

    private var notes: [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: notesFolder.path)) ?? []
        return names.filter { name in
            guard name.hasPrefix(Self.notePrefix) else { return false }
            let rest = name.dropFirst(Self.notePrefix.count + 36)
            return rest.isEmpty || rest == suffix
        }.map { notesFolder.appendingPathComponent($0) }.filter { FileKind(at: $0) == .file }
    }

    /// How the names of the store's notes end: another store, whose name differs in its extension only, has the same folder.
    private var suffix: String { storeName.isEmpty ? "" : "-" + storeName }

    /// Removes the files that killed processes left and no row names. `columns` are those that may name files, by table.
    ///
    /// Nothing happens while another process writes to the store: then the next opening does it.
    func sweep(_ columns: [String: [String]], storeAt url: URL) throws {
        let notes = notes
        if notes.isEmpty { return }
        let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 0)
        // Who holds the right to write knows that no transaction is under way, here or in another process.
        try connection.transaction {
            var left: Set<String> = []
            for note in notes {
                let text = String(decoding: (try? Data(contentsOf: note)) ?? Data(), as: UTF8.self)
                left.formUnion(text.split(separator: "\n").map(String.init).filter { UUID(uuidString: $0) != nil })
            }
            for (table, columns) in columns where !left.isEmpty {
                for column in columns { left.subtract(try connection.externalFileNames(in: column, of: table)) }
            }
            remove(Array(left))
            for note in notes { unlink(note.path) }
        }
    }
}

extension SQLiteConnection {
    /// The names of files that the values of a column hold. The names of column and table are quoted already where they must be.
    func externalFileNames(in column: String, of table: String) throws -> Set<String> {
        let statement = try prepare(
            "SELECT CAST(substr(\(column), 2, 36) AS TEXT) FROM \(table) "
                + "WHERE typeof(\(column)) = 'blob' AND substr(\(column), 1, 1) = x'02'")
        var names: Set<String> = []
        while try statement.step() { names.insert(statement.string(0)) }
        return names
    }
}

extension SQLiteStore {
    /// Removes what killed processes, and migrations, left of external values. What cannot be removed now is only waste.
    func sweepExternalData() {
        guard let externalData, let url, !isReadOnly else { return }
        try? externalData.sweep(externalColumns, storeAt: url)
    }

    /// The columns that may name files, by table.
    var externalColumns: [String: [String]] {
        var columns: [String: Set<String>] = [:]
        for entity in layout.entities {
            guard let table = schema.table(ofRoot: entity.rootIndex)?.name else { continue }
            for (number, slot) in entity.slots.enumerated() where RowDecoder.isExternal(slot) {
                if let column = schema.columns[entity.index][number] { columns[table, default: []].insert(column) }
            }
        }
        return columns.mapValues { $0.sorted() }
    }
}
