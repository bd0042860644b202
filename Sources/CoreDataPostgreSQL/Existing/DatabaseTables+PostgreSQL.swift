#if PostgreSQL
import CoreData
import Foundation

extension DatabaseTables {
    /// Reads the tables and views that programs have made in a database.
    ///
    /// - Parameter schema: The schema of the tables; nil for the first one of the search path.
    package init(ofDatabaseAt url: URL, schema: String?) throws {
        self = try PostgreSQLEngine().reporting {
            try PostgreSQLEngine.connection(to: url).tablesOfPrograms(in: schema)
        }
    }
}
#endif
