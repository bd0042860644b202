import Foundation

/// The schema of a store's file or database: tables, indexes, triggers, and entities with their numbers in a file.
///
/// The schema has no rows, and it ignores the order of columns, because a migration adds columns at the end.
public struct StoreSchema: Equatable, CustomStringConvertible, Sendable {
    /// The lines of the schema, sorted, one for each table, index and other part.
    public let lines: [String]

    /// Reads the schema of a store that no process has open.
    ///
    /// - Parameter url: The address of the store.
    /// - Throws: The error of reading the file or the database.
    public init(of url: URL) throws {
        if url.isFileURL {
            lines = try TrialDatabase(url).schema().sorted()
        } else {
            lines = try Self.inventory(of: url, withRows: false)
        }
    }

    /// The content of a store's database.
    static func inventory(of url: URL, withRows: Bool) throws -> [String] {
        let engine = try TrialStore.engine(of: url)
        return try engine.looking(at: url) { try engine.inventory(on: $0, withRows: withRows) }
    }

    /// Reads the schema of a new store of a version. The store is made in a folder, or in a database beside that of
    /// another store, and removed again.
    init(
        ofNewStoreOf version: ModelVersion, as other: URL, in folder: URL, options: [AnyHashable: Any]
    ) throws {
        if !other.isFileURL {
            self = try TrialStore.engine(of: other).withDatabase(beside: other) { url in
                try TrialStore.open(url, version.freshModel(), options: options) { _ in }
                return try Self(of: url)
            }
            return
        }
        let url = folder.appendingPathComponent("Fresh.sqlite")
        defer {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
        }
        try TrialStore.open(url, version.freshModel(), options: options) { _ in }
        try self.init(of: url)
    }

    /// Compares the schema with another one.
    ///
    /// - Parameter other: The other schema.
    /// - Returns: The lines that differ: with a minus if only this schema has them, with a plus if only the other one
    ///   does.
    public func difference(from other: StoreSchema) -> [String] {
        let (mine, theirs) = (Set(lines), Set(other.lines))
        return lines.filter { !theirs.contains($0) }.map { "- \($0)" }
            + other.lines.filter { !mine.contains($0) }.map { "+ \($0)" }
    }

    /// The lines of the schema.
    public var description: String { lines.joined(separator: "\n") }
}
