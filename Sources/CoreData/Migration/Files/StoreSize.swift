import Foundation

/// The size of a store, as far as the free disk space that a migration needs depends on it.
struct StoreSize {
    /// The bytes of the main file, with the pages that are still in the -wal.
    let database: Int64
    /// The number of bytes by which the main file grows when the -wal is copied into it.
    let growth: Int64
    private let files: SQLiteStoreFiles

    init(_ url: URL, _ connection: SQLiteConnection) throws {
        files = SQLiteStoreFiles(url)
        database = try connection.size()
        growth = max(0, database - Self.bytes(of: files.main))
    }

    static func bytes(of url: URL) -> Int64 {
        var status = stat()
        return stat(url.path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// The number of files whose sizes are read, however many there are.
    private static let probes = 500

    /// About how many bytes the values in external files have.
    func externalData() -> Int64 {
        let folder = files.externalDataFolder
        guard (try? files.requireOwnFolders(.fileReadUnknown)) != nil else { return 0 }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let step = max(1, names.count / Self.probes)
        let places = Array(stride(from: 0, to: names.count, by: step))
        if places.isEmpty { return 0 }
        var sum: Int64 = 0
        for place in places { sum += Self.bytes(of: folder.appendingPathComponent(names[place])) }
        let average = Double(sum) / Double(places.count)
        return Int64(average * Double(names.count))
    }
}
