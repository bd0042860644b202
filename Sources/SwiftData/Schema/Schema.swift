import CoreData
import Foundation

/// The classes that a container stores, with their properties.
///
/// A schema does not change. Any thread may use it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema)
public final class Schema: @unchecked Sendable {  // immutable, as its entities are once they are in a schema
    /// The entities, by name in order.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/entities)
    public let entities: [Entity]

    /// The entities by name.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/entitiesbyname)
    public let entitiesByName: [String: Entity]

    /// The version.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/version-swift.property)
    public let version: Version

    /// The version of the form in which the schema was saved; the present one unless it was loaded.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/encodingversion)
    public let encodingVersion: Version

    /// The version of the form in which schemas are saved.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/schemaencodingversion)
    public static let schemaEncodingVersion = Version(1, 0, 0)

    /// The classes, with those that relationships and superclasses lead to.
    let types: [any PersistentModel.Type]
    /// What is wrong with the classes. A container throws it.
    let fault: SchemaFault?
    /// Whether classes alone describe the schema.
    let isOfClasses: Bool

    /// Creates a schema without classes.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/init())
    public convenience init() { self.init([] as [any PersistentModel.Type]) }

    /// Creates the schema of classes, and of all classes to which their relationships lead.
    ///
    /// Wrong classes are an error of the container.
    ///
    /// - Parameters:
    ///   - types: The classes.
    ///   - version: The version.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/init(_:version:)-8jo9o)
    public init(_ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)) {
        var collector = TypeCollector()
        for type in types { collector.add(type) }
        collector.joinInverses()
        self.version = version
        self.types = collector.types
        entities = collector.entities
        fault = collector.fault
        isOfClasses = true
        encodingVersion = Self.schemaEncodingVersion
        entitiesByName = Self.byName(entities)
    }

    /// Creates a schema of entities and of their subentities, and joins relationships with their inverses.
    ///
    /// Wrong entities are an error of the container. An entity without a class has no models: programs use its objects
    /// by ``ModelContext/managedObjectContext``.
    ///
    /// - Parameters:
    ///   - entities: The entities.
    ///   - version: The version.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/init(_:version:)-8el78)
    public convenience init(_ entities: Entity..., version: Version = Version(1, 0, 0)) {
        self.init(entities: entities, version: version, encodingVersion: Self.schemaEncodingVersion)
    }

    init(entities given: [Entity], version: Version, encodingVersion: Version) {
        var all: [Entity] = []
        var waiting = given
        while let entity = waiting.popLast() {
            if all.contains(where: { $0 === entity }) { continue }
            all.append(entity)
            waiting += entity.subentities
        }
        entities = all.sorted { $0.name < $1.name }
        entitiesByName = Self.byName(entities)
        types = entities.compactMap(\.type)
        let fault = Self.fault(in: entities)
        self.fault = fault ?? InverseJoiner(entities: entitiesByName).join()
        isOfClasses = false
        self.version = version
        self.encodingVersion = encodingVersion
    }

    private static func byName(_ entities: [Entity]) -> [String: Entity] {
        Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// What is wrong with entities that a program has made.
    private static func fault(in entities: [Entity]) -> SchemaFault? {
        for (index, entity) in entities.enumerated() {
            if index > 0, entities[index - 1].name == entity.name {
                return SchemaFault(entity, nil, "another entity has the same name")
            }
            var names: Set<String> = []
            for property in entity.properties where !names.insert(property.name).inserted {
                return SchemaFault(entity, property.name, "another property has the same name")
            }
            for case let relationship as Relationship in entity.storedProperties
            where !entities.contains(where: { $0.name == relationship.destination }) {
                return SchemaFault(
                    entity, relationship.name,
                    "it leads to '\(relationship.destination)', which the schema does not have")
            }
        }
        return nil
    }

    /// Creates the schema of classes, and of all classes to which their relationships lead.
    ///
    /// - Parameters:
    ///   - types: The classes.
    ///   - version: The version.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/init(_:version:)-1aea5)
    public convenience init(_ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0)) {
        self.init(types, version: version)
    }

    /// Creates the schema of a version.
    ///
    /// - Parameter versionedSchema: The version.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/init(versionedschema:))
    public convenience init(versionedSchema: any VersionedSchema.Type) {
        self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
    }

    /// Returns the entity of a class.
    ///
    /// - Parameter type: The class.
    /// - Returns: The entity; nil if the schema does not have the class.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/entity(for:))
    public func entity<T: PersistentModel>(for type: T.Type) -> Entity? {
        types.contains { $0 == type } ? entitiesByName[Self.entityName(for: type)] : nil
    }

    /// Returns the name of a class's entity: the class's name without its module and the types around it.
    ///
    /// - Parameter type: The class.
    /// - Returns: The name.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/entityname(for:))
    public static func entityName<T: PersistentModel>(for type: T.Type) -> String {
        let name = entityNames.withLock { $0[ObjectIdentifier(type)] }
        if let name { return name }
        // Making it costs as much as a tenth of a fetch.
        let new = unqualifiedName(of: type)
        entityNames.withLock { $0[ObjectIdentifier(type)] = new }
        return new
    }

    /// The name of a class without its module and the types around it: what `String(describing:)` gives after it has
    /// looked for conformances of the type.
    static func unqualifiedName(of type: any Any.Type) -> String { _typeName(type, qualified: false) }

    private static let entityNames = Locked<[ObjectIdentifier: String]>([:])

    /// The version of a schema, as three numbers.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/version-swift.struct)
    public struct Version: Codable, Comparable, Hashable, Sendable, CustomStringConvertible {
        /// The first number.
        public let major: Int
        /// The second number.
        public let minor: Int
        /// The third number.
        public let patch: Int

        /// Creates a version.
        ///
        /// - Parameters:
        ///   - major: The first number.
        ///   - minor: The second number.
        ///   - patch: The third number.
        public init(_ major: Int, _ minor: Int, _ patch: Int) {
            (self.major, self.minor, self.patch) = (major, minor, patch)
        }

        /// Whether a version is lower than another one.
        public static func < (lhs: Version, rhs: Version) -> Bool {
            (lhs.major, lhs.minor, lhs.patch) < (rhs.major, rhs.minor, rhs.patch)
        }

        /// The numbers with dots between them.
        public var description: String { "\(major).\(minor).\(patch)" }
    }
}

extension Schema: Hashable {
    /// Whether two schemas have the same version, the same classes and the same entities. Initial values of properties
    /// do not count.
    public static func == (lhs: Schema, rhs: Schema) -> Bool {
        if lhs === rhs { return true }
        guard lhs.version == rhs.version, lhs.typeSet == rhs.typeSet else { return false }
        return lhs.isOfClasses && rhs.isOfClasses || lhs.entities == rhs.entities
    }

    /// Hashes the names of the entities.
    public func hash(into hasher: inout Hasher) { hasher.combine(Set(entitiesByName.keys)) }

    var typeSet: Set<ObjectIdentifier> { Set(types.map { ObjectIdentifier($0) }) }
}

/// A version of a program's classes.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/versionedschema)
public protocol VersionedSchema: SendableMetatype {
    /// The classes of the version.
    static var models: [any PersistentModel.Type] { get }
    /// The number of the version.
    static var versionIdentifier: Schema.Version { get }
}

/// What is wrong with the classes of a schema, with the class and the property.
struct SchemaFault: Error, CustomStringConvertible {
    let description: String

    init(_ type: any Any.Type, _ property: String? = nil, _ text: String) {
        self.init("\(type)", property, text)
    }

    init(_ entity: Schema.Entity, _ property: String?, _ text: String) {
        self.init(entity.type.map { "\($0)" } ?? entity.name, property, text)
    }

    private init(_ owner: String, _ property: String?, _ text: String) {
        description = property.map { "\(owner).\($0): \(text)" } ?? "\(owner): \(text)"
    }
}
