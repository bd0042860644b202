import Foundation

/// Whether the schema of a store is that of a model, as far as version hashes show.
enum StoreCompatibility: Equatable {
    /// Store and model have equal entities with equal hashes.
    case compatible
    /// The hashes that can be computed exactly agree; these entities have attributes whose hash cannot be computed
    /// exactly (`isVersionHashExact`), and have to be compared by structure.
    case undecided(entities: [String])
    /// These entities differ, are missing in the store, or are missing in the model.
    case incompatible(entities: [String])

    /// The entities that differ. For a store that holds no model to compare, so that the hashes alone decide.
    var differences: [String]? {
        switch self {
        case .compatible: nil
        case .undecided(let entities), .incompatible(let entities): entities
        }
    }
}

extension NSManagedObjectModel {
    /// As `isConfiguration(withName:compatibleWithStoreMetadata:)`, and names the entities that differ.
    final func compatibility(
        ofConfiguration configuration: String?, withStoreMetadata metadata: [String: Any]
    ) -> StoreCompatibility {
        guard let members = entities(forConfigurationName: configuration) else { return .incompatible(entities: []) }
        let version = StoredVersion(metadata)
        guard let stored = version.hashes else {
            return members.isEmpty ? .compatible : .incompatible(entities: members.compactMap(\.name).sorted())
        }
        let hashes = entityVersionHashesByName
        // A configuration need not name the subentities of its entities, which have their rows in the same table.
        let names = Set(members.compactMap(\.name))
        let below = entities.filter { entity in
            let name = entity.name ?? ""
            return !names.contains(name) && stored[name] != nil
                && members.contains { entity.isKindOf(entity: $0) }
        }
        let held = members + below
        var different = Set(stored.keys).subtracting(held.compactMap(\.name))
        var unclear: [String] = []
        for entity in held {
            guard let name = entity.name, !version.isVersion(of: entity, hash: hashes[name]) else { continue }
            if stored[name] != nil, !entity.isVersionHashExact {
                unclear.append(name)
            } else {
                different.insert(name)
            }
        }
        if !different.isEmpty { return .incompatible(entities: different.sorted()) }
        return unclear.isEmpty ? .compatible : .undecided(entities: unclear.sorted())
    }
}
