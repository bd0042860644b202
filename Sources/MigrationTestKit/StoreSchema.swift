import Foundation

/// What a store's file looks like, apart from its rows: tables, indexes, triggers, the numbers of entities.
///
/// The order of columns is left out: a migration adds columns at the end.
public struct StoreSchema: Equatable, CustomStringConvertible, Sendable {
    /// One line for each thing, sorted.
    public let lines: [String]

    /// Reads the schema of a store that nobody has open.
    public init(of url: URL) throws {
        lines = try TrialDatabase(url).schema().sorted()
    }

    /// The schema that a new store of a version has, made for a moment in a folder.
    init(ofNewStoreOf version: ModelVersion, in folder: URL) throws {
        let url = folder.appendingPathComponent("Fresh.sqlite")
        defer {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
        }
        try TrialStore.open(url, version.freshModel()) { _ in }
        try self.init(of: url)
    }

    /// What differs from another schema: a minus for what only this one has, a plus for what only the other has.
    public func difference(from other: StoreSchema) -> [String] {
        let (mine, theirs) = (Set(lines), Set(other.lines))
        return lines.filter { !theirs.contains($0) }.map { "- \($0)" }
            + other.lines.filter { !mine.contains($0) }.map { "+ \($0)" }
    }

    public var description: String { lines.joined(separator: "\n") }
}
