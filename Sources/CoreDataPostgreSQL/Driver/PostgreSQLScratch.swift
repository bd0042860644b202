#if PostgreSQL
    import Foundation

    /// A database that is dropped behind its use.
    ///
    /// A process that is killed leaves its database: the next one drops those that nobody is connected to. This one has
    /// a connection for as long as it is there, in a transaction: a pooler would end one that nothing happens on.
    final class PostgreSQLScratch {
        let url: URL
        private let name: String
        private let address: URL
        private let connect: (URL) throws -> PostgreSQLConnection
        private var holding: PostgreSQLConnection?

        private static let prefix = "coredata_trial_"

        init(beside address: URL, _ connect: @escaping (URL) throws -> PostgreSQLConnection) throws {
            self.address = address
            self.connect = connect
            name = Self.prefix + UUID().uuidString.lowercased().filter { $0 != "-" }
            url = Self.url(address, ofDatabase: name)
            let connection = try connect(address)
            try Self.dropForsaken(by: connection)
            // The usual template may have tables of somebody's, and another encoding.
            let locale =
                try connection.rows(
                    "SELECT quote_literal(datcollate), quote_literal(datctype) FROM pg_database "
                        + "WHERE datname = current_database()"
                ).first ?? []
            let (order, kinds) = (locale.first ?? "'C'", locale.last ?? "'C'")
            // Somebody may take it for a forsaken one before there is a connection to it.
            var attempts = 3
            while holding == nil {
                try connection.execute(
                    "CREATE DATABASE \(name) TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE \(order ?? "'C'") "
                        + "LC_CTYPE \(kinds ?? "'C'")")
                attempts -= 1
                do {
                    holding = try connect(url)
                } catch let error as PostgreSQLError where error.state == Self.isMissing && attempts > 0 {}
            }
            // Nothing is done to the one at the address, whatever its URL says besides.
            try holding?.execute("BEGIN")
            try holding?.liftTimeLimits()
            guard try holding?.texts("SELECT current_database()") == [name] else {
                try? drop()
                throw PostgreSQLError(
                    message: "No URL of another database of its server can be made of this one.",
                    address: connection.address.description)
            }
        }

        private static let isMissing = "3D000"

        func drop() throws {
            holding?.rollback()
            holding = nil
            // The server may have been started anew since.
            try connect(address).execute("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
        }

        private static func dropForsaken(by connection: PostgreSQLConnection) throws {
            let names = try connection.texts(
                """
                SELECT datname FROM pg_database d WHERE datname ~ $1 AND pg_has_role(datdba, 'USAGE') \
                AND NOT EXISTS (SELECT 1 FROM pg_stat_activity a WHERE a.datid = d.oid)
                """, ["^\(prefix)[0-9a-f]{32}$"])
            // Somebody else may be faster, or has just connected to it.
            for name in names { try? connection.execute("DROP DATABASE IF EXISTS \(name)") }
        }

        /// The URL with another database in it.
        private static func url(_ url: URL, ofDatabase name: String) -> URL {
            let parts = url.absoluteString.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            let head = parts[0]
            let start = head.range(of: "://")?.upperBound ?? head.endIndex
            let place = head[..<(head[start...].firstIndex(of: "/") ?? head.endIndex)]
            let items = parts.dropFirst().flatMap { $0.split(separator: "&") }.filter { !$0.hasPrefix("dbname=") }
            let text = "\(place)/\(name)" + (items.isEmpty ? "" : "?\(items.joined(separator: "&"))")
            return URL(string: text) ?? url
        }
    }
#endif
