import CoreData
import Foundation

extension Schema {
    /// An attribute that is made of several: a structure or an enumeration.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/compositeattribute)
    public final class CompositeAttribute: Attribute {
        /// The attributes of which it is made.
        ///
        /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/compositeattribute/properties)
        public var properties: [Attribute]
        /// Whether it is an enumeration, and how it is kept.
        let enumeration: Enumeration?

        /// How an enumeration is kept.
        enum Enumeration: String, Codable {
            /// The one attribute has the raw value.
            case rawValue
            /// The attribute of the present case has the case's name or its payload.
            case cases
        }

        /// Creates an attribute with those of its type's fields or cases.
        ///
        /// - Parameters:
        ///   - name: The name.
        ///   - originalName: The name in the version before.
        ///   - options: The options.
        ///   - valueType: The declared type. For a type that is no structure or enumeration set ``properties``.
        ///   - defaultValue: The initial value.
        ///   - hashModifier: A text that changes the version hash.
        ///
        /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/compositeattribute/init(name:originalname:options:valuetype:defaultvalue:hashmodifier:))
        public required init(
            name: String, originalName: String? = nil, options: [Option] = [], valueType: any Any.Type,
            defaultValue: Any? = nil, hashModifier: String? = nil
        ) {
            let shape = CompositeShape(ValueKind.of(valueType))
            enumeration = shape?.enumeration
            properties = shape?.properties(of: name, isOptional: valueType is any OptionalType.Type) ?? []
            super.init(
                name: name, originalName: originalName, options: options, valueType: valueType,
                defaultValue: defaultValue, hashModifier: hashModifier)
        }

        required init(form: PropertyForm) throws {
            enumeration = form.enumeration
            properties = try (form.elements ?? []).map { element in
                guard let attribute = try element.property() as? Attribute else {
                    throw element.unreadable("a part of a composite attribute is a relationship")
                }
                return attribute
            }
            try super.init(form: form)
        }

        /// Decodes an attribute with its attributes.
        ///
        /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/compositeattribute/init(from:))
        public required convenience init(from decoder: any Decoder) throws {
            try self.init(form: PropertyForm(from: decoder))
        }

        /// Encodes the attribute with its attributes.
        ///
        /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/compositeattribute/encode(to:))
        public override func encode(to encoder: any Encoder) throws { try super.encode(to: encoder) }

        /// The name, the declared type, and the attributes of which it is made.
        ///
        /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/compositeattribute/debugdescription)
        public override var debugDescription: String {
            "\(Self.self)(\(name): \(valueType), \(properties.map(\.debugDescription).joined(separator: ", ")))"
        }

        /// Whether two attributes are equal, with those of which they are made. Initial values do not count.
        ///
        /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/compositeattribute/==(_:_:))
        public static func == (lhs: CompositeAttribute, rhs: CompositeAttribute) -> Bool {
            lhs as Attribute == rhs as Attribute && lhs.properties == rhs.properties
        }
    }
}

/// The attributes of which a structure or an enumeration is made.
struct CompositeShape {
    private struct Element {
        let name: String
        let type: any Any.Type
        var options: [Schema.Attribute.Option] = []
    }

    private let elements: [Element]?
    private let raw: (any Any.Type)?
    let enumeration: Schema.CompositeAttribute.Enumeration?

    /// - Parameter kind: The kind of a type. The result is nil if one attribute keeps its values.
    init?(_ kind: ValueKind) {
        switch kind {
        case .rawEnumeration(let type):
            (elements, raw, enumeration) = (nil, ValueKind.plainType(of: type), .rawValue)
        case .enumeration(let cases):
            elements = cases.map { Element(name: $0.name, type: $0.hasPayload ? Data.self : String.self) }
            (raw, enumeration) = (nil, .cases)
        case .structure(let fields):
            elements = fields.map { field in
                // A list in a structure is JSON, not an archive.
                if case .json = field.kind { return Element(name: field.name, type: field.type, options: [.codable]) }
                return Element(name: field.name, type: field.type)
            }
            (raw, enumeration) = (nil, nil)
        case .scalar, .archive, .json, .none: return nil
        }
    }

    /// The attributes. Those of an enumeration are optional, and so are all if the composite is.
    ///
    /// - Parameter name: The name of the composite, which the one attribute of an enumeration with raw values has.
    func properties(of name: String, isOptional: Bool) -> [Schema.Attribute] {
        let all = elements ?? [Element(name: name, type: raw ?? String.self)]
        return all.map { element in
            let type = isOptional || enumeration != nil ? Self.optional(element.type) : element.type
            let isComposite = CompositeShape(ValueKind.of(element.type, with: element.options)) != nil
            let kind = isComposite ? Schema.CompositeAttribute.self : Schema.Attribute.self
            return kind.init(name: element.name, options: element.options, valueType: type)
        }
    }

    static func optional(_ type: any Any.Type) -> any Any.Type {
        func open<Value>(_ type: Value.Type) -> any Any.Type { Value?.self }
        return type is any OptionalType.Type ? type : _openExistential(type, do: open)
    }
}
