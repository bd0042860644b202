import CBaseline
import Foundation

/// A folder of stores that the measurements copy: made once per run, removed at the end.
struct TemplateStore {
    let folder: URL
    /// A store as the library leaves it for a new program: tables, indexes, no rows.
    var empty: URL { folder.appendingPathComponent("empty.sqlite") }

    /// A store of a version of long ago.
    var oldStore: URL { folder.appendingPathComponent("old.sqlite") }

    /// Makes the folder and lets the library create the empty store, so that DDL, indexes and pragmas are its own.
    init(_ createStore: (_ url: URL) throws -> Void) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("opencoredata-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try createStore(empty)
        try checkpoint(empty)
    }

    /// A copy of the empty store, filled by C.
    func filled(with data: SourceData, name: String) throws -> URL {
        let store = try copy(of: empty, name: "\(name).sqlite")
        try PlainC.measurement(of: baseline_fill(store.path, data.rows))
        try checkpoint(store)
        return store
    }

    /// A fresh copy for one measurement; `withStore` removes it afterwards.
    func withStore<Result>(copiedFrom template: URL, _ body: (URL) throws -> Result) throws -> Result {
        let store = try copy(of: template, name: "\(UUID().uuidString).sqlite")
        defer {
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: store.path + suffix)
            }
        }
        return try body(store)
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    func copy(of template: URL, name: String) throws -> URL {
        let store = folder.appendingPathComponent(name)
        try FileManager.default.copyItem(at: template, to: store)
        return store
    }

    /// Brings everything into the main file: only that one is copied.
    func checkpoint(_ store: URL) throws {
        try PlainC.measurement(of: baseline_execute(store.path, "PRAGMA wal_checkpoint(TRUNCATE)"))
    }
}
