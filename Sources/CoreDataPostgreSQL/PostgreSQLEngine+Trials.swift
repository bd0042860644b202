#if PostgreSQL
import CoreData
import Foundation

// Databases for trials of migrations, and the contents of one.
extension PostgreSQLEngine {
    func withDatabase<Result>(beside url: URL, _ body: (_ url: URL) throws -> Result) throws -> Result {
        let database = try reporting { try PostgreSQLScratch(beside: url) { try Self.connection(to: $0) } }
        do {
            let result = try body(database.url)
            try reporting { try database.drop() }
            return result
        } catch {
            try? database.drop()
            throw error
        }
    }

    /// The copies have the rows of the store in tables of their own, as a new store has them.
    func withTrialCopies<Result>(
        of url: URL, _ body: (_ first: URL, _ second: URL) throws -> Result
    ) throws -> Result {
        try withDatabase(beside: url) { first in
            try withDatabase(beside: url) { second in
                for copy in [first, second] { try makeTrialCopy(of: url, at: copy) }
                return try body(first, second)
            }
        }
    }

    private func makeTrialCopy(of url: URL, at copy: URL) throws {
        let timeout = Self.closingTime
        try replace(fileAt: copy, with: .file, url, timeout: timeout, waiting: timeout, force: false)
        try reporting {
            guard try HistoryTables.read(from: Self.connection(to: url)) != nil else { return }
            let connection = try Self.connection(to: copy)
            guard let model = try PostgreSQLOpening.cachedModel(on: connection) else { return }
            _ = try withExtendedLifetime(model) {
                try HistoryTables.prepare(connection, for: ModelLayout(model: model))
            }
            try HistoryTables.prepareNumbers(connection)
            try PostgreSQLBookkeeping.install(on: connection)
        }
    }

    func run(_ statements: [MigrationForecast.Statement], at url: URL, _ options: [AnyHashable: Any]?) throws {
        try reporting {
            let connection = try Self.connection(to: url)
            for statement in statements {
                switch statement.kind {
                case .program: continue
                case .rows where statement.isRepeated:
                    while try connection.rows(statement.text).first?[0] != "0" {}
                case .check:
                    if try !connection.rows(statement.text).isEmpty { throw statement.failure(shown(url)) }
                case .transaction, .definition, .rows: try connection.execute(statement.text)
                }
            }
        }
    }

    func differences(of first: URL, from second: URL, leavingOut columns: Set<String>) throws -> [String] {
        let (statements, framework) = (try contents(of: first), try contents(of: second))
        return framework.lines.subtracting(statements.lines).sorted().map { "- \($0)" }
            + statements.lines.subtracting(framework.lines).sorted().map { "+ \($0)" }
            + (framework.metadata.isEqual(statements.metadata) ? [] : ["metadata: \(statements.metadata)"])
            + (framework.model == statements.model ? [] : ["the archived model"])
    }

    /// The content of a copy. Of the metadata, each copy has an identifier of its own; and the entries of a property
    /// list, or an archive, have no order.
    private func contents(
        of url: URL
    ) throws -> (lines: Set<String>, metadata: NSDictionary, model: NSManagedObjectModel?) {
        try reporting {
            let connection = try Self.connection(to: url)
            let lines =
                try connection.inventory(withRows: true).filter { line in
                    !["metadata", "model", "model_versions"].contains { line.hasPrefix("coredata.\($0): ") }
                } + PostgreSQLVersion.all(on: connection).map { "version \($0.lock) \($0.state)" }
            var metadata = try SQLStoreMetadata.read(from: connection, url: shown(url))
            for key in [NSStoreUUIDKey, SQLStoreMetadata.previousIdentifiersKey] { metadata[key] = nil }
            return (Set(lines), metadata as NSDictionary, try PostgreSQLOpening.cachedModel(on: connection))
        }
    }

    func inventory(on connection: any SQLConnection, withRows: Bool) throws -> [String] {
        try (connection as? PostgreSQLConnection)?.inventory(withRows: withRows) ?? []
    }
}
#endif
