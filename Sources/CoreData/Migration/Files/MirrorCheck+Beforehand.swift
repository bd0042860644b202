import Foundation

extension MirrorCheck {
    /// Throws where mapping models would make a new file of a store that CloudKit mirrors: its objects get other keys,
    /// and the file has none of CloudKit's tables.
    static func checkBeforehand(_ hops: [MigrationHop], of request: MigrationRequest) throws {
        guard let hop = hops.first(where: { !$0.isInferred }), !request.ignoresMirror else { return }
        let url = request.url
        do {
            let mirror = try SQLiteStoreSummary.reading(at: url, timeout: request.timeout) { _, connection in
                try MirrorTables.read(from: connection)
            }
            if let mirror = mirror ?? nil {
                throw MigrationErrors.mirrored(mirror, [Self.change(by: hop)], url: url)
            }
        } catch let error as SQLiteError {
            throw MigrationErrors.translated(error, url: url, doing: "looking for CloudKit's tables")
        }
    }
}
