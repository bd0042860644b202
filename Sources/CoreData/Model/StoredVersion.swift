import Foundation

/// The key of a store's metadata for the version hash of each entity: `[String: Data]`, 32 bytes each.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsstoremodelversionhasheskey)
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"

/// The version of the model with which a store was made, from the store's metadata.
///
/// The hash of a composite or derived attribute does not depend on its name, and that of a derived one not on its type.
/// After a renaming, values would be taken for those of another attribute. So stores also note the hashes of older
/// versions of this library, which depend on names.
struct StoredVersion: Equatable {
    /// The version hash of each entity in the store by its name; nil where the metadata have none.
    let hashes: [String: Data]?
    private let notes: [String: Data]

    /// The key of the notes: for each entity with such attributes its hash, followed by the hash that depends on names.
    static let notesKey = "OpenCoreDataNamedHashes"

    init(_ metadata: [String: Any]) {
        hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        notes = metadata[Self.notesKey] as? [String: Data] ?? [:]
    }

    /// The notes of a store that gets these hashes.
    static func notes(of model: NSManagedObjectModel, with hashes: [String: Data]) -> [String: Data] {
        var notes: [String: Data] = [:]
        for entity in model.entities {
            guard let name = entity.name, let hash = hashes[name], let former = entity.formerVersionHash else {
                continue
            }
            notes[name] = hash + former
        }
        return notes
    }

    /// Whether an entity has the stored version; `hash` is its version hash.
    func isVersion(of entity: NSEntityDescription, hash: Data?) -> Bool {
        guard let name = entity.name, let stored = hashes?[name] else { return false }
        if stored == hash { return former(of: name).map { $0 == entity.formerVersionHash } ?? true }
        return stored == entity.formerVersionHash
    }

    /// Whether the metadata have the hash that depends on the names of an entity's composite and derived attributes, if
    /// it has any.
    func tellsNames(in entity: NSEntityDescription) -> Bool {
        guard let former = entity.formerVersionHash, let name = entity.name else { return true }
        return hashes?[name] == former || self.former(of: name) != nil
    }

    /// The hash that depends on names, if it was noted with the present hash. A migration by a program that does not
    /// write such notes leaves old ones behind.
    private func former(of name: String) -> Data? {
        guard let note = notes[name], let hash = hashes?[name], note.starts(with: hash), note.count > hash.count else {
            return nil
        }
        return Data(note.dropFirst(hash.count))
    }
}
