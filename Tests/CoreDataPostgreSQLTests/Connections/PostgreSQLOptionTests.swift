#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

// Invalid options of a URL, and of a store: the error names them, and is not that of a server that cannot be
// reached.
@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PostgreSQLOptionTests {
    private func open(_ url: URL, _ options: [AnyHashable: Any] = [:]) throws {
        try withStore(url, LibraryModel.make(), type: NSPostgreSQLStoreType, options: options) { _ in }
    }

    private func expectRefusal(_ words: [String], _ body: () throws -> Void) throws {
        let error = try #require(throws: NSError.self) { try body() }
        #expect(error.code == NSPersistentStoreOpenError)
        let failure = error.userInfo[NSPostgreSQLFailureKey] as? String
        #expect(failure == PostgreSQLFailure.optionRefused.rawValue, "\(error)")
        for word in words { #expect(error.localizedDescription.contains(word), "\(error)") }
        #expect(!"\(error) \(error.userInfo)".contains("cret"), "\(error)")
    }

    @Test(
        "An unknown option, or one with an invalid value, is named, for any server",
        arguments: [
            ("conect_timeout=5", ["“conect_timeout”", "no option"]),
            ("sslmode", ["sslmode"]), ("a=b=c", ["“a”"]), ("hostaddr=abc", ["abc"]),
            ("gssencmode=x", ["gssencmode"]), ("ssl_min_protocol_version=x", ["ssl_min_protocol_version"]),
            ("sslpassword=se=cret", ["sslpassword"]), ("password=se&cret", []),
            ("pasword=secret", ["“pasword”", "no option"]),
            ("connect_timeout=abc", ["“connect_timeout”", "“abc”"]),
            ("connect_timeout=5s", ["“connect_timeout”", "“5s”"]),
            ("keepalives_idle=1.5", ["“keepalives_idle”", "“1.5”"]),
            ("tcp_user_timeout=99999999999", ["“tcp_user_timeout”"]),
            ("port=abc", ["“port”", "“abc”"]), ("port=0", ["“port”", "“0”"]),
            ("port=65536", ["“port”", "“65536”"]),
            ("sslmode=sometimes", ["sslmode", "sometimes"]),
            ("channel_binding=maybe", ["channel_binding", "maybe"]),
            ("target_session_attrs=any-one", ["target_session_attrs", "any-one"]),
            ("service=nowhere", ["service", "nowhere"]),
            ("direct=localhost:abc", ["“direct”", "localhost:abc"]),
            ("direct=localhost:70000", ["“direct”", "70000"]),
        ])
    func refused(query: String, words: [String]) throws {
        let unreachable = try #require(URL(string: "postgresql://me:secret@127.0.0.1:1/d?\(query)"))
        try expectRefusal(words) { try open(unreachable) }
        try expectRefusal(words) {
            _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSPostgreSQLStoreType, at: unreachable)
        }
    }

    @Test(
        "A time that is no number, or longer than any, is none, or as long as clocks count",
        arguments: [Double.nan, -1, 1e12, 1e300, .infinity])
    func times(_ time: Double) throws {
        let library = try Library(.postgreSQL, options: [NSPersistentStoreTimeoutOption: time])
        _ = try Library(.sqlite, options: [NSPersistentStoreTimeoutOption: time])
        let url = try #require(StoreKind.postgreSQL.url(in: library.folder.url))
        let options: [AnyHashable: Any] = [
            NSPostgreSQLOnlineMigrationOption: true, NSPostgreSQLLeaseOption: time,
            NSPostgreSQLOlderVersionDelayOption: time, NSPostgreSQLGenerationLifetimeOption: time,
            NSPostgreSQLSnapshotWarningOption: time, NSPostgreSQLHistoryLifetimeOption: time,
            NSPersistentStoreTimeoutOption: time,
        ]
        let other = try Library(.postgreSQL, in: library.folder, options: options)
        let context = other.context()
        try context.performAndWait {
            context.make("Tag", ["name": "a"])
            try context.save()
        }
        #expect(try library.saved("Tag", "name") == ["a"])
        #expect(try NSPersistentStoreCoordinator.endOlderPostgreSQLVersions(at: url, options: options))
    }

    @Test("A port before the database is an option, too; correct options are no mistake where no server answers")
    func places() throws {
        try expectRefusal(["“port”", "70000"]) {
            try open(#require(URL(string: "postgresql://me:secret@127.0.0.1:70000/d")))
        }
        for text in [
            "postgresql://me:secret@127.0.0.1:1/d?connect_timeout=2&keepalives=0&sslmode=disable",
            "postgresql://me:secret@/d?host=/nowhere&port=1&sslmode=prefer",
            "postgresql://me:secret@/d?host=127.0.0.1,127.0.0.2&port=1,2&connect_timeout=",
            "postgresql://me:secret@/d?hostaddr=127.0.0.1&port=1&direct=%5B::1%5D:1",
            "postgresql://me:secret@nowhere.invalid/d?ssl=true&ssl_min_protocol_version=TLSv1.2",
            "postgresql://me:se@cret@127.0.0.1:1/d",
        ] {
            let error = try #require(throws: NSError.self) { try open(#require(URL(string: text))) }
            let failure = error.userInfo[NSPostgreSQLFailureKey] as? String
            #expect(failure == PostgreSQLFailure.unreachable.rawValue, "\(text): \(error)")
            #expect(!"\(error) \(error.userInfo)".contains("cret"), "\(error)")
        }
    }

    @Test(
        "A value that only the server finds to be invalid is named as well",
        arguments: [
            ("statement_timeout=abc", ["statement_timeout", "abc"]), ("lock_timeout=-5", ["lock_timeout", "-5"]),
            ("lock_timeout=5%20pints", ["lock_timeout", "5 pints"]),
            ("options=-cwork_mem%3Dlots", ["work_mem", "lots"]),
            ("options=-cno_such_setting%3D1", ["no_such_setting"]),
            ("options=-cmax_connections%3D1", ["max_connections"]),
        ])
    func refusedByServer(query: String, words: [String]) throws {
        let server = try PostgreSQLServer.shared.get()
        let url = server.url(ofDatabase: "options").absoluteString
        try expectRefusal(words) { try open(#require(URL(string: "\(url)&\(query)"))) }
        try open(#require(URL(string: "\(url)&options=-cwork_mem%3D8MB&connect_timeout=30&ssl=true")))
    }

    @Test(
        "An option of the store that is no number of seconds is named",
        arguments: [
            NSPostgreSQLConnectTimeoutOption, NSPostgreSQLStatementTimeoutOption, NSPostgreSQLLockTimeoutOption,
        ])
    func options(key: String) throws {
        let url = try PostgreSQLServer.shared.get().url(ofDatabase: "options")
        for value: Any in ["soon", Double.infinity, -1] {
            try expectRefusal(["“\(key)”", "\(value)"]) { try open(url, [key: value]) }
        }
        try open(url, [key: 30, NSPostgreSQLConnectionLimitOption: Double.infinity])
    }
}
#endif
