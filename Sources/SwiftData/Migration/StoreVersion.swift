import CoreData
import Foundation

/// The version of a store, from its metadata.
struct StoreVersion: Equatable {
    let url: URL
    let hashes: [String: Data]
    let identifiers: [String]

    /// Nil if there is no store yet, or none that is kept in a file or a database.
    init?(of configuration: ModelConfiguration) {
        let url = configuration.url
        if configuration.isStoredInMemoryOnly { return nil }
        if url.isFileURL, !FileManager.default.fileExists(atPath: url.path) { return nil }
        let type = url.isFileURL ? NSSQLiteStoreType : NSPersistentStoreDescription(url: url).type
        guard
            let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url),
            let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data], !hashes.isEmpty
        else { return nil }
        self.url = url
        self.hashes = hashes
        identifiers = (metadata[NSStoreModelVersionIdentifiersKey] as? [Any] ?? []).map { "\($0)" }
    }

    /// The entities that the store holds in the model that it keeps; nil if that model is of another version.
    var model: NSManagedObjectModel? {
        guard let model = try? NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url) else { return nil }
        let all = model.entityVersionHashesByName
        if all == hashes { return model }
        guard hashes.allSatisfy({ all[$0.key] == $0.value }), let part = model.copy() as? NSManagedObjectModel else {
            return nil
        }
        part.entities = part.entities.filter { hashes[$0.name ?? ""] != nil }
        return part.entityVersionHashesByName == hashes ? part : nil
    }

    /// Whether the store is of a later version than a schema, as far as the identifiers show it.
    func isNewer(than version: Schema.Version) -> Bool {
        guard identifiers.count == 1 else { return false }
        let numbers = identifiers[0].split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 3, let major = numbers[0], let minor = numbers[1], let patch = numbers[2] else {
            return false
        }
        return Schema.Version(major, minor, patch) > version
    }

    func hasIdentifier(of version: PlanVersion) -> Bool { identifiers == [version.schema.version.description] }

    /// The place of the store's version among those of a plan, with the schema in the store's form.
    func place(in versions: PlanVersions) throws -> (place: Int, managed: ManagedSchema)? {
        let all = versions.versions
        let same = try all.indices.filter { try all[$0].managed().model.entityVersionHashesByName == hashes }
        if let place = same.first(where: { hasIdentifier(of: all[$0]) }) ?? same.first {
            return (place, try all[place].managed())
        }
        for place in all.indices.reversed() {
            let adoption = StoreAdoption(schema: all[place].schema, url: url)
            if let adopted = try adoption?.managedSchema() { return (place, adopted) }
        }
        return nil
    }

    /// The difference of a version from the store.
    func difference(of version: PlanVersion, _ model: NSManagedObjectModel?) throws -> VersionDifference {
        let own = try version.managed().model
        guard let model else { return VersionDifference(own, fromHashes: hashes, named: "\(version.type)") }
        return VersionDifference(own, from: model, named: "\(version.type)", "the store")
    }
}
