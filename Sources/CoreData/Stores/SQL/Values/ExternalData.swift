import Foundation

/// The files of attributes that allow external storage.
///
/// In the column a value begins with a tag: 01 and the bytes themselves, or 02, the name of a file and a zero byte. The
/// files are in `SQLiteStoreFiles.externalDataFolder`.
///
/// Files are written before the commit of the transaction that names them. They are removed after the commit of the
/// transaction that orphans them. So a kill leaves at most a file that no row names, and a note of it. By the note
/// `+Sweeping` finds the file when the store is opened again. A note stays as long as one of its files.
package final class ExternalData: Sendable {
    package let folder: URL

    /// Values up to this size stay in the row.
    package static let inlineLimit = 100 * 1024
    /// The greatest size of a value, which is SQLite's limit for a value in a row. A file may claim any size.
    package static let largestValue = 1_000_000_000
    private static let inlineTag: UInt8 = 1
    private static let fileTag: UInt8 = 2

    /// The name of the store's main file.
    package let storeName: String

    package init(folder: URL, storeName: String = "") {
        self.folder = folder
        self.storeName = storeName
    }

    /// Throws if one of the two folders is no folder, such as a link: it could lead anywhere, and files there are read,
    /// written and removed. Links in the path to the store's own folder are the user's choice.
    package func requireOwnFolders(_ code: CocoaError.Code = .fileWriteUnknown) throws {
        try FileKind.require(.folder, at: folder.deletingLastPathComponent(), code)
        try FileKind.require(.folder, at: folder, code)
    }

    /// The name of the file that a column's bytes name; nil if they name none.
    package static func fileName(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.count >= 37, bytes.count <= 256, bytes[0] == fileTag else { return nil }
        let name = String(decoding: bytes.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
        // The bytes come from a file, so only a plain file name is accepted.
        guard !name.contains("/"), name != "..", name != "." else { return nil }
        return name
    }

    /// The value that a column holds itself. Bytes without a known tag are the value.
    package static func inlineBytes(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        bytes.first == inlineTag ? UnsafeRawBufferPointer(rebasing: bytes.dropFirst()) : bytes
    }

    /// The bytes of a file; nil if it is missing, which can happen while another process removes the value.
    package func read(_ name: String) throws -> Data? {
        let url = folder.appendingPathComponent(name)
        func unreadable(_ why: String, underlying: (any Error)? = nil) -> NSError {
            .coreData(
                CocoaError.Code.fileReadUnknown.rawValue,
                reason: "The external data file “\(name)” cannot be read\(why).", url: url, underlying: underlying)
        }
        try requireOwnFolders(.fileReadUnknown)
        // A link could lead to any file, and opening a pipe waits for its other end.
        let descriptor = open(url.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            let code = errno
            if code == ENOENT { return nil }
            if code == ELOOP { throw unreadable(": it is a link") }
            throw unreadable("", underlying: NSError(domain: NSPOSIXErrorDomain, code: Int(code)))
        }
        defer { close(descriptor) }
        guard FileKind(of: descriptor) == .file else { throw unreadable(": it is no file") }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size <= Self.largestValue else {
            throw unreadable(": \(Self.excess(Int(status.st_size)))")
        }
        guard let data = Self.bytes(of: descriptor, Int(status.st_size)) else {
            throw unreadable("", underlying: NSError(domain: NSPOSIXErrorDomain, code: Int(errno)))
        }
        return data
    }

    /// The bytes of an open file; nil with `errno` if it cannot be read. Foundation's reading fails if a signal
    /// interrupts it.
    private static func bytes(of descriptor: Int32, _ size: Int) -> Data? {
        var data = Data(count: size)
        var done = 0
        while done < size {
            let count = data.withUnsafeMutableBytes { bytes in
                Foundation.read(descriptor, bytes.baseAddress.map { $0 + done }, size - done)
            }
            if count < 0, errno == EINTR { continue }
            if count < 0 { return nil }
            if count == 0 { return data.prefix(done) }
            done += count
        }
        return data
    }

    /// The reason in an error about a value with too many bytes.
    package static func excess(_ count: Int) -> String {
        "it has \(count) bytes, and a value has at most \(largestValue), as in SQLite"
    }

    /// The content of the column for a value that is stored in the row.
    package static func inline(_ value: UnsafeRawBufferPointer) -> Data {
        var data = Data(capacity: value.count + 1)
        data.append(inlineTag)
        data.append(contentsOf: value)
        return data
    }

    /// The content of the column for a value. A large value is written to a new file, which is recorded in `files`.
    package func encode(_ value: UnsafeRawBufferPointer, _ files: inout ExternalFileChanges) throws -> Data {
        if value.count <= Self.inlineLimit { return Self.inline(value) }
        let name = UUID().uuidString
        let url = folder.appendingPathComponent(name)
        guard value.count <= Self.largestValue else {
            throw NSError.coreData(
                NSPersistentStoreSaveError,
                reason: "An external value cannot be written: \(Self.excess(value.count)).", url: url)
        }
        do {
            try requireOwnFolders()
            try FilePermissions.makeFolder(folder)
            try note([name], &files)
            files.created.append(name)
            try write(value, to: url)
        } catch {
            throw NSError.coreData(
                (error as NSError).code == NSFileWriteOutOfSpaceError
                    ? NSFileWriteOutOfSpaceError : NSPersistentStoreSaveError,
                reason: "An external value cannot be written. \(error.localizedDescription)", url: url,
                underlying: error)
        }
        return Data([Self.fileTag]) + Data(name.utf8) + Data([0])
    }

    /// The permissions of a new file: those of the folder of the store's main file, two levels above.
    var permissions: mode_t {
        FilePermissions.ofNewFile(in: folder.deletingLastPathComponent().deletingLastPathComponent())
    }

    private func write(_ value: UnsafeRawBufferPointer, to url: URL) throws {
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions)
        guard descriptor >= 0 else { throw Self.failure(url) }
        defer { close(descriptor) }
        try write(value, to: descriptor, url)
        if fsync(descriptor) != 0 { throw Self.failure(url) }
    }

    package func write(_ value: UnsafeRawBufferPointer, to descriptor: Int32, _ url: URL) throws {
        guard Disk.write(value, to: descriptor) else { throw Self.failure(url) }
    }

    package static func failure(_ url: URL) -> NSError {
        let code = errno
        return .coreData(
            code == ENOSPC || code == EDQUOT ? NSFileWriteOutOfSpaceError : NSFileWriteUnknownError,
            reason: "“\(url.lastPathComponent)” could not be written: \(WriteFailure.reason(code, url))", url: url)
    }

    /// Removes the orphaned files of a transaction that was committed, and then its note.
    package func committed(_ files: ExternalFileChanges) {
        if files.orphaned.isEmpty || removeForgotten(files.orphaned) { forgetNote(files) }
    }

    /// Removes the files that a transaction has created which was not committed, and then its note.
    package func abandoned(_ files: ExternalFileChanges) {
        if remove(files.created) { forgetNote(files) }
    }

    /// Removes files that rows named before a commit. The commit is synchronised first: otherwise a loss of power could
    /// restore the rows, and not the files.
    ///
    /// - Returns: Whether all files are gone. Remaining files only take up space.
    package func removeForgotten(_ names: [String]) -> Bool {
        let storeFolder = folder.deletingLastPathComponent().deletingLastPathComponent()
        let log = storeFolder.appendingPathComponent(storeName + "-wal")
        guard (try? Disk.synchronize(log)) != nil else { return false }
        return remove(names)
    }

    /// Removes files that no row names.
    ///
    /// - Returns: Whether all files are gone. Remaining files only take up space.
    @discardableResult
    package func remove(_ names: [String]) -> Bool {
        if names.isEmpty { return true }
        guard (try? requireOwnFolders()) != nil else { return false }
        var isDone = true
        for name in names {
            do { try FileKind.remove(.file, at: folder.appendingPathComponent(name)) } catch { isDone = false }
        }
        return isDone
    }
}
