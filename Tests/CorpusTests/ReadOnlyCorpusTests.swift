import CoreData
import Foundation
import TestSupport
import Testing

/// Real stores are opened where they lie, read-only.
@Suite(.enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
struct ReadOnlyCorpusTests {
    /// All but those with a -wal and no -shm beside it: SQLite cannot read these without making the -shm.
    static let readableInPlace = CorpusStore.all.filter { store in
        let path = Corpus.url(store.path).path
        let hasLog = ((try? FileManager.default.attributesOfItem(atPath: path + "-wal"))?[.size] as? Int ?? 0) > 0
        return !hasLog || FileManager.default.fileExists(atPath: path + "-shm")
    }

    /// One after another: where the folder is writable, readers make files for a moment that tests of other stores
    /// there would see.
    @Test(
        "a store that is opened read-only in its place reads, and nothing changes there", .serialized,
        arguments: readableInPlace)
    func changesNothing(_ store: CorpusStore) throws {
        let url = Corpus.url(store.path)
        let folder = url.deletingLastPathComponent()
        // SQLite keeps its notes in a -shm where it may write one; the notes count only where no process may write.
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? NSNumber
        let isProtected = (mode?.intValue ?? 0o222) & 0o222 == 0
        let before = try FolderContents(folder)
        let context = try CorpusStore.open(url, store.model, options: [NSReadOnlyPersistentStoreOption: true])
        let count = try context.performAndWait {
            let during = try FolderContents(folder)
            #expect(during == before || !isProtected, "\(during.differences(from: before))")
            return try store.model.entities.filter { $0.superentity == nil }.map {
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: $0.name ?? "")).count
            }.reduce(0, +)
        }
        for opened in context.persistentStoreCoordinator?.persistentStores ?? [] {
            try context.persistentStoreCoordinator?.remove(opened)
        }
        let after = try FolderContents(folder)
        let differences = after.differences(from: before).filter { isProtected || !$0.hasSuffix("-shm") }
        #expect(differences.isEmpty, "\(differences)")
        // As many as in a copy, the rows of the -wal included.
        let copied = try store.withCopy { copy in
            let raw = try RawEntities(copy, model: store.model)
            return try store.model.entities.map { try raw.count(of: $0) }.reduce(0, +)
        }
        #expect(count == copied)
    }
}
