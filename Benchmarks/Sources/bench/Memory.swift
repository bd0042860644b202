import CBaseline
import Foundation

/// What the process holds and has held.
enum Memory {
    /// Bytes of heap, without what SQLite itself holds.
    static var heapBytes: Int64 { baseline_heap_bytes() - baseline_sqlite_bytes() }

    static var residentBytes: Int64 {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        guard fields.count > 1, let pages = Int64(fields[1]) else { return 0 }
        return pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The most memory that the process has had at a time, as the kernel counted it.
    static var highestResidentBytes: Int64 {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap { Int64($0) } ?? 0
        return kilobytes * 1_024
    }

    /// Makes the kernel count the highest resident set anew, from what is resident now.
    static func forgetHighest() {
        // Where the kernel does not offer it, the peak is that of the whole process.
        try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    }
}
