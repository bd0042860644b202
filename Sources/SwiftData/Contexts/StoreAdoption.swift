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
        let new = ManagedSchema(schema, model)
        return Self.adopted.withLock { adopted in
            if let known = adopted[key] { return known }
            adopted[key] = new
            return new
        }
    }
}

/// The form in which a store keeps the values of a property, where the rule for it is not settled.
struct StoredForm {
    private let type: any Any.Type
    private let stored: NSAttributeDescription

    /// - Parameters:
    ///   - type: The declared type of the property.
    ///   - stored: The attribute in the store's model.
    init(_ type: any Any.Type, _ stored: NSAttributeDescription) {
        self.type = type
        self.stored = stored
    }

    /// A new attribute in the store's form, with everything else of the schema's one; nil if the store's form cannot
    /// have values of the type.
    func description(like own: NSAttributeDescription) -> NSAttributeDescription? {
        guard let new = attribute(like: own) else { return nil }
        new.name = own.name
        new.renamingIdentifier = own.renamingIdentifier
        new.versionHashModifier = own.versionHashModifier
        new.isOptional = own.isOptional
        new.isTransient = own.isTransient
        new.preservesValueInHistoryOnDeletion = own.preservesValueInHistoryOnDeletion
        new.allowsExternalBinaryDataStorage = own.allowsExternalBinaryDataStorage
        return new
    }

    private func attribute(like own: NSAttributeDescription) -> NSAttributeDescription? {
        let kind = ValueKind.of(type)
        if let composite = stored as? NSCompositeAttributeDescription { return self.composite(composite, kind) }
        let new = NSAttributeDescription()
        new.attributeType = stored.attributeType
        switch (kind, stored.attributeType) {
        case (.scalar(let scalar), let width) where Self.integers.contains(scalar) && Self.integers.contains(width):
            new.defaultValue = own.defaultValue
        case (.rawEnumeration(let raw), let type) where raw == type: break
        case (.archive, .binaryDataAttributeType), (.json, .binaryDataAttributeType),
            (.structure, .binaryDataAttributeType), (.enumeration, .binaryDataAttributeType):
            guard !isOfProgram(own) else { return nil }
        case (.archive, .transformableAttributeType), (.json, .transformableAttributeType),
            (.structure, .transformableAttributeType), (.enumeration, .transformableAttributeType):
            // A file does not choose the code that reads it: neither a transformer nor a class.
            guard !isOfProgram(own), stored.valueTransformerName == Self.secureTransformer else { return nil }
            new.valueTransformerName = Self.secureTransformer
        default: return nil
        }
        return new
    }

    /// A composite attribute for a type that the schema keeps otherwise, or with another type for a case's payload.
    private func composite(_ stored: NSCompositeAttributeDescription, _ kind: ValueKind) -> NSAttributeDescription? {
        guard CompositeShape(kind) != nil,
            let own = try? ModelBuilder.composite(Schema.CompositeAttribute(name: stored.name, valueType: type))
        else { return nil }
        guard case .enumeration = kind else { return own }
        // The JSON of a payload may be bytes or a text.
        for element in own.elements where element.attributeType == .binaryDataAttributeType {
            let other = stored.elements.first { $0.name == element.name }
            if other?.attributeType == .stringAttributeType { element.attributeType = .stringAttributeType }
        }
        return own
    }

    /// Whether a transformer of the program makes the bytes.
    private func isOfProgram(_ own: NSAttributeDescription) -> Bool {
        own.attributeType == .transformableAttributeType && own.valueTransformerName != Self.secureTransformer
    }

    private static let secureTransformer = NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue
    private static let integers: [NSAttributeType] = [
        .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
    ]
}
