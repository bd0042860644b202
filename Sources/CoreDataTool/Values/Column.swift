import CoreData
import Foundation

/// The value in a column of a result: an object's id, an attribute, a key path through relationships, or the number of
/// objects of a relationship (`books.@count`).
package struct Column {
    package enum Content {
        case id
        case attribute(NSAttributeDescription)
        /// An object at the end of a to-one relationship.
        case object
        /// The objects of a to-many relationship.
        case objects
        case count
    }

    package let title: String
    /// The to-one relationships that lead to the object with the value.
    private let way: [ManagedSlot]
    /// The key of the value, and within a composite attribute those of its elements; none for an id.
    package let keys: [String]
    package let content: Content
    /// The last key, for reading a value without boxing it.
    let slot: ManagedSlot

    private init(_ title: String, way: [String] = [], keys: [String], _ content: Content) {
        self.title = title
        self.way = way.map { ManagedSlot($0) }
        self.keys = keys
        self.content = content
        slot = ManagedSlot(keys.last ?? "")
    }

    /// A column of a result that has no key of its own: a computed value, with the type that it has.
    package init(computed title: String, _ type: NSAttributeType) {
        let attribute = NSAttributeDescription()
        attribute.name = title
        attribute.attributeType = type
        self.init(title, keys: [title], .attribute(attribute))
    }

    /// The keys from the object to the value.
    package var keyPath: String { (way.map(\.name) + keys).joined(separator: ".") }

    package var isNumber: Bool {
        switch content {
        case .count: true
        case .attribute(let attribute): attribute.attributeType.isNumber
        default: false
        }
    }

    /// The relationship that a fetch should prefetch; nil if the value is the object's own.
    package var prefetched: String? {
        var names = way.map(\.name)
        switch content {
        case .id, .attribute, .object: break
        case .objects, .count: names += keys
        }
        return names.isEmpty ? nil : names.joined(separator: ".")
    }

    /// Columns for the id, all stored attributes, and the objects of to-one relationships.
    package static func all(of entity: NSEntityDescription) -> [Column] {
        let properties = entity.properties.filter { !$0.isTransient }
        return [Column("@id", keys: [], .id)]
            + properties.compactMap { property in
                switch property {
                case let attribute as NSAttributeDescription:
                    Column(attribute.name, keys: [attribute.name], .attribute(attribute))
                case let relationship as NSRelationshipDescription where !relationship.isToMany:
                    Column(relationship.name, keys: [relationship.name], .object)
                default: nil
                }
            }
    }

    /// Reads `name`, `author.name`, `books.@count`, `@id`.
    package static func named(_ path: String, in entity: NSEntityDescription) throws -> Column {
        let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if path == "@id" { return Column(path, keys: [], .id) }
        var entity = entity
        for (place, key) in keys.enumerated() {
            let way = Array(keys[..<place])
            let rest = Array(keys[(place + 1)...])
            if let attribute = entity.attributesByName[key] {
                let element = try element(rest, of: attribute, in: entity)
                return Column(path, way: way, keys: [key] + rest, .attribute(element))
            }
            guard let relationship = entity.relationshipsByName[key] else { throw unknown(key, in: entity) }
            if rest.isEmpty {
                return Column(path, way: way, keys: [key], relationship.isToMany ? .objects : .object)
            }
            if relationship.isToMany {
                if rest == ["@count"] { return Column(path, way: way, keys: [key], .count) }
                throw ToolError(
                    .usage,
                    "'\(key)' of \(entity.name ?? "") leads to many objects: only '\(key).@count' can follow it")
            }
            if rest == ["@id"] { return Column(path, way: way, keys: [key], .object) }
            guard let destination = relationship.destinationEntity else { break }
            entity = destination
        }
        throw ToolError(.usage, "'\(path)' is no key path")
    }

    /// The attribute that keys lead to within another one, which is a composite then.
    private static func element(
        _ keys: [String], of attribute: NSAttributeDescription, in entity: NSEntityDescription
    ) throws -> NSAttributeDescription {
        guard let first = keys.first else { return attribute }
        guard let composite = attribute as? NSCompositeAttributeDescription else {
            throw ToolError(
                .usage,
                "'\(attribute.name)' of \(entity.name ?? "") is an attribute: '.\(keys.joined(separator: "."))' leads "
                    + "nowhere")
        }
        guard let element = composite.elements.first(where: { $0.name == first }) else {
            let names = composite.elements.map(\.name)
            let nearest = NearestName.hint(first, among: names)
            throw ToolError(
                .usage, "'\(attribute.name)' of \(entity.name ?? "") has no element '\(first)'\(nearest)",
                details: ["It has \(names.joined(separator: ", "))."])
        }
        return try self.element(Array(keys.dropFirst()), of: element, in: entity)
    }

    package static func unknown(
        _ key: String, in entity: NSEntityDescription, besides others: Set<String> = []
    ) -> ToolError {
        let properties = entity.propertiesByName.filter { !($0.value is NSFetchedPropertyDescription) }.keys
        let names = others.union(properties).subtracting([key]).sorted()
        let nearest = NearestName.hint(key, among: names)
        return ToolError(
            .usage, "\(entity.name ?? "") has no property '\(key)'\(nearest)",
            details: names.count > 60 ? [] : ["It has \(names.joined(separator: ", "))."])
    }

    /// The object that has the value: the object itself, or the one at the end of the relationships; nil if one of them
    /// is nil.
    func owner(of object: NSManagedObject) -> NSManagedObject? {
        var owner: NSManagedObject? = object
        for slot in way { owner = owner?.toOne(slot) }
        return owner
    }

    /// The value of an object: a value of the attribute, a managed object, a set or ordered set of them, a number.
    package func value(of object: NSManagedObject) -> Any? {
        guard let first = keys.first else { return object.objectID }
        guard let owner = owner(of: object) else { return nil }
        if case .count = content { return owner.objectIDs(forRelationshipNamed: first).count }
        var value = owner.value(forKey: first)
        for key in keys.dropFirst() { value = (value as? [String: Any])?[key] }
        return value
    }

    /// The objects of a relationship, in their order, or in that of their ids.
    package static func members(_ value: Any?) -> [NSManagedObject] {
        switch value {
        case let ordered as NSOrderedSet: ordered.array.compactMap { $0 as? NSManagedObject }
        case let set as Set<NSManagedObject>:
            set.sorted { ObjectName.order($0.objectID, $1.objectID) }
        case let object as NSManagedObject: [object]
        default: []
        }
    }
}

extension NSAttributeType {
    /// Whether values are aligned at the right of a column.
    var isNumber: Bool {
        switch self {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
            .doubleAttributeType, .floatAttributeType:
            true
        default: false
        }
    }
}
