import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataManager

@Suite("A launch that fails")
struct LaunchFailureTests {
    private func cocoa(_ code: Int, underlying: NSError? = nil, sqlite: Int? = nil) -> NSError {
        var info: [String: Any] = [:]
        info[NSUnderlyingErrorKey] = underlying
        info[NSSQLiteErrorDomain] = sqlite.map { NSNumber(value: $0) }
        return NSError(domain: NSCocoaErrorDomain, code: code, userInfo: info)
    }

    /// The error of a store in a PostgreSQL database.
    private func server(_ failure: String) -> NSError {
        NSError(
            domain: NSCocoaErrorDomain, code: NSPersistentStoreOpenError, userInfo: ["PostgreSQLFailure": failure])
    }

    @Test("Every kind of error finds its words")
    func kinds() {
        let errors: [(any Error, LaunchFailure.Kind)] = [
            (cocoa(640), .diskFull),
            (cocoa(NSMigrationError, sqlite: 13), .diskFull),
            (cocoa(NSMigrationError, underlying: NSError(domain: NSPOSIXErrorDomain, code: Int(ENOSPC))), .diskFull),
            (cocoa(513), .noPermission),
            (NSError(domain: NSPOSIXErrorDomain, code: Int(EROFS)), .noPermission),
            (cocoa(NSPersistentStoreTimeoutError), .busy),
            (cocoa(NSPersistentStoreOpenError, sqlite: 5), .busy),
            (cocoa(NSPersistentStoreOpenError, sqlite: 14), .unreachable),
            (cocoa(259), .damaged),
            (NSError(domain: NSSQLiteErrorDomain, code: 11 | 1 << 8), .damaged),
            (cocoa(NSMigrationMissingSourceModelError), .incompatible),
            (cocoa(NSInferredMappingModelError), .incompleteProgram),
            (cocoa(NSMigrationMissingMappingModelError), .incompleteProgram),
            (cocoa(NSMigrationCancelledError), .cancelled),
            (CancellationError(), .cancelled),
            (CoreDataManagerError.unreadableModel(URL(fileURLWithPath: "/m.momd")), .incompleteProgram),
            (cocoa(NSCoreDataError), .other),
            (server("unreachable"), .serverUnreachable), (server("connectionLost"), .serverUnreachable),
            (server("passwordRefused"), .passwordRefused), (server("certificateNotTrusted"), .certificateNotTrusted),
            (server("optionRefused"), .serverAddressWrong),
            (server("readOnly"), .databaseReadOnly), (server("notPermitted"), .databaseNotPermitted),
            (server("migratedByAnother"), .migratedByAnother),
            (server("diskFull"), .serverFull), (server("noConnectionLeft"), .serverFull),
        ]
        for (error, kind) in errors {
            #expect(LaunchFailure(error, texts: LaunchTexts(language: "en")).kind == kind, "\(error)")
        }
        #expect(Set(errors.map(\.1)) == Set(LaunchFailure.Kind.allCases))
    }

    @Test("A failure has the cause and a remedy in the user's language, and that the data was kept if that is certain")
    func words() {
        let failure = LaunchFailure(cocoa(640), texts: LaunchTexts(language: "de"))
        #expect(failure.title == "Ihre Daten konnten nicht geöffnet werden.")
        #expect(failure.message.hasSuffix("Ihre Daten sind erhalten."))
        for kind in [cocoa(259), cocoa(NSCoreDataError)] {
            #expect(!LaunchFailure(kind, texts: LaunchTexts(language: "de")).message.contains("erhalten"))
        }
        #expect(failure.retryLabel == "Erneut versuchen")
        #expect(LaunchFailure(cocoa(NSInferredMappingModelError), texts: LaunchTexts(language: "en")).retryLabel == nil)
    }

    /// Fails a given number of times, then migrates.
    // @unchecked Sendable: the counter is guarded by the lock.
    private final class FailingAdapter: MigrationAdapter, @unchecked Sendable {
        private let lock = NSLock()
        private var failures: Int
        private let real = CoreDataManager.Configuration().adapter

        init(failures: Int) { self.failures = failures }

        func forecast(_ job: MigrationJob) throws -> LaunchForecast { try real.forecast(job) }

        func migrate(_ job: MigrationJob, begun: (any MigrationProgressReporting) -> Void) throws {
            let fails = lock.withLock {
                defer { failures -= 1 }
                return failures > 0
            }
            if fails {
                begun(ProgressAdapter(Progress(totalUnitCount: 1)))
                throw NSError(domain: NSCocoaErrorDomain, code: 640)
            }
            try real.migrate(job, begun: begun)
        }
    }

    @Test("A migration without space on the disk keeps the store, and a retry ends it")
    func retry() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            try NoteModel.makeStore(at: url, notes: 3)
            var configuration = CoreDataManager.Configuration()
            configuration.adapter = FailingAdapter(failures: 2)
            configuration.texts = LaunchTexts(language: "ru")
            let manager = CoreDataManager(model: NoteModel.second(), storeURL: url, configuration: configuration)
            #expect(manager.failure == nil)
            await #expect(throws: (any Error).self) { try await manager.launch() }
            #expect(manager.failure?.kind == .diskFull)
            #expect(manager.failure?.retryLabel == "Повторить")
            #expect(try NoteModel.texts(inStoreAt: url).count == 3)
            await #expect(throws: (any Error).self) { try await manager.retry() }
            try await manager.retry()
            #expect(manager.failure == nil)
            #expect(manager.state.isReady)
            try await manager.retry()
        }
    }

    @Test("A file that is no store is damaged in the user's words, and stays")
    func garbage() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            let garbage = Data(repeating: 0x41, count: 8_192)
            try garbage.write(to: url)
            let manager = CoreDataManager(model: NoteModel.first(), storeURL: url)
            let outcome = await withCheckedContinuation { continuation in
                manager.launch { continuation.resume(returning: $0) }
            }
            #expect(throws: (any Error).self) { try outcome.get() }
            #expect(manager.failure?.kind == .damaged)
            #expect(try Data(contentsOf: url) == garbage)
        }
    }

    @Test("A store whose folder is not there cannot be reached, until it is there")
    func missingFolder() async throws {
        try await withTemporaryFolder { folder in
            let inner = folder.appendingPathComponent("volume")
            let manager = CoreDataManager(model: NoteModel.first(), storeURL: inner.appendingPathComponent("n.sqlite"))
            await #expect(throws: (any Error).self) { try await manager.launch() }
            #expect(manager.failure?.kind == .unreachable, "\(String(describing: manager.failure?.error))")
            try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
            try await manager.retry()
        }
    }

    @Test("A retry asks for the progress screen of the launch before")
    func retryShowsScreenAgain() async {
        struct Refused: Error {}
        let machine = LaunchMachine()
        await confirmation(expectedCount: 2) { asked in
            let first = machine.join(progressScreen: { _ in asked() }, completion: nil)
            #expect(first == 1)
            machine.endGrace(ofAttempt: 1)
            machine.beginMigration(ProgressAdapter(Progress(totalUnitCount: 1)))
            await drainMain()
            machine.finish(.failure(Refused()))
            let second = machine.join(progressScreen: nil, completion: nil, again: true)
            #expect(second == 2)
            machine.endGrace(ofAttempt: 2)
            machine.beginMigration(ProgressAdapter(Progress(totalUnitCount: 1)))
            await drainMain()
        }
    }

    @Test("Every change of state is posted on the main queue, in order")
    func notifications() async throws {
        try await withTemporaryFolder { folder in
            let manager = CoreDataManager(model: NoteModel.first(), storeURL: folder.appendingPathComponent("n.sqlite"))
            // Both are only touched on the main queue until the drain below.
            let names = Box<[String]>([])
            let token = NotificationCenter.default.addObserver(
                forName: CoreDataManager.stateDidChangeNotification, object: manager, queue: nil
            ) { notification in
                MainActor.assertIsolated()
                let state = notification.userInfo?[CoreDataManager.stateKey] as? LaunchState
                names.value.append(state?.description ?? "none")
            }
            try await manager.launch()
            await drainMain()
            NotificationCenter.default.removeObserver(token)
            #expect(names.value == ["checking", "opening", "ready"])
        }
    }
}

/// Returns when everything that was put on the main queue before has run.
func drainMain() async {
    await withCheckedContinuation { continuation in
        DispatchQueue.main.async { continuation.resume() }
    }
}

/// A value that closures share.
// @unchecked Sendable: guarded by the lock.
final class Box<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: Value

    init(_ value: Value) { stored = value }

    var value: Value {
        get { lock.withLock { stored } }
        set { lock.withLock { stored = newValue } }
    }

    func update(_ change: (inout Value) -> Void) { lock.withLock { change(&stored) } }
}
