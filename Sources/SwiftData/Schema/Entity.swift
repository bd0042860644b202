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
        public internal(set) weak var superentity: Entity?
        /// The entities of the subclasses.
        public var subentities: Set<Entity> { Set(children) }

        private var children: [Entity] = []
        /// The kinds of the indices; binary where there is none.
        var indexKinds: [String] = []
        /// The class.
        var type: (any PersistentModel.Type)?

        /// Creates an entity without properties.
        ///
        /// - Parameter name: The name.
        ///
        /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/entity/init(_:))
        public init(_ name: String) { self.name = name }

        /// Creates an entity.
        ///
        /// - Parameters:
        ///   - name: The name.
        ///   - properties: The properties. Each that is unique is a constraint.
        ///
        /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/entity/init(_:properties:))
        public convenience init(_ name: String, properties: any SchemaProperty...) {
            self.init(name, subentities: [], properties: properties)
        }

        /// Creates an entity with subentities.
        ///
        /// - Parameters:
        ///   - name: The name.
        ///   - subentities: The entities that have the properties of this one, too.
        ///   - properties: The properties. Each that is unique is a constraint.
        ///
        /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/entity/init(_:subentities:properties:))
        public convenience init(_ name: String, subentities: Entity..., properties: any SchemaProperty...) {
            self.init(name, subentities: subentities, properties: properties)
        }

        init(_ name: String, subentities: [Entity], properties: [any SchemaProperty]) {
            self.name = name
            storedProperties = properties
            uniquenessConstraints = properties.filter(\.isUnique).map { [$0.name] }
            for entity in subentities { add(entity) }
        }

        /// Makes an entity a subentity of this one.
        func add(_ entity: Entity) {
            entity.superentity = self
            if !children.contains(where: { $0 === entity }) { children.append(entity) }
        }

        /// The indices with their kinds.
        var namedIndices: [(kind: String, names: [String])] {
            indices.enumerated().map {
                (indexKinds.count == indices.count ? indexKinds[$0.offset] : "Binary", $0.element)
            }
        }

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
        public var attributesByName: [String: Attribute] { byName(properties.compactMap { $0 as? Attribute }) }
        /// The relationships by name.
        public var relationshipsByName: [String: Relationship] { byName(properties.compactMap { $0 as? Relationship }) }

        private func byName<Property>(_ all: [Property]) -> [String: Property] {
            Dictionary(
                all.map { (($0 as? any SchemaProperty)?.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })
        }

        /// Whether two entities have the same class and equal properties, constraints and indices.
        public static func == (lhs: Entity, rhs: Entity) -> Bool {
            lhs === rhs || lhs.type == rhs.type && EntityForm(lhs) == EntityForm(rhs)
        }

        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }
}
