import Foundation

/// The place to which the URL of a store leads: a file, or memory.
package enum StorePlace: Equatable {
    /// `/dev/null`: a private store in memory.
    case memory
    /// `/dev/null/NAME`: a store in memory that the coordinators of the process share by its name.
    case sharedMemory(name: String)
    /// Any other URL.
    case file

    private static let null = "/dev/null"

    /// - Parameter url: The URL of a store. A symbolic link counts as its destination, and `..` is resolved.
    package init(_ url: URL) {
        guard url.isFileURL else {
            self = .file
            return
        }
        var path = url.standardizedFileURL.path
        var name: [String] = []
        while path != Self.null {
            if let found = realpath(path, nil) {
                defer { free(found) }
                guard String(cString: found) == Self.null else {
                    self = .file
                    return
                }
                break
            }
            // No file can lie below a device. Any other missing path is a file that can be created.
            guard errno == ENOTDIR || path.hasPrefix(Self.null + "/"), path.count > 1 else {
                self = .file
                return
            }
            name.insert((path as NSString).lastPathComponent, at: 0)
            path = (path as NSString).deletingLastPathComponent
        }
        self = name.isEmpty ? .memory : .sharedMemory(name: name.joined(separator: "/"))
    }

    /// Throws if the URL is no file URL. Its path would be used on this machine, and files would be created and deleted
    /// there.
    static func requireFileURL(_ url: URL) throws {
        if url.isFileURL { return }
        throw NSError.coreData(
            NSPersistentStoreOpenError,
            reason: "A store is a file, and “\(url.shown.absoluteString)” is not the URL of one.",
            url: url)
    }

    /// The error of reading a store in memory that does not exist.
    package static func missing(_ url: URL) -> NSError {
        .coreData(
            CocoaError.Code.fileReadNoSuchFile.rawValue,
            reason: "There is no store at “\(url.path)”: a store there lives in memory, as long as a coordinator has "
                + "it open.", url: url)
    }
}
