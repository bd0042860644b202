import Foundation

// Runs the statements of a forecast on a copy of a file.
extension SQLiteEngine {
    func withTrialCopies<Result>(
        of url: URL, _ body: (_ first: URL, _ second: URL) throws -> Result
    ) throws -> Result {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appendingPathComponent("coredata-trial-\(UUID().uuidString)")
        defer { try? files.removeItem(at: folder) }
        // A copy has the name of the store, because the folder with its external values is named after it.
        let copies = try ["statements", "framework"].map { name in
            let place = folder.appendingPathComponent(name)
            try files.createDirectory(at: place, withIntermediateDirectories: true)
            let copy = place.appendingPathComponent(url.lastPathComponent)
            try SQLiteStoreFiles(url).copy(to: SQLiteStoreFiles(copy))
            return copy
        }
        return try body(copies[0], copies[1])
    }

    func run(_ statements: [MigrationForecast.Statement], at url: URL, _ options: [AnyHashable: Any]?) throws {
        let settings = try SQLiteStoreOptions(options, url: url)
        let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: settings.timeout)
        SQLiteFunctions.register(on: connection)
        let functions = MigrationFunctions.State(
            externalData: ExternalData(folder: SQLiteStoreFiles(url).externalDataFolder))
        MigrationFunctions.register(on: connection, state: functions)
        defer { withExtendedLifetime(functions) {} }
        do {
            try settings.configure(connection, isWriter: true)
            try connection.trustIndexTables()
            for statement in statements {
                switch statement.kind {
                case .program: continue
                case .check:
                    if try connection.prepare(statement.text).step() { throw statement.failure(url) }
                case .transaction, .definition, .rows: try connection.execute(statement.text)
                }
            }
        } catch let error as SQLiteError {
            throw MigrationErrors.translated(error, url: url, doing: "running the statements")
        }
    }

    func differences(of first: URL, from second: URL, leavingOut columns: Set<String>) throws -> [String] {
        let (statements, framework) = (
            try SQLiteConnection(path: first.path, access: .readOnly),
            try SQLiteConnection(path: second.path, access: .readOnly)
        )
        return try framework.differences(to: statements, leavingOut: columns) { table, mine, others in
            switch table {
            // Property lists and archives have their entries in no order.
            case SQLBookkeeping.Metadata.table:
                sameValue(
                    MetadataList.dictionary(from: mine).map { $0 as NSDictionary },
                    MetadataList.dictionary(from: others).map { $0 as NSDictionary })
            case SQLBookkeeping.ModelCache.table:
                sameValue(try? ModelArchive.decode(deflated: mine), try? ModelArchive.decode(deflated: others))
            default: false
            }
        }
    }
}
