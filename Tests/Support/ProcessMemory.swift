import Foundation

/// This process's part of the machine's memory.
public enum ProcessMemory {
    /// The pages in use, in bytes, as the kernel counts them; files that are mapped are left out. 0 where the kernel
    /// has no file for it.
    public static var resident: Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let words = text.split(separator: " ").compactMap { Int($0) }
        return (words[1] - words[2]) * Int(getpagesize())
    }
}
