import Foundation

/// The sections of a fetched-results controller in a file, so that a later run of the program need not read every
/// object for them.
///
/// The file is only a proposal: the reader compares the first and the last object of every section with its name.
struct SectionCache: Codable {
    /// The basis of the sections. A cache with another basis is of no use.
    struct Basis: Codable, Equatable {
        var entityName: String
        var entityVersionHash: Data
        var predicate: String
        var sortDescriptors: [String]
        var sectionKeyPath: String
        var includesSubentities: Bool
        var limit: Int
        var offset: Int
        var stores: [Store]
    }

    /// A store's file as it was.
    struct Store: Codable, Equatable {
        var identifier: String
        var files: [File]
    }

    struct File: Codable, Equatable {
        var size: Int
        var modified: Double
    }

    var basis: Basis
    var names: [String]
    var counts: [Int]

    // MARK: Files

    /// The sections kept under a name; nil when there are none, or when the file cannot be read.
    static func read(named name: String) -> SectionCache? {
        guard let data = try? Data(contentsOf: file(named: name)) else { return nil }
        return try? JSONDecoder().decode(SectionCache.self, from: data)
    }

    /// Keeps the sections under a name. An error of writing is ignored, and there is no cache then.
    func write(named name: String) {
        guard let data = try? JSONEncoder().encode(self) else { return }
        let file = Self.file(named: name)
        try? FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try? data.write(to: file, options: .atomic)
    }

    /// Removes the sections of a name, or of all names.
    static func remove(named name: String?) {
        try? FileManager.default.removeItem(at: name.map(file(named:)) ?? folder)
    }

    /// The program's folder in the user's cache folder.
    private static var folder: URL {
        let caches =
            FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
            ?? FileManager.default.temporaryDirectory
        return caches.appendingPathComponent(ProcessInfo.processInfo.processName, isDirectory: true)
            .appendingPathComponent("CoreDataSectionCaches", isDirectory: true)
    }

    static func file(named name: String) -> URL {
        let readable = String(name.unicodeScalars.prefix(40).filter { CharacterSet.alphanumerics.contains($0) })
        let hash = SHA2.sha256(Data(name.utf8)).prefix(8).map { String(format: "%02x", $0) }.joined()
        return folder.appendingPathComponent("\(readable)-\(hash).json", isDirectory: false)
    }

    /// The state of a store's files; nil for a store without any.
    static func state(of store: NSPersistentStore) -> Store? {
        guard let url = store.url, url.isFileURL, let identifier = store.identifier else { return nil }
        let files = [url.path, url.path + "-wal"].compactMap { path -> File? in
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
            let modified = (attributes[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate ?? 0
            return File(size: (attributes[.size] as? NSNumber)?.intValue ?? 0, modified: modified)
        }
        return files.isEmpty ? nil : Store(identifier: identifier, files: files)
    }
}
