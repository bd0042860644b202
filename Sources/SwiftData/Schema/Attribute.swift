import CoreData
import Foundation

extension Schema {
    /// An attribute of an entity.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/attribute)
    public class Attribute: SchemaProperty, Codable, CustomDebugStringConvertible {
        /// The name.
        public var name: String
        /// The name in the version before; the name itself unless given.
        public var originalName: String
        /// The options.
        public var options: [Option]
        /// The declared type.
        public var valueType: any Any.Type
        /// The initial value of the property.
        public var defaultValue: Any?
        /// A text that changes the version hash.
        public var hashModifier: String?

        /// Creates what `@Attribute` describes. The schema adds the name and the type.
        ///
        /// - Parameters:
        ///   - options: The options.
        ///   - originalName: The name in the version before.
        ///   - hashModifier: A text that changes the version hash.
        ///
        /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/attribute/init(_:originalname:hashmodifier:))
        public convenience init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
            self.init(
                name: "", originalName: originalName, options: options, valueType: Any.self, hashModifier: hashModifier)
        }

        /// Creates an attribute.
        ///
        /// - Parameters:
        ///   - name: The name.
        ///   - originalName: The name in the version before.
        ///   - options: The options.
        ///   - valueType: The declared type.
        ///   - defaultValue: The initial value.
        ///   - hashModifier: A text that changes the version hash.
        ///
        /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/attribute/init(name:originalname:options:valuetype:defaultvalue:hashmodifier:))
        public required init(
            name: String, originalName: String? = nil, options: [Option] = [], valueType: any Any.Type,
            defaultValue: Any? = nil, hashModifier: String? = nil
        ) {
            self.name = name
            self.originalName = originalName ?? name
            self.options = options
            self.valueType = valueType
            self.defaultValue = defaultValue
            self.hashModifier = hashModifier
        }

        /// Creates an attribute of its form in a file. A type that the program does not have becomes that of the stored
        /// bytes.
        required init(form: PropertyForm) throws {
            name = form.name
            originalName = form.originalName
            options = try form.decoded(Option.init(text:))
            valueType = form.valueType
            defaultValue = form.defaultValue?.value
            hashModifier = form.hashModifier
        }

        /// Decodes an attribute. A type that the program does not have becomes that of the stored bytes.
        public required convenience init(from decoder: any Decoder) throws {
            try self.init(form: PropertyForm(from: decoder))
        }

        /// Encodes the attribute, with an initial value of a plain type.
        public func encode(to encoder: any Encoder) throws { try PropertyForm(self).encode(to: encoder) }

        /// True.
        public var isAttribute: Bool { true }
        /// Whether the option `.unique` is given.
        public var isUnique: Bool { options.contains(.unique) }
        /// Whether the option `.ephemeral` is given.
        public var isTransient: Bool { options.contains(.ephemeral) }
        /// Whether a value transformer makes the stored bytes.
        public var isTransformable: Bool { options.contains { $0.transformerName != nil } }
        /// Whether the option `.codable` is given.
        public var isCodable: Bool { options.contains(.codable) }
        /// The way in which a store keeps the values.
        var kind: ValueKind { ValueKind.of(valueType, with: options) }

        /// The name and the declared type.
        public var debugDescription: String { "\(Self.self)(\(name): \(valueType))" }

        /// Whether two attributes are equal. Their initial values do not count.
        public static func == (lhs: Attribute, rhs: Attribute) -> Bool {
            lhs === rhs || lhs.valueType == rhs.valueType && PropertyForm(lhs) == PropertyForm(rhs)
        }

        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }

        /// An option of `@Attribute`.
        ///
        /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/attribute/option)
        public struct Option: Hashable, Sendable {
            private enum Kind: Hashable {
                case unique, externalStorage, ephemeral, preserveValueOnDeletion, allowsCloudEncryption, spotlight
                case codable
                case transformable(String)
            }

            private let kind: Kind

            private init(kind: Kind) { self.kind = kind }

            /// No two models have the same value.
            public static var unique: Option { Option(kind: .unique) }
            /// Large data lies in files beside the store.
            public static var externalStorage: Option { Option(kind: .externalStorage) }
            /// The value is in memory only.
            public static var ephemeral: Option { Option(kind: .ephemeral) }
            /// The history keeps the value of a deleted model.
            public static var preserveValueOnDeletion: Option { Option(kind: .preserveValueOnDeletion) }
            /// Accepted and without effect: there is no CloudKit.
            public static var allowsCloudEncryption: Option { Option(kind: .allowsCloudEncryption) }
            /// Accepted and without effect: there is no Spotlight.
            public static var spotlight: Option { Option(kind: .spotlight) }

            /// The value is kept as JSON. A value of one attribute, such as a number or a raw value, stays as it is.
            public static var codable: Option { Option(kind: .codable) }

            /// A value transformer makes the stored bytes.
            ///
            /// - Parameter transformerType: The class, which is registered under its own name on the first use.
            /// - Returns: The option.
            public static func transformable(by transformerType: ValueTransformer.Type) -> Option {
                let name = NSValueTransformerName(String(describing: transformerType))
                if ValueTransformer(forName: name) == nil {
                    ValueTransformer.setValueTransformer(transformerType.init(), forName: name)
                }
                return Option(kind: .transformable(name.rawValue))
            }

            /// A value transformer makes the stored bytes.
            ///
            /// - Parameter transformerName: The name under which it is registered.
            /// - Returns: The option.
            public static func transformable(by transformerName: String) -> Option {
                Option(kind: .transformable(transformerName))
            }

            var transformerName: String? {
                if case .transformable(let name) = kind { name } else { nil }
            }

            // MARK: As text

            private static let byText: [String: Option] = [
                "unique": .unique, "externalStorage": .externalStorage, "ephemeral": .ephemeral,
                "preserveValueOnDeletion": .preserveValueOnDeletion,
                "allowsCloudEncryption": .allowsCloudEncryption, "spotlight": .spotlight, "codable": .codable,
            ]

            /// The option of a text; nil if no option has it.
            init?(text: String) {
                if let option = Self.byText[text] {
                    self = option
                } else if text.hasPrefix("transformable:") {
                    self = .transformable(by: String(text.dropFirst("transformable:".count)))
                } else {
                    return nil
                }
            }

            /// The option as text.
            var text: String {
                transformerName.map { "transformable:\($0)" } ?? Self.byText.first { $0.value == self }?.key ?? ""
            }
        }
    }
}

extension ValueKind {
    /// The kind of a type, with the options of its attribute.
    static func of(_ type: any Any.Type, with options: [Schema.Attribute.Option]) -> ValueKind {
        if options.contains(where: { $0.transformerName != nil }) { return .archive }
        let kind = of(type)
        guard options.contains(.codable) else { return kind }
        switch kind {
        case .scalar, .rawEnumeration, .json: return kind
        case .archive, .enumeration, .structure: return .json
        case .none:
            let type = (type as? any OptionalType.Type)?.wrappedType ?? type
            return type is any Decodable.Type && type is any Encodable.Type ? .json : kind
        }
    }
}
