import CoreData
import Foundation

// The reader of pages, which has neither SQLite nor a whole file to rely on.
extension FuzzTarget {
    /// Any bytes as the file of a damaged store. The salvaged file has to be a store that can be read.
    static let salvage = FuzzTarget(
        "salvage", suffixes: ["sqlite", "store", "db", "moody"],
        seeds: {
            let whole = FuzzBase.sqlite
            var noHeader = whole
            noHeader.replaceSubrange(0..<100, with: Data(count: 100))
            return [
                "store.sqlite": whole, "no-header.sqlite": noHeader, "cut.sqlite": Data(whole.prefix(whole.count / 2)),
            ]
        },
        run: { bytes in
            try FuzzFolder.withFile(bytes, named: "Fuzz.sqlite") { file in
                let new = file.deletingLastPathComponent().appendingPathComponent("New.sqlite")
                _ = try NSPersistentStoreCoordinator.salvage(storeAt: file, into: new, model: FuzzModel.make())
                try? FuzzStore.read(.sqlite, at: new, model: FuzzModel.make())
            }
        })
}
