import CoreData
import Foundation

/// A schema as a value, for files.
struct SchemaForm: Codable {
    let encodingVersion: Schema.Version
    let version: Schema.Version
    let entities: [EntityForm]
}

/// An entity as a value, for files and for comparison.
struct EntityForm: Codable, Equatable {
    let name: String
    /// The mangled name of the class.
    let className: String?
    let superentity: String?
    let properties: [PropertyForm]
    let uniquenessConstraints: [[String]]
    let indices: [[String]]
    let indexKinds: [String]

    init(_ entity: Schema.Entity) {
        name = entity.name
        className = entity.type.flatMap { _mangledTypeName($0) }
        superentity = entity.superentityName
        properties = entity.storedProperties.compactMap { PropertyForm($0) }
        uniquenessConstraints = entity.uniquenessConstraints
        indices = entity.indices
        indexKinds = entity.namedIndices.map(\.kind)
    }

    /// The class, if the program has it.
    ///
    /// A name from a file may be anything. Letters and digits alone refer to no place in memory.
    var type: (any PersistentModel.Type)? {
        guard let className, className.utf8.count < 1_000,
            className.utf8.allSatisfy({ $0 == 95 || (48...57).contains($0) || (65...90).contains($0 & 0xDF) })
        else { return nil }
        return _typeByName(className) as? any PersistentModel.Type
    }

    /// An entity of this form without a class, and without a superentity.
    func entity() throws -> Schema.Entity {
        let entity = Schema.Entity(name)
        entity.storedProperties = try properties.map { try $0.property() }
        entity.uniquenessConstraints = uniquenessConstraints
        entity.indices = indices
        entity.indexKinds = indexKinds
        return entity
    }
}

/// A property as a value, for files and for comparison.
struct PropertyForm: Codable, Equatable {
    enum Kind: String, Codable { case attribute, composite, relationship }

    /// An initial value of a plain attribute. Such values do not count in comparisons: `Date()` differs each time.
    enum DefaultValue: Codable, Equatable {
        case bool(Bool), integer(Int64), double(Double), decimal(Decimal), string(String)
        case date(Date), data(Data), uuid(UUID), url(URL)

        static func == (lhs: DefaultValue, rhs: DefaultValue) -> Bool { true }
    }

    let kind: Kind
    let name: String
    let originalName: String
    /// The declared type as text.
    let type: String
    let isOptional: Bool
    let options: [String]
    let hashModifier: String?
    /// The number of the attribute type in which the store keeps the value.
    private(set) var storage: UInt?
    private(set) var defaultValue: DefaultValue?
    private(set) var enumeration: Schema.CompositeAttribute.Enumeration?
    private(set) var elements: [PropertyForm]?
    private(set) var deleteRule: Schema.Relationship.DeleteRule?
    private(set) var minimumModelCount: Int?
    private(set) var maximumModelCount: Int?
    private(set) var destination: String?
    private(set) var inverse: String?

    /// - Parameter property: An attribute or a relationship; the result is nil for anything else.
    init?(_ property: any SchemaProperty) {
        if let attribute = property as? Schema.Attribute {
            self.init(attribute)
        } else if let relationship = property as? Schema.Relationship {
            self.init(relationship)
        } else {
            return nil
        }
    }

    init(_ attribute: Schema.Attribute) {
        let composite = attribute as? Schema.CompositeAttribute
        kind = composite == nil ? .attribute : .composite
        name = attribute.name
        originalName = attribute.originalName
        type = NamedTypes.name(of: attribute.valueType)
        isOptional = attribute.isOptional
        options = attribute.options.map(\.text)
        hashModifier = attribute.hashModifier
        if case .scalar(let type) = attribute.kind { storage = type.rawValue }
        if composite == nil { defaultValue = DefaultValue(attribute.defaultValue) }
        enumeration = composite?.enumeration
        elements = composite?.properties.map { PropertyForm($0) }
    }

    init(_ relationship: Schema.Relationship) {
        kind = .relationship
        name = relationship.name
        originalName = relationship.originalName
        type = NamedTypes.name(of: relationship.valueType)
        isOptional = relationship.isOptional
        options = relationship.options.map(\.text)
        hashModifier = relationship.hashModifier
        deleteRule = relationship.deleteRule
        minimumModelCount = relationship.minimumModelCount
        maximumModelCount = relationship.maximumModelCount
        destination = relationship.destination
        inverse = relationship.inverseName
    }

    func property() throws -> any SchemaProperty {
        switch kind {
        case .attribute: try Schema.Attribute(form: self)
        case .composite: try Schema.CompositeAttribute(form: self)
        case .relationship: try Schema.Relationship(form: self)
        }
    }

    /// The declared type; for a type that the program does not have, that of the stored bytes, or `Any`.
    var valueType: any Any.Type {
        if let known = NamedTypes.type(named: type) { return known }
        switch kind {
        case .composite: return isOptional ? Any?.self : Any.self
        case .attribute:
            let type = storage.flatMap { NSAttributeType(rawValue: $0) }.flatMap { ValueKind.plainType(of: $0) }
            return isOptional ? CompositeShape.optional(type ?? Data.self) : type ?? Data.self
        case .relationship:
            if type.contains("Array<") { return isOptional ? [Any]?.self : [Any].self }
            return isOptional ? Any?.self : Any.self
        }
    }

    /// The options.
    ///
    /// - Throws: A `DecodingError` for a text that is none.
    func decoded<Option>(_ option: (String) -> Option?) throws -> [Option] {
        try options.map { text in
            if let known = option(text) { return known }
            throw unreadable("there is no option '\(text)'")
        }
    }

    func unreadable(_ text: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "property '\(name)': \(text)"))
    }
}

extension PropertyForm.DefaultValue {
    /// - Parameter value: An initial value; the result is nil if no plain attribute has it.
    init?(_ value: Any?) {
        var value = value
        if let optional = value as? any OptionalType { value = optional.anyWrapped }
        switch value {
        case let value as Bool: self = .bool(value)
        case let value as any BinaryInteger: self = .integer(Int64(truncatingIfNeeded: value))
        case let value as any BinaryFloatingPoint: self = .double(Double(value))
        case let value as Decimal: self = .decimal(value)
        case let value as String: self = .string(value)
        case let value as Date: self = .date(value)
        case let value as Data: self = .data(value)
        case let value as UUID: self = .uuid(value)
        case let value as URL: self = .url(value)
        default: return nil
        }
    }

    var value: Any {
        switch self {
        case .bool(let value): value
        case .integer(let value): value
        case .double(let value): value
        case .decimal(let value): value
        case .string(let value): value
        case .date(let value): value
        case .data(let value): value
        case .uuid(let value): value
        case .url(let value): value
        }
    }
}

/// Types by their names, for the forms of schemas: the plain ones, and those that forms of this program have had.
private enum NamedTypes {
    private static let known = Locked<[String: any Any.Type]>(
        {
            var all: [String: any Any.Type] = [:]
            func add<Value>(_ type: Value.Type) {
                for one in [Value.self, Value?.self, [Value].self, [Value]?.self] as [any Any.Type] {
                    all[String(reflecting: one)] = one
                }
            }
            for type in ValueKind.plainTypes { _openExistential(type, do: add) }
            return all
        }())

    static func name(of type: any Any.Type) -> String {
        let name = String(reflecting: type)
        known.withLock { $0[name] = type }
        return name
    }

    static func type(named name: String) -> (any Any.Type)? { known.withLock { $0[name] } }
}
