import Foundation

extension Schema {
    /// A class of a schema, with its properties.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/entity)
    public final class Entity: Hashable {
        /// The name: that of the class, without its module.
        public var name: String
        /// The properties of the class itself.
        public var storedProperties: [any SchemaProperty] = []
        /// The sets of properties whose values together are unique.
        public var uniquenessConstraints: [[String]] = []
        /// The properties of each index.
        public var indices: [[String]] = []
        /// The entity of the superclass.
        public internal(set) unowned var superentity: Entity?
        /// The entities of the subclasses.
        public internal(set) var subentities: Set<Entity> = []

        /// The indexes with their kinds.
        var namedIndices: [(kind: String, names: [String])] = []
        /// The class.
        var type: (any PersistentModel.Type)?

        /// Creates an entity without properties.
        ///
        /// - Parameter name: The name.
        ///
        /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/entity/init(_:))
        public init(_ name: String) { self.name = name }

        /// The name of the superclass's entity.
        public var superentityName: String? { superentity?.name }
        /// The properties of all superclasses.
        public var inheritedProperties: [any SchemaProperty] { superentity?.properties ?? [] }
        /// The properties of the class and of its superclasses.
        public var properties: [any SchemaProperty] { inheritedProperties + storedProperties }
        /// The attributes of the class and of its superclasses.
        public var attributes: Set<Attribute> { Set(properties.compactMap { $0 as? Attribute }) }
        /// The relationships of the class and of its superclasses.
        public var relationships: Set<Relationship> { Set(properties.compactMap { $0 as? Relationship }) }
        /// The properties of the class itself by name.
        public var storedPropertiesByName: [String: any SchemaProperty] { byName(storedProperties) }
        /// The properties of the superclasses by name.
        public var inheritedPropertiesByName: [String: any SchemaProperty] { byName(inheritedProperties) }
        /// The attributes by name.
        public var attributesByName: [String: Attribute] { byName(Array(attributes)) }
        /// The relationships by name.
        public var relationshipsByName: [String: Relationship] { byName(Array(relationships)) }

        private func byName<Property>(_ all: [Property]) -> [String: Property] {
            Dictionary(
                all.map { (($0 as? any SchemaProperty)?.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })
        }

        /// Whether two entities are the same object.
        public static func == (lhs: Entity, rhs: Entity) -> Bool { lhs === rhs }
        /// Hashes the object's identity.
        public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }
}
