import Foundation

/// The versions that a store has left, the oldest first: checksums in its metadata.
///
/// A store that goes back to one of them is downgraded. Then the record ends before that version, so that the way
/// forward again does not count as a downgrade.
struct VersionRecord {
    /// Apple's framework keeps keys of the metadata that it does not know.
    static let metadataKey = "OpenCoreDataVersions"
    private static let limit = 256

    private(set) var checksums: [String]

    /// The record of a store that says this about itself. One that Apple's framework made has none.
    init(_ metadata: [String: Any]) { checksums = metadata[Self.metadataKey] as? [String] ?? [] }

    /// Whether the store was once of a version, by the hashes of its content there.
    func holds(_ hashes: [String: Data]) -> Bool { checksums.contains(VersionHash.checksum(of: hashes)) }

    /// Notes that the store goes from one version to another.
    ///
    /// - Parameter left: the hashes of the version that it leaves. There are several where the store's own differ from
    ///   those that are computed of the model.
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

    /// Puts the record into metadata; an empty one leaves none.
    func write(to metadata: inout [String: Any]) {
        metadata[Self.metadataKey] = checksums.isEmpty ? nil : checksums
    }
}

extension NSManagedObjectModel {
    /// The version hashes of the entities that a store of a configuration holds; of all where the model does not have
    /// it.
    final func versionHashes(ofConfiguration configuration: String?) -> [String: Data] {
        let hashes = entityVersionHashesByName
        guard let configuration, configuration != Self.defaultConfigurationName,
            let entities = entities(forConfigurationName: configuration)
        else { return hashes }
        let names = Set(entities.compactMap(\.name))
        return hashes.filter { names.contains($0.key) }
    }
}
