import Foundation

/// Reports when any process, this one included, writes to a file. The kernel sends the events (inotify), so the file is
/// not polled.
///
/// The file may be missing, be removed and come back, so its folder is watched, too.
final class FileWatcher: @unchecked Sendable {  // what changes is touched on the source's queue only
    private let file: URL
    private let descriptor: Int32
    private let source: any DispatchSourceRead
    private var fileWatch: Int32 = -1

    /// Begins to watch; `onChange` is called on the queue. Throws when the system's limit of watches is reached.
    init(_ file: URL, queue: DispatchQueue, onChange: @escaping @Sendable () -> Void) throws {
        self.file = file
        let descriptor = inotify_init1(Int32(O_NONBLOCK | O_CLOEXEC))
        guard descriptor >= 0 else { throw Self.failure(file) }
        self.descriptor = descriptor
        let folder = file.deletingLastPathComponent()
        guard inotify_add_watch(descriptor, folder.path, UInt32(IN_CREATE | IN_MOVED_TO)) >= 0 else {
            let failure = Self.failure(folder)
            close(descriptor)
            throw failure
        }
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        watchFile()
        source.setCancelHandler { close(descriptor) }
        source.setEventHandler { [weak self] in
            if self?.readEvents() == true { onChange() }
        }
        source.activate()
    }

    deinit { source.cancel() }

    /// Ends the watching. The handling of a present event still finishes.
    func cancel() { source.cancel() }

    /// Watches the file that is at the path now. If there is none, the file's creation calls this method again.
    private func watchFile() {
        fileWatch = inotify_add_watch(descriptor, file.path, UInt32(IN_MODIFY))
    }

    /// Reads the events; true if one of them concerns the file.
    private func readEvents() -> Bool {
        var isConcerned = false
        let name = Array(file.lastPathComponent.utf8)
        withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: MemoryLayout<inotify_event>.alignment) {
            buffer in
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                if count <= 0 { return }
                var offset = 0
                while offset < count {
                    let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    let start = offset + MemoryLayout<inotify_event>.size
                    offset = start + Int(event.len)
                    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
                        isConcerned = true
                    } else if event.wd == fileWatch {
                        if event.mask & UInt32(IN_MODIFY) != 0 { isConcerned = true }
                    } else if buffer[start..<offset].prefix(while: { $0 != 0 }).elementsEqual(name) {
                        watchFile()
                        isConcerned = true
                    }
                }
            }
        }
        return isConcerned
    }

    private static func failure(_ url: URL) -> NSError {
        .coreData(
            NSPersistentStoreOperationError,
            reason: "“\(url.lastPathComponent)” cannot be watched: \(String(cString: strerror(errno)))", url: url)
    }
}
