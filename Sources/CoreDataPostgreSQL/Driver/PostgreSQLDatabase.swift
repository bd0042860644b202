#if PostgreSQL
    import CoreData
    import Foundation

    /// The connections of an open store: some that read, each for one thread at a time, and the one that writes.
    final class PostgreSQLDatabase: SQLDatabase, @unchecked Sendable {  // what may change is used under the locks
        private let address: PostgreSQLAddress
        private let labels: EntityLabels
        private let isReadOnly: Bool
        private let maximumOfReaders: Int
        private let versionLock: Int64
        private let timeout: TimeInterval

        private let writerLock = NSRecursiveLock()
        private var writer: PostgreSQLConnection?

        private let readers = NSCondition()
        private var idle: [PostgreSQLConnection] = []
        private var used = 0
        private var isClosed = false

        init(
            _ address: PostgreSQLAddress, labels: EntityLabels, first: PostgreSQLConnection, isReadOnly: Bool,
            versionLock: Int64, timeout: TimeInterval, maximumOfReaders: Int
        ) {
            self.address = address
            self.labels = labels
            self.isReadOnly = isReadOnly
            self.maximumOfReaders = maximumOfReaders
            self.versionLock = versionLock
            self.timeout = timeout
            first.labels = labels
            first.keepsTokens = !isReadOnly
            if isReadOnly { idle = [first] } else { writer = first }
        }

        var capabilities: SQLCapabilities {
            var capabilities = SQLCapabilities()
            capabilities.missingFunctions = PostgreSQLDialect.missingFunctions
            capabilities.sendsTogether = true
            capabilities.takesLists = true
            capabilities.numbersHistory = true
            return capabilities
        }

        var holdsTransaction: Bool { false }

        /// A connection that holds the lock of the store's version.
        private func connect() throws -> PostgreSQLConnection {
            let connection = try PostgreSQLConnection(address, labels: labels)
            try connection.share(version: versionLock, timeout: timeout)
            // While no connection was open, somebody may have migrated the store.
            let url = URL(string: address.description) ?? URL(fileURLWithPath: "/dev/null")
            let metadata = try SQLStoreMetadata.read(from: connection, url: url)
            guard PostgreSQLConnection.versionLock(of: metadata) == versionLock else {
                throw StoreModelCheck.incompatible([], metadata: metadata, url: url)
            }
            return connection
        }

        // MARK: Reading

        func read<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result {
            let connection = try reader()
            defer { giveBack(connection) }
            try connection.beginReading()
            do {
                let result = try body(connection)
                try connection.endReading()
                return result
            } catch {
                connection.rollback()
                throw error
            }
        }

        func readOnce<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result {
            let connection = try reader()
            defer { giveBack(connection) }
            return try body(connection)
        }

        private func reader() throws -> PostgreSQLConnection {
            readers.lock()
            while !isClosed, idle.isEmpty, used >= maximumOfReaders { readers.wait() }
            if isClosed {
                readers.unlock()
                throw PostgreSQLError(message: "The store is closed.", address: address.description)
            }
            used += 1
            let known = idle.popLast()
            readers.unlock()
            if let known, known.isUsable { return known }
            do {
                return try connect()
            } catch {
                readers.withLock {
                    used -= 1
                    readers.signal()
                }
                throw error
            }
        }

        private func giveBack(_ connection: PostgreSQLConnection) {
            readers.withLock {
                used -= 1
                if connection.isAlive, !isClosed { idle.append(connection) }
                readers.signal()
            }
        }

        // MARK: Writing

        func write<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result? {
            writerLock.lock()
            defer { writerLock.unlock() }
            if isReadOnly || readers.withLock({ isClosed }) { return nil }
            let connection: PostgreSQLConnection
            if let writer, writer.isUsable {
                connection = writer
            } else {
                connection = try connect()
                connection.keepsTokens = true
                writer = connection
            }
            do {
                return try body(connection)
            } catch {
                connection.rollback()
                throw error
            }
        }

        func withoutWriting<Result>(_ body: () throws -> Result) rethrows -> Result { try writerLock.withLock(body) }

        func willSave() {}

        func close() {
            readers.withLock {
                isClosed = true
                idle = []
                readers.broadcast()
            }
            writerLock.withLock { writer = nil }
        }
    }
#endif
