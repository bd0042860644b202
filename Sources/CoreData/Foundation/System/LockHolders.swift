import Foundation

/// The processes that hold kernel locks on files, so that an error can name them.
enum LockHolders {
    /// The processes that hold a lock on any of the files, in the order of their ids. Empty if the system does not show
    /// them: it hides the processes of other containers, and some file systems show other devices than their files
    /// have.
    static func processes(of urls: [URL]) -> [Int32] {
        let files = Set(urls.compactMap { identifier(of: $0) })
        if files.isEmpty { return [] }
        for _ in 0..<attempts {
            let found = holders(of: files)
            if !found.isEmpty { return found.sorted() }
        }
        return []
    }

    /// The number of readings of the table. A line can be missing if another process locks or unlocks a file between
    /// the reading of two pages.
    private static let attempts = 4

    private static func holders(of files: Set<String>) -> Set<Int32> {
        var found: Set<Int32> = []
        for lock in locks() where files.contains(lock.file) { found.insert(lock.process) }
        return found
    }

    private struct Lock {
        let file: String
        let process: Int32
        let isForWriting: Bool
        let first: Int64
        let last: Int64
    }

    /// The locks that processes hold.
    private static func locks() -> [Lock] {
        table().split(separator: "\n").compactMap { line in
            // "1: FLOCK ADVISORY WRITE 4711 fe:00:16457834 0 EOF"; the line of a waiting process has "->" in the second
            // place.
            let words = line.split(separator: " ")
            guard words.count > 7, words[1] != "->", let process = Int32(words[4]), process > 0,
                let first = Int64(words[6])
            else { return nil }
            return Lock(
                file: String(words[5]), process: process, isForWriting: words[3] == "WRITE", first: first,
                last: Int64(words[7]) ?? .max)
        }
    }

    /// Whether another process holds a lock for writing on some bytes of a file, or on any of them. False if the system
    /// does not show it.
    static func isLockedForWriting(_ url: URL, bytes: ClosedRange<Int64> = 0...Int64.max) -> Bool {
        guard let file = identifier(of: url) else { return false }
        return locks().contains { lock in
            lock.isForWriting && lock.process != getpid() && lock.file == file && lock.first <= bytes.upperBound
                && lock.last >= bytes.lowerBound
        }
    }

    /// The kernel's table of locks. The kernel returns it in pages, of which Foundation reads only the first.
    private static func table() -> String {
        let descriptor = open("/proc/locks", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var table: [UInt8] = []
        var page = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = read(descriptor, &page, page.count)
            if count <= 0 { return String(decoding: table, as: UTF8.self) }
            table += page[..<count]
        }
    }

    /// The processes that hold a lock on any of the files, as words of a sentence: “process 12”, “processes 12 and 13”,
    /// “this process (12)”. If there is none in the table, the words name an unknown holder.
    static func names(of urls: [URL]) -> String {
        let processes = processes(of: urls)
        let others = processes.filter { $0 != getpid() }.map(String.init)
        switch others.count {
        case 0: return processes.isEmpty ? "another process" : "this process (\(getpid()))"
        case 1: return "process \(others[0])"
        default: return "processes \(others.dropLast().joined(separator: ", ")) and \(others[others.count - 1])"
        }
    }

    /// The names of a SQLite store's users, by the locks that SQLite holds on its files.
    static func names(ofStoreAt url: URL) -> String {
        names(of: [url, URL(fileURLWithPath: url.path + "-shm"), URL(fileURLWithPath: url.path + "-wal")])
    }

    /// A file in the form of the kernel's table of locks: major and minor number of the device, and the inode.
    private static func identifier(of url: URL) -> String? {
        var status = stat()
        guard stat(url.path, &status) == 0 else { return nil }
        let device = UInt64(status.st_dev)
        let major = (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
        let minor = device & 0xFF | (device >> 12) & ~0xFF
        func hexadecimal(_ number: UInt64) -> String {
            let text = String(number, radix: 16)
            return text.count < 2 ? "0" + text : text
        }
        return "\(hexadecimal(major)):\(hexadecimal(minor)):\(status.st_ino)"
    }
}
