import CoreData
import Foundation
import TestSupport

/// A store of the first of three versions, and the bundle of all: the second adds, the third cannot be inferred.
enum StudioVersions {
    private static let texts = [
        ("Notes", "entity Note\n  text string!\n  old string"),
        ("Notes 2", "entity Note\n  text string!\n  old string\n  rank int32! = 7"),
        ("Notes 3", "entity Note\n  text string!\n  must string!"),
    ]

    static func make(in folder: URL, notes count: Int) throws -> (store: URL, model: URL) {
        let bundle = folder.appendingPathComponent("Notes.momd")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        var hashes: [String: [String: Data]] = [:]
        for (name, text) in texts {
            let model = ModelText.model(text)
            hashes[name] = model.entityVersionHashesByName
            try model.archive().write(to: bundle.appendingPathComponent("\(name).mom"))
        }
        let information: [String: Any] = [
            "NSManagedObjectModel_CurrentVersionName": "Notes 2", "NSManagedObjectModel_VersionHashes": hashes,
        ]
        try PropertyListSerialization.data(fromPropertyList: information, format: .binary, options: 0)
            .write(to: bundle.appendingPathComponent("VersionInfo.plist"))
        let store = folder.appendingPathComponent("Store.sqlite")
        try withStore(store, ModelText.model(texts[0].1)) { context in
            _ = try StudioLibrary.made("Note", ["text": "note 1", "old": "kept"], context)
            try context.save()
        }
        try RawDatabase(store).execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) \
            INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTEXT, ZOLD) \
            SELECT i, 1, 1, 'note ' || i, 'something that is long enough to take its time' FROM n; \
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(count); PRAGMA wal_checkpoint(TRUNCATE)
            """)
        return (store, bundle)
    }
}
