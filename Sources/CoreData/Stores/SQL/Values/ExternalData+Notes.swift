import Foundation

/// Files of external values that a transaction made, and those that no row names once it is committed.
package struct ExternalFileChanges {
    package var created: [String] = []
    package var orphaned: [String] = []
    /// The file in which the transaction's files are noted, once there is one.
    package var note: String?
}

// A killed process leaves files that no row names. Before a transaction makes a file, and before it forgets one, the
// file's name is noted beside the folder. The note is removed when the transaction and its consequences are over. A
// note that is there while nobody can be within a transaction is one of a process that was killed, or of a migration,
// which leaves it to the next opening.
extension ExternalData {
    private static let notePrefix = "_PENDING-"

    private var notesFolder: URL { folder.deletingLastPathComponent() }

    /// Adds names to the transaction's note.
    package func note(_ names: [String], _ files: inout ExternalFileChanges) throws {
        if names.isEmpty { return }
        try requireOwnFolders()
        let name = files.note ?? Self.notePrefix + UUID().uuidString + suffix
        let url = notesFolder.appendingPathComponent(name)
        try FilePermissions.makeFolder(notesFolder)
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, permissions)
        guard descriptor >= 0 else { throw Self.failure(url) }
        files.note = name
        defer { close(descriptor) }
        try Data(names.map { $0 + "\n" }.joined().utf8).withUnsafeBytes { try write($0, to: descriptor, url) }
    }

    package func forgetNote(_ files: ExternalFileChanges) {
        if let note = files.note { unlink(notesFolder.appendingPathComponent(note).path) }
    }

    package var notes: [URL] {
        guard FileKind(at: notesFolder) == .folder else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: notesFolder.path)) ?? []
        return names.filter { name in
            guard name.hasPrefix(Self.notePrefix) else { return false }
            let rest = name.dropFirst(Self.notePrefix.count + 36)
            return rest.isEmpty || rest == suffix
        }.map { notesFolder.appendingPathComponent($0) }.filter { FileKind(at: $0) == .file }
    }

    /// The end of the names of the store's notes: another store, whose name differs in its extension only, has the same
    /// folder.
    private var suffix: String { storeName.isEmpty ? "" : "-" + storeName }
}
