import CoreData
import CoreDataManager
import TestSupport
import Testing

@Suite("Whether a store needs a migration")
struct MigrationTests {
    @Test("A store that is not there needs no migration, and asking makes no file")
    func missingStore() throws {
        try withTemporaryFolder { (folder: URL) throws in
            let manager = CoreDataManager(
                model: NoteModel.second(), storeURL: folder.appendingPathComponent("n.sqlite"))
            #expect(try manager.isMigrationRequired() == false)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    @Test("A store of the same model needs no migration, one of another model does")
    func metadataDecides() throws {
        try withTemporaryFolder { (folder: URL) throws in
            let url = folder.appendingPathComponent("n.sqlite")
            try NoteModel.makeStore(at: url, notes: 1)
            #expect(try CoreDataManager(model: NoteModel.first(), storeURL: url).isMigrationRequired() == false)
            #expect(try CoreDataManager(model: NoteModel.second(), storeURL: url).isMigrationRequired())
        }
    }

    @Test("Asking leaves the store's bytes and its folder as they were")
    func askingTouchesNothing() throws {
        try withTemporaryFolder { (folder: URL) throws in
            let url = folder.appendingPathComponent("n.sqlite")
            try NoteModel.makeStore(at: url, notes: 10)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            let bytes = try Data(contentsOf: url)
            _ = try CoreDataManager(model: NoteModel.second(), storeURL: url).isMigrationRequired()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == files)
            #expect(try Data(contentsOf: url) == bytes)
        }
    }

    @Test("Migrating by hand brings the store to the new model, once")
    func migrateByHand() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            try NoteModel.makeStore(at: url, notes: 2)
            let manager = CoreDataManager(model: NoteModel.second(), storeURL: url)
            try await confirmation(expectedCount: 1) { began in
                try await manager.migrate { _ in began() }
                try await manager.migrate { _ in began() }
            }
            #expect(try manager.isMigrationRequired() == false)
            #expect(try NoteModel.texts(inStoreAt: url, model: NoteModel.second()) == ["note 0", "note 1"])
        }
    }

    @Test("The progress of a Foundation.Progress is kept between 0 and 1, and cancelling reaches it")
    func adapter() {
        let progress = Progress(totalUnitCount: 4)
        let adapter = ProgressAdapter(progress)
        #expect(adapter.migrationStatus.fractionCompleted == 0)
        progress.completedUnitCount = 1
        #expect(adapter.migrationStatus.fractionCompleted == 0.25)
        progress.completedUnitCount = 8
        #expect(adapter.migrationStatus.fractionCompleted == 1)
        adapter.cancelMigration()
        #expect(progress.isCancelled)
    }
}
