#if PostgreSQL
import Foundation

/// A temporary database, which is dropped after its use.
///
/// A process that is killed leaves its database, and the next process drops those that have no connections. This
/// object keeps a connection for as long as it exists, in a transaction: a pooler would end an idle connection.
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
        // The default template may have tables, and another encoding.
        let locale =
            try connection.rows(
                "SELECT quote_literal(datcollate), quote_literal(datctype) FROM pg_database "
                    + "WHERE datname = current_database()"
            ).first ?? []
        let (order, kinds) = (locale.first ?? "'C'", locale.last ?? "'C'")
        // Another process may drop the database as a left one before this process has connected to it.
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
        // The database at the address itself is not changed, whatever else its URL contains.
        guard try holding?.texts("SELECT current_database()") == [name] else {
            try? drop()
            throw PostgreSQLError(
                message: "No URL of another database of its server can be made of this one.",
                address: connection.address.description)
        }
        // No query may follow within the transaction: the connection would keep its snapshot, and an index that is
        // made beside other programs would wait for it.
        try holding?.execute(PostgreSQLConnection.beginning)
        try holding?.liftTimeLimits()
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
        // Another process may have dropped it already, or may just have connected to it.
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
