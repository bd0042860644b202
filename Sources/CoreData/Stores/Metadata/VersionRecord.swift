import Foundation

/// The versions that a store has left, the oldest first, as checksums in its metadata.
///
/// A store that returns to one of them is downgraded. Then the record ends before that version, so that a new migration
/// to the newer version does not count as a downgrade.
struct VersionRecord {
    /// The metadata key. Apple's framework keeps metadata under keys that it does not use.
    static let metadataKey = "OpenCoreDataVersions"
    private static let limit = 256

    private(set) var checksums: [String]

    /// The record in a store's metadata. A store that Apple's framework made has none.
    init(_ metadata: [String: Any]) { checksums = metadata[Self.metadataKey] as? [String] ?? [] }

    /// Whether the store once had a version, by the hashes of the store's entities in that version.
    func holds(_ hashes: [String: Data]) -> Bool { checksums.contains(VersionHash.checksum(of: hashes)) }

    /// Records that the store changes from one version to another.
    ///
    /// - Parameter left: the hashes of the version that the store leaves. There are several if the store's own differ
    ///   from those that are computed from the model.
    mutating func leave(_ left: [[String: Data]], for next: [String: Data]) {
        let goal = VersionHash.checksum(of: next)
        if let place = checksums.firstIndex(of: goal) {
            checksums.removeSubrange(place...)
            return
        }
        for checksum in left.map(VersionHash.checksum) where checksum != goal && !checksums.contains(checksum) {
            checksums.append(checksum)
        }
        checksums = checksums.suffix(Self.limit)
    }

    /// Writes the record into metadata. An empty record removes its key.
    func write(to metadata: inout [String: Any]) {
        metadata[Self.metadataKey] = checksums.isEmpty ? nil : checksums
    }
}

extension NSManagedObjectModel {
    /// The version hashes of the entities that a store of a configuration holds; of all entities if the model does not
    /// have the configuration.
    final func versionHashes(ofConfiguration configuration: String?) -> [String: Data] {
        let hashes = entityVersionHashesByName
        guard let configuration, configuration != Self.defaultConfigurationName,
            let entities = entities(forConfigurationName: configuration)
        else { return hashes }
        let names = Set(entities.compactMap(\.name))
        return hashes.filter { names.contains($0.key) }
    }
}
