import Foundation

/// Gives the body a fresh, empty folder and removes it, with everything in it, when the body has ended.
public func withTemporaryFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = try makeTemporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}

/// Runs an asynchronous body with a folder that is removed afterwards.
public func withTemporaryFolder<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: (URL) async throws -> Result
) async throws -> Result {
    let folder = try makeTemporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}

/// Where the temporary folders of a test lie.
public enum TemporaryPlace {
    /// Whether they lie on a disk. `bin/test` has all other folders in memory.
    @TaskLocal public static var isOnDisk = false

    /// The folder for temporary folders.
    public static var folder: URL {
        let disk = isOnDisk ? ProcessInfo.processInfo.environment["OPENCOREDATA_DISK"] : nil
        return disk.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? FileManager.default.temporaryDirectory
    }
}

private func makeTemporaryFolder() throws -> URL {
    let folder = TemporaryPlace.folder
        .appendingPathComponent("opencoredata-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
}

/// A fresh, empty folder that is removed, with everything in it, with the last reference to this object.
public final class TemporaryFolder: Sendable {
    /// Where it lies.
    public let url: URL

    public init() throws { url = try makeTemporaryFolder() }

    deinit {
        try? FileManager.default.removeItem(at: url)
        #if PostgreSQL
        PostgreSQLServer.drop(database: url.lastPathComponent)
        #endif
    }
}
