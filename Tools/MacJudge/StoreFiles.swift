import Foundation

/// The SQLite stores in a folder and in the folders below it.
package enum StoreFiles {
    package static func all(in folder: URL) -> [URL] {
        guard let paths = FileManager.default.enumerator(atPath: folder.path) else { return [] }
        return paths.compactMap { $0 as? String }.sorted().map(folder.appendingPathComponent).filter { url in
            guard let file = FileHandle(forReadingAtPath: url.path) else { return false }
            defer { try? file.close() }
            return (try? file.read(upToCount: 15)) == Data("SQLite format 3".utf8)
        }
    }
}
