import CoreData
import CoreDataManager
import TestSupport
import Testing

@Suite("Launch")
struct LaunchTests {
    @Test("A launch of a new store goes through checking and opening to ready")
    func statesOfANewStore() async throws {
        try await withTemporaryFolder { folder in
            let manager = CoreDataManager(model: NoteModel.first(), storeURL: folder.appendingPathComponent("n.sqlite"))
            let states = manager.states
            #expect(!manager.state.isReady)
            manager.launch { _ in }
            var names: [String] = []
            for await state in states {
                names.append(state.description)
            }
            #expect(names == ["idle", "checking", "opening", "ready"])
            #expect(manager.state.isReady)
        }
    }

    @Test("A store of an older model is migrated on the way to ready, and keeps its rows")
    func launchMigrates() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            try NoteModel.makeStore(at: url, notes: 3)
            let manager = CoreDataManager(model: NoteModel.second(), storeURL: url)
            let states = manager.states
            try await manager.launch()
            var sawMigration = false
            for await state in states {
                sawMigration = sawMigration || state.isMigrating
            }
            #expect(sawMigration)
            let count = try await manager.performBackground { context in
                try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note"))
            }
            #expect(count == 3)
        }
    }

    @Test("A launch calls the completion handler on the main actor, also for a caller that comes after the end")
    func completions() async throws {
        try await withTemporaryFolder { folder in
            let manager = CoreDataManager(model: NoteModel.first(), storeURL: folder.appendingPathComponent("n.sqlite"))
            for _ in 0..<2 {
                let outcome = await withCheckedContinuation { continuation in
                    manager.launch { result in
                        MainActor.assertIsolated()
                        continuation.resume(returning: result)
                    }
                }
                try outcome.get()
            }
        }
    }

    @Test("Waiting for readiness begins a launch that was not begun")
    func readyLaunches() async throws {
        try await withTemporaryFolder { folder in
            let manager = CoreDataManager(model: NoteModel.first(), storeURL: folder.appendingPathComponent("n.sqlite"))
            try await manager.ready()
            #expect(manager.state.isReady)
        }
    }

    @Test("A hundred waiters are let through by one launch")
    func manyWaiters() async throws {
        try await withTemporaryFolder { folder in
            let manager = CoreDataManager(model: NoteModel.first(), storeURL: folder.appendingPathComponent("n.sqlite"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 {
                    group.addTask { try await manager.ready() }
                }
                try await group.waitForAll()
            }
            #expect(manager.state.isReady)
        }
    }

    @Test("A failed launch says why, leaves the file alone and may be tried again")
    func retryAfterFailure() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            let garbage = Data(repeating: 0x41, count: 8_192)
            try garbage.write(to: url)
            let manager = CoreDataManager(model: NoteModel.first(), storeURL: url)
            await #expect(throws: (any Error).self) { try await manager.launch() }
            #expect(manager.state.error != nil)
            #expect(try Data(contentsOf: url) == garbage)
            await #expect(throws: (any Error).self) { try await manager.ready() }

            try FileManager.default.removeItem(at: url)
            try await manager.launch()
            #expect(manager.state.isReady)
        }
    }

    @Test("A model file that is not there fails the launch and is named")
    func missingModel() async throws {
        try await withTemporaryFolder { folder in
            let manager = CoreDataManager(
                modelURL: folder.appendingPathComponent("Nowhere.momd"),
                storeURL: folder.appendingPathComponent("n.sqlite"))
            let error = await #expect(throws: CoreDataManagerError.self) { try await manager.launch() }
            #expect(error?.description.contains("Nowhere.momd") == true)
        }
    }

    @Test("A caller that cannot wait gets an error that names the state")
    func readyOrThrow() async throws {
        try await withTemporaryFolder { folder in
            let manager = CoreDataManager(model: NoteModel.first(), storeURL: folder.appendingPathComponent("n.sqlite"))
            let error = #expect(throws: CoreDataManagerError.self) { try manager.readyOrThrow() }
            #expect(error?.description.contains("it is idle") == true)
            try await manager.ready()
            try manager.readyOrThrow()
        }
    }

    @Test("The main context before the end of the launch stops the process")
    func mainContextTooEarly() async {
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let manager = CoreDataManager(
                model: NSManagedObjectModel(), storeURL: URL(fileURLWithPath: "/nowhere/n.sqlite"))
            _ = await manager.mainContext
        }
        let text = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            text.contains("CoreDataManager.mainContext was used while the stack of n.sqlite is idle; await ready()"))
    }

    @Test("A background context before the end of the launch stops the process")
    func backgroundContextTooEarly() async {
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let manager = CoreDataManager(
                model: NSManagedObjectModel(), storeURL: URL(fileURLWithPath: "/nowhere/n.sqlite"))
            _ = manager.newBackgroundContext()
        }
        let text = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            text.contains(
                "CoreDataManager.newBackgroundContext() was called while the stack of n.sqlite is idle; await ready()"))
    }

    @Test("A launch makes a store of the files of a killed creation, and leaves other files as they are")
    func unfinishedStore() async throws {
        try await withTemporaryFolder { folder in
            for (number, content) in [Data(), try Self.emptyDatabase(in: folder)].enumerated() {
                let url = folder.appendingPathComponent("\(number).sqlite")
                try content.write(to: url)
                let manager = CoreDataManager(model: NoteModel.first(), storeURL: url)
                try await manager.launch()
                #expect(manager.state.isReady)
            }
            let url = folder.appendingPathComponent("n.sqlite")
            let garbage = Data(repeating: 7, count: 5_000)
            try garbage.write(to: url)
            await #expect(throws: (any Error).self) {
                try await CoreDataManager(model: NoteModel.first(), storeURL: url).launch()
            }
            #expect(try Data(contentsOf: url) == garbage)
        }
    }

    /// A database with a header and nothing in it.
    private static func emptyDatabase(in folder: URL) throws -> Data {
        let url = folder.appendingPathComponent("empty.sqlite")
        try Data().write(to: url)
        try RawDatabase(url).execute("PRAGMA user_version = 1; VACUUM")
        return try Data(contentsOf: url)
    }
}
