import Foundation

extension FollowedWork {
    /// Copies a store that is a single file, with its external data, to a free address.
    func copy(_ source: SQLiteStoreFiles, to target: SQLiteStoreFiles) throws {
        do {
            let copy = try SQLiteConnection(path: target.main.path, access: .create)
            // No other process opens the copy before it has been synchronised to the disk, and a kill makes the copy
            // void.
            try copy.leaveOutSyncing()
            try SQLiteConnection(path: source.main.path, access: .immutable)
                .backUp(to: copy) { try advance($0 * 0.9) }
            if FileManager.default.fileExists(atPath: source.supportFolder.path) {
                try source.requireOwnFolders(.fileReadUnknown)
                try copyFolder(source.supportFolder, to: target.supportFolder)
            }
            try advance(1)
        } catch {
            try? target.removeRemains()
            throw error
        }
    }
}
