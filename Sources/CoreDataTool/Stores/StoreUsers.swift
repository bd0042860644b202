import Foundation

/// The other processes that have a store's file open, as far as this user can read `/proc` on Linux. On other systems
/// the list is empty.
package enum StoreUsers {
    /// `process 4711 (Library)`, of each other process.
    package static func of(_ url: URL) -> [String] {
        var file = stat()
        guard url.isFileURL, stat(url.path, &file) == 0 else { return [] }
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { Int32($0) } ?? []
        return processes.sorted().filter { $0 != getpid() && has($0, open: file) }.map { process in
            let name = (try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)) ?? ""
            return "process \(process) (\(name.trimmingCharacters(in: .whitespacesAndNewlines)))"
        }
    }

    private static func has(_ process: Int32, open file: stat) -> Bool {
        let folder = "/proc/\(process)/fd"
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return descriptors.contains { descriptor in
            var other = stat()
            return stat("\(folder)/\(descriptor)", &other) == 0 && other.st_dev == file.st_dev
                && other.st_ino == file.st_ino
        }
    }
}
