import CoreData
import Foundation

/// A copy of a store, made before the store is changed.
enum StoreBackup {
    /// Copies a store into a folder, which is made if it does not exist.
    ///
    /// - Returns: the address of the copy: with the store's name, and a number if the name is used.
    static func make(of store: StoreAddress, in folder: String, waiting seconds: Int) throws -> URL {
        let folder = URL(fileURLWithPath: folder, isDirectory: true)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw ToolError(
                .failed, "\(folder.path): the folder for the copy cannot be made: \(ToolError(error).message)")
        }
        let place = free(store.url.lastPathComponent, in: folder)
        try store.copy(to: place, waiting: seconds)
        return place
    }

    private static func free(_ name: String, in folder: URL) -> URL {
        let plain = URL(fileURLWithPath: name)
        var place = folder.appendingPathComponent(name)
        var number = 2
        while FileManager.default.fileExists(atPath: place.path) {
            let base = "\(plain.deletingPathExtension().lastPathComponent)-\(number)"
            let suffix = plain.pathExtension
            place = folder.appendingPathComponent(suffix.isEmpty ? base : "\(base).\(suffix)")
            number += 1
        }
        return place
    }
}
