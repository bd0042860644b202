#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation

/// A database of a test's own on the shared server, with a folder beside it. Both are removed with the last
/// reference to this object.
public final class TestDatabase: Sendable {
    public let server: PostgreSQLServer
    public let folder: TemporaryFolder
    /// The server's own address of it; `StoreKind.url(in:)` gives one through a pooler where the kind is `pooled`.
    public let url: URL

    public var name: String { folder.url.lastPathComponent }

    public init() throws {
        server = try PostgreSQLServer.shared.get()
        folder = try TemporaryFolder()
        url = server.url(ofDatabase: folder.url.lastPathComponent)
    }

    /// One in which some statements have run.
    public convenience init(with statements: String) throws {
        try self.init()
        guard psql(statements) != nil else {
            throw PostgreSQLServer.Absence(description: "The server refuses \(statements)")
        }
    }

    /// What psql would print for a statement, without headings; nil when it fails.
    public func psql(_ statement: String) -> String? { server.psql(name, statement) }

    /// A context over the tables that are there.
    public func contextOverTables(_ model: NSManagedObjectModel) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil, at: url,
            options: [NSPostgreSQLExistingTablesOption: true])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait { context.persistentStoreCoordinator = coordinator }
        return context
    }
}

extension Library {
    /// The name of its database, where it is in one.
    public var database: String { folder.url.lastPathComponent }

    /// What psql would print for a statement in its database, without headings; nil when it fails.
    public func psql(_ statement: String) throws -> String? {
        try PostgreSQLServer.shared.get().psql(database, statement)
    }
}

/// Gives the body the URL of a store in a database of its own, and the folder that it belongs to. Both go when the
/// body has ended.
public func withDatabase<Result>(_ body: (_ url: URL, _ folder: URL) throws -> Result) throws -> Result {
    let folder = try TemporaryFolder()
    return try withExtendedLifetime(folder) { try body(url(in: folder), folder.url) }
}

/// Runs an asynchronous body with a database of its own.
public func withDatabase<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: (_ url: URL, _ folder: URL) async throws -> Result
) async throws -> Result {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    return try await body(url(in: folder), folder.url)
}

private func url(in folder: TemporaryFolder) throws -> URL {
    guard let url = StoreKind.postgreSQL.url(in: folder.url) else {
        throw PostgreSQLServer.Absence(description: PostgreSQLServer.reasonOfAbsence ?? "")
    }
    return url
}
#endif
