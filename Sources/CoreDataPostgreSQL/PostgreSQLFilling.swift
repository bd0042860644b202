#if PostgreSQL
import CoreData
import Foundation

/// A store that is being filled. Its metadata mark it as unfinished, so no program opens it. Foreign keys are added
/// when it is complete.
final class PostgreSQLFilling: UnfinishedStore {
    private let connection: PostgreSQLConnection
    private let transaction: FillingTransaction
    let end: TransferEnd
    let isResumed: Bool

    /// Makes the store, or finds what an earlier attempt has left of it. A transaction is open afterwards.
    init(_ connection: PostgreSQLConnection, _ opening: StoreOpening, note: String, _ shown: URL) throws {
        self.connection = connection
        let layout = opening.layout
        let entities = try opening.entities()
        isResumed = try SQLStoreMetadata.isThere(on: connection, url: shown)
        if isResumed {
            let metadata = try SQLStoreMetadata.read(from: connection, url: shown)
            guard let unfinished = metadata[SQLStoreMetadata.unfinishedKey] as? String else {
                throw Self.isTaken(shown)
            }
            guard unfinished == note else {
                throw NSError.coreData(
                    NSPersistentStoreOperationError,
                    reason:
                        "Another store, or another version of this one, was being moved to \(shown.absoluteString) by a "
                        + "process that was ended. Destroy the unfinished store first.", url: shown)
            }
        }
        let numbers = isResumed ? try IntrospectedSchema(connection).numbers : nil
        let schema = SQLSchemaBuilder.schema(
            of: layout, entities: entities, numbers: numbers, style: PostgreSQLStyle())
        connection.labels = EntityLabels(schema, layout)
        end = TransferEnd(connection, layout, schema, name: shown.absoluteString)
        if !isResumed {
            var metadata = SQLStoreMetadata.ofNewStore(
                of: layout.model, entities: entities, type: NSPostgreSQLStoreType)
            metadata[SQLStoreMetadata.unfinishedKey] = note
            try connection.transaction {
                // Another process may have made a store while this one waited for the lock.
                if try SQLStoreMetadata.isThere(on: connection, url: shown) { throw Self.isTaken(shown) }
                try PostgreSQLOpening.make(schema, layout, metadata, on: connection)
                try PostgreSQLTables(connection, schema, layout).install()
                try PostgreSQLTables.dropConstraints(on: connection)
            }
        }
        transaction = try FillingTransaction(connection, shown)
    }

    private static func isTaken(_ url: URL) -> NSError {
        .coreData(
            NSPersistentStoreOperationError,
            reason: "There is a store already where this one is to move.", url: url)
    }

    func keep() throws { try transaction.keep() }

    func finish(_ metadata: [String: Any]) throws {
        try PostgreSQLTables(connection, end.schema, end.layout).installFilled()
        try transaction.finish(metadata)
    }

    /// Removes what was written, unless the server cannot be reached: then the next attempt resumes it.
    func giveUp() {
        connection.rollback()
        try? PostgreSQLOpening.destroy(on: connection)
    }
}

extension PostgreSQLTables {
    /// Brings tables whose rows have come to what they have for other programs.
    func installFilled() throws {
        try install()
        for root in layout.entities where root.superIndex == nil {
            guard let table = schema.table(ofRoot: root.index)?.name, let number = schema.numbers[root.index] else {
                continue
            }
            try connection.raiseSequence(
                of: table, above: connection.highestKey(in: table, ofNumber: Int64(number)))
        }
    }
}
#endif
