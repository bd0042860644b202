#if PostgreSQL
import CoreData
import Foundation

/// A past state of a database: a connection of its own holds the state in a transaction in which nothing else
/// happens, so that no failed statement ends it. The connections that read import the snapshot by its name.
///
/// The server ends the transaction after a time, because it removes no row of the past as long as the transaction
/// lasts. The state ends when the last reference to this object is released.
final class PostgreSQLGeneration: SQLDatabase, @unchecked Sendable {  // the connection is used under the lock
    private let database: PostgreSQLDatabase
    private let lock = NSLock()
    private var connection: PostgreSQLConnection?
    private let state: State

    /// The identification of a state for the transactions that read it.
    struct State: Equatable {
        var snapshot: String
        /// The version of the metadata in it, where it is read by way of a pooler.
        var metadata: Int64?
        /// The tables that have to be the same as in it, as statements name them.
        var tables: [String] = []
    }

    init(_ database: PostgreSQLDatabase, held connection: PostgreSQLConnection, for lifetime: TimeInterval) throws {
        self.database = database
        self.connection = connection
        state = try database.hold(connection, for: lifetime)
        database.counters.add(to: \.queryGenerations)
    }

    deinit { database.counters.add(-1, to: \.queryGenerations) }

    var capabilities: SQLCapabilities { database.capabilities }
    var holdsTransaction: Bool { false }

    func read<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result {
        let isOpen = lock.withLock { connection != nil }
        guard isOpen else { throw ended("The store is closed.") }
        // On another server, or after a restart of the same one, another session may hold a state of the same name.
        guard isHeld else { throw ended("The connection that held it was lost.") }
        do {
            return try database.read(at: state, body)
        } catch let error as PostgreSQLError where Self.statesOfMissing.contains(error.state) && !isHeld {
            throw ended(error.message)
        } catch let error as PostgreSQLError
            where error.isOfMissingPart || error.state == PostgreSQLError.recoveryConflict
        {
            throw ended(error.message)
        } catch is PostgreSQLConnection.OtherTables {
            throw ended("A table was written anew since, or another one was made in its place.")
        } catch is PostgreSQLConnection.OtherMetadata {
            throw ended(database.replacedError)
        } catch let error as NSError
            where error.localizedFailureReason == database.replacedError.localizedFailureReason
        {
            throw ended(error)
        }
    }

    private func ended(_ error: NSError) -> PostgreSQLError { ended(error.localizedFailureReason ?? "") }

    /// The states of the server's errors where no transaction holds a snapshot of the name.
    private static let statesOfMissing: Set<String> = ["22023", "42704", "55000"]

    /// Whether the transaction is still open, according to the messages that the server has sent.
    private var isHeld: Bool { lock.withLock { connection?.isUsable == true } }

    private func ended(_ message: String) -> PostgreSQLError {
        var error = PostgreSQLError(state: "72000", message: message, address: database.shownAddress)
        error.cause = .endedGeneration
        return error
    }

    func write<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result? { nil }
    func withoutWriting<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }
    func willSave() {}
    func close() { lock.withLock { connection = nil } }
}
#endif
