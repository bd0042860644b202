import Foundation

/// The files of a store on the disk: its main file, the -wal beside it, the folder of its external values.
///
/// Create the value before the store is opened, because closing a file that SQLite has open drops the locks of the
/// process.
struct StoreFiles {
    /// A -wal: its bytes, and the number of pages in it that the main file does not have yet; nil if the number cannot
    /// be found out.
    struct Log: Equatable {
        let bytes: Int64
        let pendingPages: Int?
    }

    struct Folder: Equatable {
        let path: String
        let count: Int
        let bytes: Int64
    }

    let bytes: Int64
    let log: Log?
    let external: Folder?

    /// Returns nil for a database.
    init?(_ url: URL) {
        guard url.isFileURL, let bytes = Self.size(url.path) else { return nil }
        self.bytes = bytes
        log = Self.log(of: url.path)
        external = Self.external(of: url)
    }

    private static func size(_ path: String) -> Int64? {
        var state = stat()
        return stat(path, &state) == 0 && state.st_mode & S_IFMT == S_IFREG ? Int64(state.st_size) : nil
    }

    /// The index beside a -wal has the number of written pages, and of those that the main file has (the WAL-index
    /// format of SQLite's documentation). Without an index all pages count as pending.
    private static func log(of path: String) -> Log? {
        guard let bytes = size(path + "-wal"), bytes > 0 else { return nil }
        if let index = beginning(of: path + "-shm", 100), index.count == 100 {
            func number(_ place: Int) -> UInt32 {
                index.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt32.self) }
            }
            let (written, copied) = (number(16), number(96))
            if number(0) == 3_007_000, written > 0, copied <= written {
                return Log(bytes: bytes, pendingPages: Int(written - copied))
            }
        }
        guard let head = beginning(of: path + "-wal", 32), head.count == 32, head[0] == 0x37, head[1] == 0x7F else {
            return Log(bytes: bytes, pendingPages: nil)
        }
        let page = head[8..<12].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return Log(bytes: bytes, pendingPages: page > 0 ? Int((bytes - 32) / (page + 24)) : nil)
    }

    private static func beginning(of path: String, _ count: Int) -> [UInt8]? {
        guard size(path) != nil else { return nil }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        let read = read(descriptor, &bytes, count)
        return read < 0 ? nil : Array(bytes.prefix(read))
    }

    private static func external(of url: URL) -> Folder? {
        let name = ".\(url.deletingPathExtension().lastPathComponent)_SUPPORT/_EXTERNAL_DATA"
        let path = url.deletingLastPathComponent().appendingPathComponent(name).path
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return nil }
        let sizes = names.compactMap { size("\(path)/\($0)") }
        return Folder(path: path, count: sizes.count, bytes: sizes.reduce(0, +))
    }
}
