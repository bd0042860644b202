import Foundation

// The forecast of a SQLite store in a file.
extension MigrationForecaster {
    /// The forecast of the store, or of a file of another type at its address.
    func forecast() throws -> MigrationForecast {
        let nothing = MigrationForecast(store: url, isMigrationRequired: false)
        guard StorePlace(url) == .file, FileManager.default.fileExists(atPath: url.path) else { return nothing }
        _ = try SQLiteStoreOptions(request.options, url: url)
        var isSQLite = false
        do {
            let found = try SQLiteStoreSummary.reading(at: url, timeout: request.timeout) { summary, connection in
                isSQLite = true
                return try hopForecaster.forecast(of: summary, on: connection) { store, state, forecast in
                    var forecaster = self
                    if request.wantsStatements { try forecaster.hopForecaster.recordStatements(on: connection) }
                    try forecaster.addBestHops(of: store, from: state, on: connection, to: &forecast)
                }
            }
            return found ?? nothing
        } catch let error as SQLiteError where isSQLite {
            throw MigrationErrors.translated(error, url: url, doing: "forecasting")
        } catch let error where !isSQLite {
            // The file may be a store of another type.
            guard let storeClass = StoreClasses.classOfFile(at: url) else {
                throw (error as? SQLiteError)?.nsError(doing: .opening) ?? error
            }
            return try self.forecast(ofFile: storeClass)
        }
    }
}
