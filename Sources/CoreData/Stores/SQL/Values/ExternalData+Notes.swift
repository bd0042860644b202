import Foundation

/// The files of external values that a transaction has created, and those that no row names after its commit.
package struct ExternalFileChanges {
    package var created: [String] = []
    package var orphaned: [String] = []
    /// The file with the names of the transaction's files, once it exists.
    package var note: String?
}

// A killed process leaves files that no row names. Before a transaction creates or orphans a file, the file's name is
// noted beside the folder. The note is removed after the transaction and its consequences. A note that is there
// although no transaction can be under way comes from a killed process, or from a migration, which leaves it to the
// next opening.
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

    /// The suffix of the names of the store's notes, because a store whose name differs only in its extension has the
    /// same folder.
    private var suffix: String { storeName.isEmpty ? "" : "-" + storeName }
}
