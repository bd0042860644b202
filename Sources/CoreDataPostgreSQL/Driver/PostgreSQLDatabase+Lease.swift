#if PostgreSQL
import CoreData

// Renews a program's lease while its connections are busy.
extension PostgreSQLDatabase {
    struct ReadersAreBusy: Error {}

    /// Runs a body with a connection that no other thread uses, without waiting for one. Where all readers are busy
    /// the body gets a new connection: the readers may wait for another session's lock without a time limit.
    func readingAtOnce(_ body: (PostgreSQLConnection) throws -> Void) throws {
        do {
            try reading(waits: false, body)
        } catch is ReadersAreBusy {
            counters.add(to: \.connectionsMade)
            let connection = try PostgreSQLConnection(address.direct)
            try PostgreSQLWatch.shared.watching(connection) { try body(connection) }
        }
    }
}
#endif
