import CoreData
import Foundation

/// Decides whether a store has an unsettled rule in another way than the schema, and gives the schema the store's form.
///
/// Some rules of Apple's SwiftData are not known: whether an annotated relationship has an inverse, how a collection of
/// `Codable` values is kept, how wide a number is. A store that has it otherwise keeps its form, by its own model. Of
/// that model only such forms are taken. Everything else, such as delete rules and defaults, is the program's.
struct StoreAdoption {
    let schema: Schema
    private let url: URL
    private let hashes: [String: Data]

    /// The models that were adopted. They stay for ever, as those of schemas do.
    private static let adopted = Locked<[Key: ManagedSchema]>([:])

    private struct Key: Hashable {
        let schema: Schema
        let hashes: [String: Data]
    }

    /// - Parameter url: The place of a store. The result is nil if there is no store that can be read.
    init?(schema: Schema, url: URL) {
        guard url.isFileURL, url.path != "/dev/null", FileManager.default.fileExists(atPath: url.path),
            let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: url),
            let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        else { return nil }
        self.schema = schema
        self.url = url
        self.hashes = hashes
    }

    // MARK: Refusal

    /// Refuses a store that no migration should bring to the schema's model.
    ///
    /// - Throws: An error for a store of other classes.
    func check(_ model: NSManagedObjectModel) throws {
        let own = model.entityVersionHashesByName
        if hashes.allSatisfy({ own[$0] == $1 }) { return }
        if !hashes.isEmpty, Set(own.keys).isDisjoint(with: hashes.keys) {
            throw NSError.coreData(
                NSPersistentStoreIncompatibleVersionHashError,
                reason: "The store at \(url.path) has the entities \(Self.list(hashes.keys)), and the schema has "
                    + "\(Self.list(own.keys)).", url: url)
        }
    }

    private static func list(_ names: some Sequence<String>) -> String { names.sorted().joined(separator: ", ") }

    // MARK: Adoption

    /// The schema in the store's form; nil if its own form fits, or if the store is of another version.
    func managedSchema() throws -> ManagedSchema? {
        let own = try ManagedSchema.of(schema).model.entityVersionHashesByName
        if own == hashes || Set(own.keys) != Set(hashes.keys) { return nil }
        let key = Key(schema: schema, hashes: hashes)
        if let known = Self.adopted.withLock({ $0[key] }) { return known }
        guard let stored = try? NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url),
            let model = try? ModelBuilder(schema: schema, stored: stored).model(),
            model.entityVersionHashesByName == hashes
        else { return nil }
        return Self.kept(ManagedSchema(schema, model), key)
    }

    private static func kept(_ new: ManagedSchema, _ key: Key) -> ManagedSchema {
        adopted.withLock { adopted in
            if let known = adopted[key] { return known }
            adopted[key] = new
            return new
        }
    }

    /// The schema of a later version, with the forms that an older version has taken from its store.
    ///
    /// - Throws: A `SchemaFault` for classes that no store can keep.
    static func managedSchema(_ schema: Schema, after older: ManagedSchema) throws -> ManagedSchema {
        let own = try ManagedSchema.of(older.schema).model.entitiesByName
        var forms: Set<AdoptedProperty> = []
        for entity in older.schema.entities {
            let stored = older.model.entitiesByName[entity.name]?.propertiesByName
            let ruled = own[entity.name]?.propertiesByName
            for property in entity.storedProperties
            where stored?[property.name]?.versionHash != ruled?[property.name]?.versionHash {
                forms.insert(AdoptedProperty(entity.name, property.name, property.valueType))
            }
        }
        let plain = try ManagedSchema.of(schema)
        if forms.isEmpty { return plain }
        let model = try ModelBuilder(schema: schema, stored: older.model, adopted: forms).model()
        let hashes = model.entityVersionHashesByName
        if hashes == plain.model.entityVersionHashesByName { return plain }
        return kept(ManagedSchema(schema, model), Key(schema: schema, hashes: hashes))
    }
}
