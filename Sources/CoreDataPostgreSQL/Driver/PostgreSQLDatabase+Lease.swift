#if PostgreSQL
    import CoreData

    // What a program says of itself while its connections are busy.
    extension PostgreSQLDatabase {
        struct ReadersAreBusy: Error {}

        /// Runs a body with a connection that nobody else uses, without waiting for one. Where all that read are busy
        /// the body gets one of its own: they may wait for somebody else's lock for as long as he likes.
        func readingAtOnce(_ body: (PostgreSQLConnection) throws -> Void) throws {
            do {
                try reading(waits: false, body)
            } catch is ReadersAreBusy {
                tally.add(to: \.connectionsMade)
                let connection = try PostgreSQLConnection(address.direct)
                try PostgreSQLWatch.shared.watching(connection) { try body(connection) }
            }
        }
    }
#endif
