import Foundation

// Files are migrated in place if SQL can do the work, and as copies otherwise.
extension SQLiteEngine: MigratingEngine {
    func prepare(_ request: MigrationRequest) throws -> (any StoreSummary)? {
        try StoreMigration(request.at(request.address.standardizedFileURL)).prepare()
    }

    func forecast(_ request: MigrationRequest) throws -> MigrationForecast {
        try StorePlace.requireFileURL(request.address)
        return try MigrationForecaster(request).forecast()
    }
}
