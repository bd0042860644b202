import CoreData
import Foundation
import TestSupport

/// Stores of `CrashModels.older` for launches in processes of their own: changing them to the newer model rewrites
/// tables.
enum LaunchStores {
    /// Makes a store with so many books, all of it in the main file.
    static func make(at url: URL, books: Int) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(CrashModels.older))
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        try coordinator.remove(store)
        let database = try RawDatabase(url)
        try database.execute("BEGIN; \(CrashModels.makeRows(books: books)) COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Puts a fresh copy of a store, or none, where another may have been.
    static func copy(_ template: URL?, to url: URL) throws {
        let folder = url.deletingLastPathComponent()
        // With all that lies beside it: logs, large values, the folder of a migration.
        let name = url.deletingPathExtension().lastPathComponent
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where file.hasPrefix(url.lastPathComponent) || file.hasPrefix(".\(name)") {
            try FileManager.default.removeItem(at: folder.appendingPathComponent(file))
        }
        guard let template else { return }
        try FileManager.default.copyItem(at: template, to: url)
        let values = folder.appendingPathComponent(".\(template.deletingPathExtension().lastPathComponent)_SUPPORT")
        if FileManager.default.fileExists(atPath: values.path) {
            try FileManager.default.copyItem(at: values, to: folder.appendingPathComponent(".\(name)_SUPPORT"))
        }
    }

    /// Whether the store is of the older model, by its metadata.
    static func isOlder(_ url: URL) throws -> Bool {
        try isCompatible(url, ModelText.model(CrashModels.older))
    }

    /// Whether the store is of a model, by its metadata.
    static func isCompatible(_ url: URL, _ model: NSManagedObjectModel) throws -> Bool {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
        return model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
    }

    /// The child's word after a given one, as a number.
    static func number(_ word: String, in output: String) -> Double? {
        output.split(separator: "\n").first { $0.hasPrefix("\(word) ") }.flatMap {
            Double($0.dropFirst(word.count + 1))
        }
    }
}

/// Whether the tests that take minutes run.
let isLong = ProcessInfo.processInfo.environment["OPENCOREDATA_LONG"] != nil
