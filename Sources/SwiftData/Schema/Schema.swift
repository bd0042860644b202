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

    /// The classes, with those that relationships and superclasses lead to.
    let types: [any PersistentModel.Type]
    /// What is wrong with the classes. A container throws it.
    let fault: SchemaFault?

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
        self.version = version
        self.types = collector.types
        entities = collector.entities
        fault = collector.fault
        entitiesByName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
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
    public static func entityName<T: PersistentModel>(for type: T.Type) -> String { String(describing: type) }

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
    /// Whether two schemas have the same classes and the same version.
    public static func == (lhs: Schema, rhs: Schema) -> Bool {
        lhs === rhs || lhs.version == rhs.version && lhs.typeSet == rhs.typeSet
    }

    /// Hashes the classes.
    public func hash(into hasher: inout Hasher) { hasher.combine(typeSet) }

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
        let place = property.map { "\(type).\($0)" } ?? "\(type)"
        description = "\(place): \(text)"
    }
}
