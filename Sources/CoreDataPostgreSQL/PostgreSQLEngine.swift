#if PostgreSQL
    import CoreData
    import Foundation

    /// The type of a store in a PostgreSQL database.
    public let NSPostgreSQLStoreType = "PostgreSQL"

    extension NSPersistentStore.StoreType {
        /// A store in a PostgreSQL database.
        public static let postgreSQL = NSPersistentStore.StoreType(rawValue: NSPostgreSQLStoreType)
    }

    /// Stores in PostgreSQL databases. `CoreData` finds it by its name when somebody asks for the type.
    final class PostgreSQLEngine: ProductStoreEngine, InPlaceEngine {
        init() {}

        var types: [String] { [NSPostgreSQLStoreType] }
        var storeClass: NSPersistentStore.Type { SQLStore.self }

        func open(
            _ opening: StoreOpening, copying other: NSPersistentStore?
        ) throws -> any NSPersistentStore & RowStore {
            guard let url = opening.url else {
                throw NSError.coreData(
                    NSPersistentStoreOpenError, reason: "A store in a PostgreSQL database needs the URL of one.")
            }
            // Nothing would be in it of what the other holds.
            if other != nil { throw Self.unsupported("opened in the place of another", url) }
            return try reporting {
                var address = try Self.address(of: url)
                address.take(opening.options)
                return try PostgreSQLOpening(opening, address, url).store()
            }
        }

        func metadata(at url: URL) throws -> [String: Any] {
            try reporting {
                try SQLStoreMetadata.read(from: Self.connection(to: url), url: url)
            }
        }

        func setMetadata(_ metadata: [String: Any], at url: URL) throws {
            try reporting {
                let connection = try Self.connection(to: url)
                try connection.transaction {
                    let present = try SQLStoreMetadata.read(from: connection, url: url)
                    try SQLStoreMetadata.write(
                        SQLStoreMetadata.merging(metadata, over: present), to: connection, url: url)
                }
            }
        }

        func cachedModel(at url: URL, timeout: TimeInterval) throws -> NSManagedObjectModel? {
            try reporting {
                try PostgreSQLOpening.cachedModel(on: Self.connection(to: url))
            }
        }

        func destroy(at place: StorePlace, _ url: URL, timeout: TimeInterval, force: Bool) throws {
            try reporting { try PostgreSQLOpening.destroy(on: Self.connection(to: url)) }
        }

        func replace(
            fileAt url: URL, with source: StorePlace, _ sourceURL: URL, timeout: TimeInterval, waiting: TimeInterval,
            force: Bool
        ) throws {
            throw Self.unsupported("replaced by a copy of another", url)
        }

        /// None can be copied as it lies: rows move one by one.
        func owns(_ store: NSPersistentStore) -> Bool { false }

        func copy(_ store: NSPersistentStore, to url: URL, replacing: Bool, _ progress: Progress?) throws {
            throw Self.unsupported("copied as it lies", url)
        }

        // MARK: Migrating

        func migrating(
            at url: URL, from metadata: [String: Any], timeout: TimeInterval, _ progress: Progress?,
            _ body: (any SQLConnection) throws -> Void
        ) throws {
            try reporting {
                // The locks of the session go with the connection.
                let connection = try Self.connection(to: url)
                if try ExistingTables.isPresent(on: connection) {
                    throw NSError.coreData(
                        NSPersistentStoreIncompatibleVersionHashError,
                        reason:
                            "The store lies over tables that others have made, which no migration changes. Destroy it: "
                            + "the tables stay as they are. Then add it with the new model.",
                        url: shown(url), userInfo: ["metadata": metadata])
                }
                let lock = PostgreSQLConnection.versionLock(of: metadata)
                try connection.takeAlone(version: lock, timeout: timeout, progress)
                try connection.transaction {
                    // A table with checks that wait for the commit cannot be changed.
                    try PostgreSQLTables.dropConstraints(on: connection)
                    try body(connection)
                    try PostgreSQLOpening.furnish(on: connection)
                }
            }
        }

        func shown(_ url: URL) -> URL {
            PostgreSQLAddress(url).flatMap { URL(string: $0.description) } ?? URL(fileURLWithPath: "/dev/null")
        }

        func looking<Result>(at url: URL, _ body: (any SQLConnection) throws -> Result) throws -> Result {
            try reporting {
                let connection = try Self.connection(to: url)
                connection.beginReading()
                defer { connection.rollback() }
                return try body(connection)
            }
        }

        private static func unsupported(_ what: String, _ url: URL) -> NSError {
            .coreData(
                NSPersistentStoreOperationError,
                reason: "A store in a PostgreSQL database cannot be \(what).",
                userInfo: [NSURLErrorKey: PostgreSQLAddress(url)?.description ?? ""])
        }

        private static func address(of url: URL) throws -> PostgreSQLAddress {
            if let address = PostgreSQLAddress(url) { return address }
            throw NSError.coreData(
                NSPersistentStoreOpenError,
                reason:
                    "“\(url.shown.absoluteString)” is no URL of a PostgreSQL database: it begins with postgresql://.",
                url: url)
        }

        private static func connection(to url: URL) throws -> PostgreSQLConnection {
            // Locks of a session, and what is done once, need the server itself.
            try PostgreSQLConnection(address(of: url).direct)
        }

        private func reporting<Result>(_ body: () throws -> Result) throws -> Result {
            do {
                return try body()
            } catch let error as PostgreSQLError {
                throw error.nsError(doing: .opening)
            }
        }
    }
#endif
