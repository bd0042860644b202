import Foundation

/// Real models and stores that Apple's tools made, kept outside of the package.
///
/// The environment variable `OPENCOREDATA_CORPUS` names the folder; without it the folder is `../shared/data` beside
/// the package. Tests that need the corpus are skipped without one. Files are read, never written.
public enum Corpus {
    /// The folder; `nil` when there is none.
    public static let folder: URL? = {
        if let path = ProcessInfo.processInfo.environment["OPENCOREDATA_CORPUS"] {
            return existing(URL(fileURLWithPath: path, isDirectory: true))
        }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return existing(package.deletingLastPathComponent().appendingPathComponent("shared/data", isDirectory: true))
    }()

    /// Whether tests over the corpus can run.
    public static var isPresent: Bool { folder != nil }

    /// Why they are skipped.
    public static let absence = "no corpus of real models and stores (set OPENCOREDATA_CORPUS)"

    /// The file at a path relative to the corpus.
    public static func url(_ path: String) -> URL {
        (folder ?? URL(fileURLWithPath: "/nonexistent", isDirectory: true)).appendingPathComponent(path)
    }

    /// The relative paths of all files and folders that satisfy a condition, sorted.
    public static func paths(where condition: (String) -> Bool) -> [String] {
        guard let folder, let all = FileManager.default.enumerator(atPath: folder.path) else { return [] }
        var result: [String] = []
        while let path = all.nextObject() as? String { if condition(path) { result.append(path) } }
        return result.sorted()
    }

    /// The relative paths of all SQLite stores, whatever their suffix.
    public static let stores: [String] = paths { path in
        guard let file = FileHandle(forReadingAtPath: url(path).path) else { return false }
        defer { try? file.close() }
        return (try? file.read(upToCount: 15)) == Data("SQLite format 3".utf8)
    }

    /// Copies a store with its companions into a folder and gives the copy's URL.
    public static func copyStore(_ path: String, to folder: URL) throws -> URL {
        try copyStore(at: url(path), to: folder)
    }

    /// Copies a store, which need not be one of the corpus, as ``copyStore(_:to:)`` does.
    public static func copyStore(at source: URL, to folder: URL) throws -> URL {
        let target = folder.appendingPathComponent(source.lastPathComponent)
        for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: source.path + suffix) {
            try FileManager.default.copyItem(atPath: source.path + suffix, toPath: target.path + suffix)
            // The corpus may be read-only, and a copy takes over the rights of its original.
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: target.path + suffix)
        }
        let support = ".\(source.deletingPathExtension().lastPathComponent)_SUPPORT"
        let external = source.deletingLastPathComponent().appendingPathComponent(support)
        if FileManager.default.fileExists(atPath: external.path) {
            try FileManager.default.copyItem(at: external, to: folder.appendingPathComponent(support))
        }
        return target
    }

    private static func existing(_ folder: URL) -> URL? {
        FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }
}
