import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Migrations by a mapping model of stores that post remote changes", .leavesNothingBehind)
struct MappedRemoteChangeTests {
    /// What the process writes to its standard error while a body runs; lines of other tests may be among it.
    private func standardError(during body: () throws -> Void) throws -> String {
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("errors")
            let (saved, new) = (dup(2), open(file.path, O_CREAT | O_WRONLY | O_APPEND, 0o600))
            defer { close(saved) }
            dup2(new, 2)
            close(new)
            defer { dup2(saved, 2) }
            try body()
            let bytes = try Data(contentsOf: file)
            bytes.withUnsafeBytes { _ = write(saved, $0.baseAddress, $0.count) }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    @Test("Nothing is said of missing notifications, and another coordinator's save is heard afterwards")
    func silent() async throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Store.sqlite")
        let (older, newer) = ("entity Note\n  text string", "entity Note\n  text string\n  rank int32")
        try withStore(url, ModelText.model(older), options: [NSPersistentHistoryTrackingKey: true]) { context in
            context.make("Note", ["text": "one"])
            try context.save()
        }
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: ModelText.model(older), destinationModel: ModelText.model(newer))
        let options: [String: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSMigrationMappingModelOption: mapping,
            NSPersistentHistoryTrackingKey: true, NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
        ]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(newer))
        let errors = try standardError {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        }
        #expect(!errors.contains("no remote-change notifications"), "\(errors)")
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
        ) { _ in continuation.yield() }
        defer { NotificationCenter.default.removeObserver(observer) }
        try withStore(url, ModelText.model(newer), options: options) { context in
            context.make("Note", ["text": "two"])
            try context.save()
        }
        for await _ in stream { break }
    }
}
