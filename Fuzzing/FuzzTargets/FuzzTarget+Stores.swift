import CoreData
import Foundation

// Stores, read by the model that wrote them.
extension FuzzTarget {
    static let xmlStore = FuzzTarget(
        "xml-store", suffixes: ["xml"], seeds: { ["store.xml": try FuzzModel.storeFile(.xml)] },
        words: FuzzWords.xml + FuzzWords.xmlStores,
        run: { bytes in
            try FuzzFolder.withFile(bytes, named: "Fuzz.xml") {
                try FuzzStore.read(.xml, at: $0, model: FuzzModel.make())
            }
        })

    static let binaryStore = FuzzTarget(
        "binary-store", suffixes: ["storedata", "store"],
        seeds: { ["store.binary": try FuzzModel.storeFile(.binary)] },
        run: { bytes in
            try FuzzFolder.withFile(bytes, named: "Fuzz.binary") {
                try FuzzStore.read(.binary, at: $0, model: FuzzModel.make())
            }
        })

    /// Any bytes as the file of a store; the model is the one that the store keeps, where it keeps one.
    static let sqliteFile = FuzzTarget(
        "sqlite-file", suffixes: ["sqlite", "store", "db", "moody"], seeds: { ["store.sqlite": FuzzBase.sqlite] },
        run: { bytes in
            try FuzzFolder.withFile(bytes, named: "Fuzz.sqlite") { file in
                let model = try? NSPersistentStoreCoordinator.cachedModelForPersistentStore(
                    at: file, options: [NSPersistentStoreTimeoutOption: 0.05])
                try FuzzStore.read(.sqlite, at: file, model: model ?? FuzzModel.make())
            }
        })

    /// Damages a small store as the bytes of the input direct.
    static let sqliteDamage = FuzzTarget(
        "sqlite-damage",
        seeds: {
            // Each kind of damage once, some together, and none.
            var seeds = ["damage-none": Data()]
            for kind in 0..<UInt8(SQLiteDamage.kinds) {
                for choice in [UInt8(0), 37, 113, 201] {
                    seeds["damage-\(kind)-\(choice)"] = Data([kind, choice, choice &* 3, choice &* 7, 5, 11])
                }
            }
            seeds["damage-all"] = Data((0..<60).map { UInt8($0 &* 7 & 0xFF) })
            return seeds
        },
        run: { bytes in
            try FuzzFolder.withFile(FuzzBase.sqlite, named: "Fuzz.sqlite") { file in
                try SQLiteDamage.apply(bytes, to: file)
                if bytes.last.map({ $0 & 1 == 1 }) == true {
                    _ = try? NSPersistentStoreCoordinator.cachedModelForPersistentStore(
                        at: file, options: [NSPersistentStoreTimeoutOption: 0.05])
                }
                try FuzzStore.read(.sqlite, at: file, model: FuzzModel.make())
            }
        })
}
