#if PostgreSQL
import CoreData
import CoreDataManager
import Foundation
import TestSupport
import Testing

@Suite(
    "Launch of a store in a PostgreSQL database",
    .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PostgreSQLLaunchTests {
    private func manager(
        _ model: NSManagedObjectModel = NoteModel.first(), at url: URL, options: [String: any Sendable] = [:]
    ) -> CoreDataManager {
        var configuration = CoreDataManager.Configuration()
        configuration.storeType = StoreKind.postgreSQL.type
        configuration.storeOptions = options
        configuration.texts = LaunchTexts(language: "en")
        return CoreDataManager(model: model, storeURL: url, configuration: configuration)
    }

    private func databaseURL() throws -> URL {
        try PostgreSQLServer.shared.get().url(ofDatabase: "launch-\(UUID().uuidString)")
    }

    private func count(_ manager: CoreDataManager) async throws -> Int {
        try await manager.performBackground { context in
            try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note"))
        }
    }

    @Test("A new store is made, the contexts wait for it, and saves go down the chain into the database")
    func launch() async throws {
        let url = try databaseURL()
        let first = manager(at: url)
        try await first.ready()
        #expect(first.state.isReady)
        try await first.performMain { NoteModel.insert("main", into: $0) }
        try await first.saveMain()
        try await first.performBackground { NoteModel.insert("background", into: $0) }
        let second = manager(at: url)
        try await second.launch()
        #expect(try await count(second) == 2)
    }

    @Test("A store of an older model is migrated on the way to ready, and keeps its rows")
    func migration() async throws {
        let url = try databaseURL()
        do {
            let first = manager(at: url)
            try await first.performBackground { NoteModel.insert("kept", into: $0) }
            // The older version holds its lock as long as it has the store open.
            let contexts = await first.mainContext
            try await MainActor.run {
                let coordinator = try #require(
                    contexts.persistentStoreCoordinator ?? contexts.parent?.persistentStoreCoordinator)
                for store in coordinator.persistentStores { try coordinator.remove(store) }
            }
        }
        let second = manager(NoteModel.second(), at: url)
        #expect(try second.isMigrationRequired())
        let states = second.states
        try await second.launch()
        var sawMigration = false
        for await state in states { sawMigration = sawMigration || state.isMigrating }
        #expect(sawMigration)
        #expect(try await count(second) == 1)
        #expect(try !second.isMigrationRequired())
    }

    @Test("A refusal by the server reaches the user in words, without the password; the launch can be tried again")
    func failures() async throws {
        let secured = try PostgreSQLServer.secured.get()
        let unreachable = try #require(URL(string: "postgresql://me:secret@127.0.0.1:1/d?connect_timeout=2"))
        for (url, kind, text) in [
            (unreachable, LaunchFailure.Kind.serverUnreachable, "cannot be reached"),
            (secured.url(password: "secret-wrong"), .passwordRefused, "password"),
            (secured.url("me", secured.foreign), .certificateNotTrusted, "certificate"),
        ] {
            let manager = manager(at: url)
            await #expect(throws: (any Error).self) { try await manager.launch() }
            let failure = try #require(await MainActor.run { manager.failure })
            #expect(failure.kind == kind)
            #expect(failure.message.contains(text))
            #expect(failure.retryLabel == "Try again")
            #expect(!"\(failure) \(failure.error as NSError)".contains("cret"))
            await #expect(throws: (any Error).self) { try await manager.retry() }
        }
    }

    @Test("A mistake in the address is reported as one, not as a server that is not there, and without a retry")
    func mistakes() async throws {
        for query in ["sslmode=sometimes", "connect_timeout=abc", "conect_timeout=1", "port=70000"] {
            let manager = manager(at: try #require(URL(string: "postgresql://me:secret@127.0.0.1:1/d?\(query)")))
            await #expect(throws: (any Error).self) { try await manager.launch() }
            let failure = try #require(await MainActor.run { manager.failure })
            #expect(failure.kind == .serverAddressWrong)
            #expect(failure.message.contains("mistake"))
            #expect(failure.retryLabel == nil)
            #expect(!"\(failure) \(failure.error as NSError)".contains("cret"))
        }
    }

    @Test("A database that is only read has words of its own, and the launch succeeds when it is not any more")
    func states() async throws {
        let server = try PostgreSQLServer.shared.get()
        let name = "launch-\(UUID().uuidString)".lowercased()
        let url = server.url(ofDatabase: name)
        func set(_ value: String) {
            _ = server.psql("postgres", "ALTER DATABASE \"\(name)\" SET default_transaction_read_only = \(value)")
        }
        set("on")
        let manager = manager(at: url)
        await #expect(throws: (any Error).self) { try await manager.launch() }
        #expect(await MainActor.run { manager.failure }?.kind == .databaseReadOnly)
        set("off")
        try await manager.retry()
        #expect(manager.state.isReady)
    }
}
#endif
