import Foundation

/// The reasons why the system failed to write a file, with their remedies.
enum WriteFailure {
    /// The words for an error number, as the end of a sentence. `url` is the file.
    static func reason(_ code: Int32, _ url: URL) -> String {
        let folder = url.deletingLastPathComponent().path
        switch code {
        case EFBIG:
            return "it would become larger than the \(sizeLimit) bytes that a file of this process may have "
                + "(RLIMIT_FSIZE). “ulimit -f” and the service’s settings say how large that is."
        case EACCES, EPERM:
            return "this program may not write in the folder “\(folder)”. "
                + "Give its user that right, or choose another folder."
        case EROFS:
            return "the folder “\(folder)” lies on a volume that can only be read. Choose another folder."
        case ENOSPC, EDQUOT:
            return "there isn’t enough space for it in “\(folder)”. Make room there."
        default:
            return String(cString: strerror(code))
        }
    }

    /// Cocoa's code for an error number.
    static func code(_ code: Int32) -> CocoaError.Code {
        switch code {
        case EACCES, EPERM: .fileWriteNoPermission
        case EROFS: .fileWriteVolumeReadOnly
        case ENOSPC, EDQUOT: .fileWriteOutOfSpace
        default: .fileWriteUnknown
        }
    }

    /// The error of a call that has just failed, with its purpose and the reason.
    static func error(_ what: String, _ url: URL) -> NSError {
        let code = errno
        return .coreData(
            Self.code(code).rawValue, reason: "\(what): \(reason(code, url))", url: url,
            underlying: NSError(domain: NSPOSIXErrorDomain, code: Int(code)))
    }

    /// Makes a write beyond the limit of a file's size return an error. Without that the system would end the process
    /// by a signal and no message. If the program handles or ignores the signal, its setting stays. Programs that this
    /// process starts get the system's default again.
    static let survivesSizeLimit: Void = {
        let previous = signal(SIGXFSZ) { _ in }
        if previous != nil { signal(SIGXFSZ, previous) }
    }()

    /// Whether there is a limit for the size of a file of this process.
    static var hasSizeLimit: Bool { sizeLimit < UInt64(Int64.max) }

    /// The number of bytes that a file of this process may have.
    private static var sizeLimit: UInt64 {
        var limit = rlimit()
        #if canImport(Glibc)
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
        getrlimit(RLIMIT_FSIZE, &limit)
        #endif
        return UInt64(limit.rlim_cur)
    }

    /// Whether one of the files has no room for another page of a database (64 kB at most) below the limit.
    static func isAtSizeLimit(_ files: [URL]) -> Bool {
        let limit = sizeLimit
        return files.contains { file in
            var status = stat()
            return stat(file.path, &status) == 0 && UInt64(max(0, status.st_size)) + 70_000 > limit
        }
    }

    /// The reason why a file cannot be made in a folder: an error number, or nil if a file can be made.
    static func refusal(inFolderOf url: URL) -> Int32? {
        let folder = url.deletingLastPathComponent().path
        // The check is for the effective user of the process, which may differ from the user who started it.
        return faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0 ? nil : errno
    }
}

extension Error {
    /// Whether the disk is full. That has its own code in every save and migration.
    var isOfFullDisk: Bool {
        let error = self as NSError
        return error.domain == NSCocoaErrorDomain && error.code == NSFileWriteOutOfSpaceError
    }
}
