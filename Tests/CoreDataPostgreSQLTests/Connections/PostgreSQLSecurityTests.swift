#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

/// Connects to a server that encrypts, has a certificate of a CA of its own, and requires passwords by SCRAM.
@Suite(
    .serialized,
    .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PostgreSQLSecurityTests {
    let secured: SecuredServer
    let database = "s" + UUID().uuidString.prefix(8).lowercased()

    init() throws { secured = try PostgreSQLServer.secured.get() }

    func open(_ url: URL, _ options: [AnyHashable: Any] = [:]) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        try coordinator.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil, at: url, options: options)
        return coordinator
    }

    /// The error of opening a store; no part of it may contain the password.
    func failure(_ url: URL, _ options: [AnyHashable: Any] = [:]) throws -> PostgreSQLFailure? {
        let error = try #require(throws: NSError.self) { try open(url, options) }
        #expect(error.code == NSPersistentStoreOpenError)
        let text = "\(error) \(error.userInfo) \(error.localizedDescription)"
        #expect(!text.contains("cret"))
        return (error.userInfo[NSPostgreSQLFailureKey] as? String).flatMap { PostgreSQLFailure(rawValue: $0) }
    }

    @Test("A server is trusted by its certificate, and a password given by SCRAM; another certificate is refused")
    func certificates() throws {
        secured.make(database)
        let coordinator = try open(secured.url(database, secured.trusted))
        #expect(
            secured.server.psql(
                database,
                "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'me'")
                == "t")
        #expect(
            secured.server.psql(database, "SELECT rolpassword LIKE 'SCRAM%' FROM pg_authid WHERE rolname = 'me'")
                == "t")
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        #expect(try failure(secured.url(database, secured.foreign)) == .certificateNotTrusted)
        #expect(
            try failure(secured.url(database, "sslmode=verify-full&sslrootcert=/nowhere")) == .certificateNotTrusted
        )
        // Without encryption the server admits no client as this user.
        #expect(try failure(secured.url(database, "sslmode=disable")) == .passwordRefused)
        _ = try open(secured.url(database, secured.trusted))
    }

    @Test("A wrong password, none, an unknown database, and a server that is not there are distinguished")
    func refusals() throws {
        secured.make(database)
        #expect(try failure(secured.url(database, password: "wrong-secret")) == .passwordRefused)
        #expect(try failure(secured.url(database, password: nil, "passfile=/nowhere")) == .passwordRefused)
        #expect(try failure(secured.url("nowhere")) == .noDatabase)
        let unreachable = try #require(URL(string: "postgresql://me:secret@127.0.0.1:1/d?connect_timeout=2"))
        #expect(try failure(unreachable) == .unreachable)
        _ = try open(secured.url(database))
    }

    @Test("A password in a file of the user's needs not stand in the URL")
    func passwordFile() throws {
        secured.make(database)
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("pgpass")
            let password = SecuredServer.password.replacingOccurrences(of: ":", with: "\\:")
            try Data("127.0.0.1:\(secured.port):*:me:\(password)\n".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            _ = try open(secured.url(database, password: nil, "passfile=\(file.path)"))
        }
    }

    @Test("A client shows a certificate where the server demands one, in the place of a password or beside it")
    func clientCertificates() throws {
        secured.make(database, owner: "certified")
        func url(_ user: String, _ certificate: String, password: String? = nil) -> URL {
            secured.url(database, user: user, password: password, secured.trusted + "&" + certificate)
        }
        let own = secured.certificate("certified")
        let coordinator = try open(url("certified", own))
        let name = "SELECT DISTINCT client_dn FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = "
        #expect(secured.server.psql(database, name + "'certified'") == "/CN=certified")
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        // No certificate, one of another user, and one that is not of the server's CA.
        #expect(try failure(url("certified", "sslcert=/nowhere")) == .passwordRefused)
        #expect(try failure(url("certified", secured.certificate("combined"))) == .passwordRefused)
        #expect(try failure(url("certified", secured.certificate("stranger"))) == .certificateNotTrusted)
        // A key that is encrypted.
        let locked = secured.certificate("certified", key: "locked") + "&sslpassword="
        #expect(try failure(url("certified", locked + "wrong-secret")) == .certificateNotTrusted)
        _ = try open(url("certified", locked + SecuredServer.keyPassword))
        // The certificate and the password.
        secured.server.grant(database, to: "combined")
        let combined = secured.certificate("combined")
        _ = try open(url("combined", combined, password: SecuredServer.password))
        #expect(try failure(url("combined", combined, password: "wrong-secret")) == .passwordRefused)
        #expect(try failure(url("combined", own, password: SecuredServer.password)) == .passwordRefused)
    }

    @Test("The store's URL, its errors and its notifications do not contain the password")
    func openStore() throws {
        secured.make(database)
        let url = secured.url(
            database,
            "password=\(SecuredServer.password.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")")
        let coordinator = try open(url)
        let store = try #require(coordinator.persistentStore(for: url))
        var texts = ["\(store)", "\(store.url?.absoluteString ?? "")", "\(coordinator.url(for: store))"]
        try coordinator.remove(store)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        let coordinatorOfReader = try open(url, [NSReadOnlyPersistentStoreOption: true])
        try context.performAndWait {
            context.persistentStoreCoordinator = coordinatorOfReader
            context.make("Tag", ["name": "a"])
            let error = try #require(throws: NSError.self) { try context.save() }
            texts.append("\(error) \(error.userInfo)")
        }
        for text in texts { #expect(!text.contains("cret"), "\(text)") }
    }

    @Test("The error of a server without free connections says so, and one that is free again is used")
    func connections() throws {
        secured.make(database)
        let coordinator = try open(secured.url(database))
        var others: [NSPersistentStoreCoordinator] = []
        var refusal: NSError?
        for _ in 0..<20 where refusal == nil {
            do {
                others.append(try open(secured.url(database)))
            } catch let error as NSError {
                refusal = error
            }
        }
        #expect(refusal?.userInfo[NSPostgreSQLFailureKey] as? String == PostgreSQLFailure.noConnectionLeft.rawValue)
        for other in others { for store in other.persistentStores { try other.remove(store) } }
        // The server counts a connection until its process has gone.
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait { context.persistentStoreCoordinator = coordinator }
        try context.performAndWait {
            context.make("Tag", ["name": "a"])
            try context.save()
        }
        let deadline = ContinuousClock.now + .seconds(20)
        var count: Int?
        while count == nil, ContinuousClock.now < deadline {
            count = try? context.performAndWait { try context.all("Tag").count }
        }
        #expect(count == 1)
    }
}
#endif
