import Foundation

/// The attributes of a file that change when a process writes the file, or replaces it by another one.
///
/// A file that was restored from a backup has the same name, and may have the same size, versions and counters. It is
/// still another file.
struct FileState: Codable, Equatable {
    private var device: UInt64
    private var number: UInt64
    private var size: Int64
    private var mode: UInt32
    private var modified: Moment
    private var changed: Moment

    private struct Moment: Codable, Equatable {
        var seconds: Int
        var nanoseconds: Int

        init(_ time: timespec) { (seconds, nanoseconds) = (Int(time.tv_sec), Int(time.tv_nsec)) }
    }

    /// Whether the last change is so long ago that the next one gets another time, even with the coarsest clock of a
    /// disk.
    var hasDistinctTime: Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return max(modified.seconds, changed.seconds) + 3 < Int(now.tv_sec)
    }

    /// Whether another state is of the same file, with any content.
    func isSameFile(as other: FileState?) -> Bool {
        device == other?.device && number == other?.number
    }

    /// Whether a file or folder that is open still has a name; a link of that name does not count.
    static func isNamed(_ descriptor: Int32, _ url: URL) -> Bool {
        var held = stat()
        var named = stat()
        return fstat(descriptor, &held) == 0 && lstat(url.path, &named) == 0 && held.st_ino == named.st_ino
            && held.st_dev == named.st_dev
    }

    /// The access rights, in the form for `chmod`.
    var rights: mode_t { mode_t(mode) & 0o7777 }

    /// The state of a file; nil if it does not exist.
    init?(_ url: URL) {
        var status = stat()
        guard stat(url.path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
        size = Int64(status.st_size)
        mode = UInt32(status.st_mode)
        #if os(Linux)
        (modified, changed) = (Moment(status.st_mtim), Moment(status.st_ctim))
        #else
        (modified, changed) = (Moment(status.st_mtimespec), Moment(status.st_ctimespec))
        #endif
    }
}
