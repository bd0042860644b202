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

    func inventory(on connection: any SQLConnection, withRows: Bool) throws -> [String] {
        try (connection as? PostgreSQLConnection)?.inventory(withRows: withRows) ?? []
    }
}
#endif
