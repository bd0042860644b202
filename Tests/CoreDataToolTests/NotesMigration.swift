import CoreData
import Foundation
import TestSupport

/// Stores of notes that a newer version of their model awaits.
enum NotesMigration {
    static let versions = [
        (name: "Notes", text: "entity Note\n  text string!\n  old string"),
        (name: "Notes 2", text: "entity Note\n  text string!\n  rank int32! = 7\n  mark string! = none"),
    ]

    static var models: (NSManagedObjectModel, NSManagedObjectModel) {
        (ModelText.model(versions[0].text), ModelText.model(versions[1].text))
    }

    /// A store of the first version with so many notes, and the bundle of both.
    static func with(
        _ count: Int, type: String = NSSQLiteStoreType, _ body: (URL, URL) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            try ModelFolder.compiled("Notes", versions, current: "Notes 2", in: folder)
            let store = folder.appendingPathComponent("n.sqlite")
            try make(store, notes: min(count, 10), type: type)
            if count > 10 { try fill(store, to: count) }
            try body(folder, store)
        }
    }

    static func make(_ store: URL, notes: Int, type: String = NSSQLiteStoreType) throws {
        try withStore(store, models.0, type: type) { context in
            for number in 0..<notes {
                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                note.setValue("note \(number)", forKey: "text")
            }
            try context.save()
        }
    }

    /// Adds rows as a save would, and faster.
    static func fill(_ store: URL, to count: Int) throws {
        let database = try RawDatabase(store)
        try database.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 11 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) \
            INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTEXT, ZOLD) \
            SELECT i, 1, 1, 'note ' || i, 'something that is long enough to take its time' FROM n; \
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(count); PRAGMA wal_checkpoint(TRUNCATE)
            """)
    }

    static func isOld(_ store: URL, type: String = NSSQLiteStoreType) throws -> Bool {
        models.0.isConfiguration(
            withName: nil,
            compatibleWithStoreMetadata: try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: type, at: store))
    }

    static func ranks(_ store: URL, type: String = NSSQLiteStoreType) throws -> [Int?] {
        try withStore(store, models.1, type: type) { context in
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")).map {
                $0.value(forKey: "rank") as? Int
            }
        }
    }

    /// The commands' arguments for them.
    static let arguments = ["n.sqlite", "--model", "Notes.momd"]
}
