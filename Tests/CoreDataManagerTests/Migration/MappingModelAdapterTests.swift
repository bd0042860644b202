import CoreData
import CoreDataManager
import TestSupport
import Testing

@Suite("Migrating by a migration manager")
struct MappingModelAdapterTests {
    /// A manager of a store with notes of the first version, and where it lies.
    private func withManager(
        notes: Int, hasMapping: Bool = true, _ body: (CoreDataManager, URL) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            try NoteModel.makeStore(at: url, notes: notes)
            var configuration = CoreDataManager.Configuration()
            configuration.adapter = MappingModelAdapter(
                sourceModel: { _ in NoteModel.first() },
                mappingModel: { source, target in
                    hasMapping
                        ? try? NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: target)
                        : nil
                })
            try await body(
                CoreDataManager(model: NoteModel.second(), storeURL: url, configuration: configuration), folder)
        }
    }

    @Test(
        "All rows arrive, the progress comes to its end, and nothing is left beside the store",
        arguments: [true, false])
    func migrates(hasMapping: Bool) async throws {
        try await withManager(notes: 300, hasMapping: hasMapping) { manager, folder in
            let migration = Box<(any MigrationProgressReporting)?>(nil)
            try await manager.migrate { migration.value = $0 }
            #expect(migration.value?.migrationStatus.fractionCompleted == 1)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(files.allSatisfy { $0.hasPrefix("n.sqlite") }, "\(files)")
            let texts = try NoteModel.texts(inStoreAt: manager.storeURL, model: NoteModel.second())
            #expect(texts == (0..<300).map { "note \($0)" }.sorted())
        }
    }

    @Test("One that is cancelled leaves the store as it was, and can be made again")
    func cancels() async throws {
        try await withManager(notes: 300) { manager, folder in
            let error = await #expect(throws: (any Error).self) {
                try await manager.migrate { $0.cancelMigration() }
            }
            #expect(error.map { LaunchFailure($0).kind } == .cancelled)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(files.allSatisfy { $0.hasPrefix("n.sqlite") }, "\(files)")
            #expect(try NoteModel.texts(inStoreAt: manager.storeURL).count == 300)
            try await manager.migrate()
            #expect(try NoteModel.texts(inStoreAt: manager.storeURL, model: NoteModel.second()).count == 300)
        }
    }

    @Test("A migration removes the leftovers of an older version of this library, but not if a process has them open")
    func cleansUp() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            try NoteModel.makeStore(at: url, notes: 1)
            let copy = folder.appendingPathComponent(".n.sqlite.migrated")
            let associations = folder.appendingPathComponent("..n.sqlite.migrated.associations-1234")
            try NoteModel.makeStore(at: copy, notes: 1)
            try NoteModel.makeStore(at: associations, notes: 1)
            let job = MigrationJob(storeURL: url, model: NoteModel.first())
            func names() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix(".") }
            }
            try withExtendedLifetime(RawDatabase(copy)) { database in
                try database.execute("BEGIN IMMEDIATE")
                MappingModelAdapter().cleanUp(after: job)
                #expect(try names().contains(".n.sqlite.migrated"))
                try database.execute("COMMIT")
            }
            MappingModelAdapter().cleanUp(after: job)
            #expect(try names() == [])
            #expect(try NoteModel.texts(inStoreAt: url).count == 1)
        }
    }
}
