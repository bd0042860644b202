import Foundation

/// The kind of file at a path. The files and folders of a store are regular ones; files of other kinds belong to other
/// programs.
enum FileKind: String {
    case file = "a regular file"
    case folder = "a folder"
    case link = "a symbolic link"
    case device = "a device"
    case pipe = "a pipe"
    case socket = "a socket"
    case other = "no regular file"

    /// - Parameter followsLinks: Whether a symbolic link counts as its destination. A link without a destination then
    ///   counts as no file.
    /// - Returns: Nil if nothing is at the path.
    init?(at url: URL, followsLinks: Bool = false) {
        var status = stat()
        guard (followsLinks ? stat(url.path, &status) : lstat(url.path, &status)) == 0 else {
            // Links that lead to each other exist, and have no destination.
            guard errno == ELOOP else { return nil }
            self = .link
            return
        }
        self.init(mode: status.st_mode)
    }

    /// The kind of file that a descriptor is open for; nil if it is not open.
    init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(mode: status.st_mode)
    }

    private init(mode: mode_t) {
        switch mode & S_IFMT {
        case S_IFREG: self = .file
        case S_IFDIR: self = .folder
        case S_IFLNK: self = .link
        case S_IFCHR, S_IFBLK: self = .device
        case S_IFIFO: self = .pipe
        case S_IFSOCK: self = .socket
        default: self = .other
        }
    }

    /// Throws if a file of another kind than the expected one is at the path. A missing file is no error.
    ///
    /// - Parameter code: The code of the error, which names the path and the kind of the file.
    static func require(
        _ expected: FileKind, at url: URL, followsLinks: Bool = false, _ code: CocoaError.Code = .fileWriteUnknown
    ) throws {
        guard let found = FileKind(at: url, followsLinks: followsLinks), found != expected else { return }
        throw NSError.coreData(
            code.rawValue,
            reason: "“\(url.path)” is \(found.rawValue), and a store has \(expected.rawValue) there. "
                + "It was left as it is.", url: url)
    }

    /// Throws if the path leads to something other than a file or a folder: reading a pipe would wait for its writer,
    /// and some devices have no end. Symbolic links are followed.
    static func requireReadable(_ url: URL) throws {
        guard let found = FileKind(at: url, followsLinks: true), ![.file, .folder].contains(found) else { return }
        throw NSError.coreData(
            CocoaError.Code.fileReadUnknown.rawValue,
            reason: "“\(url.path)” is \(found.rawValue), and neither a file nor a folder.", url: url)
    }

    /// Removes a file, or a folder with everything in it. Nothing happens if there is no such file.
    ///
    /// Throws if a file of another kind than the expected one is at the path, and leaves it.
    static func remove(_ expected: FileKind, at url: URL) throws {
        try require(expected, at: url)
        if FileKind(at: url) != nil { try FileManager.default.removeItem(at: url) }
    }

    /// The number of bytes of the file at a URL; 0 if there is none.
    static func size(at url: URL) -> Int {
        var status = stat()
        return stat(url.path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The number of names that the file at a path has; a symbolic link is not followed. 0 if there is no file.
    static func nameCount(at url: URL) -> Int {
        var status = stat()
        return lstat(url.path, &status) == 0 ? Int(status.st_nlink) : 0
    }

    /// The destination of a symbolic link, whether it exists or not; the URL itself if it is not a link.
    static func target(of url: URL) -> URL {
        guard FileKind(at: url) == .link else { return url }
        if let path = realpath(url.path, nil) {
            defer { free(path) }
            return URL(fileURLWithPath: String(cString: path))
        }
        // The destination does not exist yet. A store is created where the link leads.
        var target = url
        for _ in 0..<40 {
            guard FileKind(at: target) == .link,
                let next = try? FileManager.default.destinationOfSymbolicLink(atPath: target.path)
            else { return target }
            target = URL(fileURLWithPath: next, relativeTo: target.deletingLastPathComponent()).absoluteURL
        }
        return url
    }
}
