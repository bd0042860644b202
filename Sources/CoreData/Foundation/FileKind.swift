import Foundation

/// The kind of file at a path. The files and folders of a store are regular ones; other kinds belong to somebody else.
enum FileKind: String {
    case file = "a regular file"
    case folder = "a folder"
    case link = "a symbolic link"
    case device = "a device"
    case pipe = "a pipe"
    case socket = "a socket"
    case other = "no regular file"

    /// - Parameter followsLinks: Whether a symbolic link counts as its destination; one that leads nowhere then is
    ///   nothing.
    /// - Returns: Nil if nothing lies there.
    init?(at url: URL, followsLinks: Bool = false) {
        var status = stat()
        guard (followsLinks ? stat(url.path, &status) : lstat(url.path, &status)) == 0 else {
            // Links that lead to each other are there, and lead to nothing.
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

    /// Throws if something else lies there than expected. Nothing at all is no error.
    ///
    /// - Parameter code: The code of the error, which names the path and the kind that lies there.
    static func require(
        _ expected: FileKind, at url: URL, followsLinks: Bool = false, _ code: CocoaError.Code = .fileWriteUnknown
    ) throws {
        guard let found = FileKind(at: url, followsLinks: followsLinks), found != expected else { return }
        throw NSError.coreData(
            code.rawValue,
            reason: "“\(url.path)” is \(found.rawValue), and a store has \(expected.rawValue) there. "
                + "It was left as it is.", url: url)
    }

    /// Throws if something lies there that is neither a file nor a folder: reading a pipe would wait for its writer,
    /// and some devices have no end. Symbolic links are followed.
    static func requireReadable(_ url: URL) throws {
        guard let found = FileKind(at: url, followsLinks: true), ![.file, .folder].contains(found) else { return }
        throw NSError.coreData(
            CocoaError.Code.fileReadUnknown.rawValue,
            reason: "“\(url.path)” is \(found.rawValue), and neither a file nor a folder.", url: url)
    }

    /// Removes a file, or a folder with everything in it. Nothing happens if nothing lies there.
    ///
    /// Throws if something else lies there than expected, and leaves it.
    static func remove(_ expected: FileKind, at url: URL) throws {
        try require(expected, at: url)
        if FileKind(at: url) != nil { try FileManager.default.removeItem(at: url) }
    }

    /// The number of bytes that a file has; 0 where there is none.
    static func size(at url: URL) -> Int {
        var status = stat()
        return stat(url.path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The number of names that the file at a path has; a symbolic link is not followed. 0 where nothing lies there.
    static func nameCount(at url: URL) -> Int {
        var status = stat()
        return lstat(url.path, &status) == 0 ? Int(status.st_nlink) : 0
    }

    /// The file that a symbolic link leads to, whether it is there or not; the URL itself where no link lies.
    static func target(of url: URL) -> URL {
        guard FileKind(at: url) == .link else { return url }
        if let path = realpath(url.path, nil) {
            defer { free(path) }
            return URL(fileURLWithPath: String(cString: path))
        }
        // Nothing is there yet: a store is made where the link leads to.
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
