import CoreData
import Foundation

extension Schema {
    /// An attribute of an entity.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/attribute)
    public class Attribute: SchemaProperty {
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
        public init(
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

        /// True.
        public var isAttribute: Bool { true }
        /// Whether the option `.unique` is given.
        public var isUnique: Bool { options.contains(.unique) }
        /// Whether the option `.ephemeral` is given.
        public var isTransient: Bool { options.contains(.ephemeral) }
        /// Whether a value transformer makes the stored bytes.
        public var isTransformable: Bool { options.contains { $0.transformerName != nil } }

        /// Whether two attributes are the same object.
        public static func == (lhs: Attribute, rhs: Attribute) -> Bool { lhs === rhs }
        /// Hashes the object's identity.
        public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

        /// An option of `@Attribute`.
        ///
        /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/attribute/option)
        public struct Option: Hashable, Sendable {
            private enum Kind: Hashable {
                case unique, externalStorage, ephemeral, preserveValueOnDeletion, allowsCloudEncryption, spotlight
                case transformable(String)
            }

            private let kind: Kind

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
        }
    }

    /// An attribute that is made of several: a structure or an enumeration.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/compositeattribute)
    public final class CompositeAttribute: Attribute {
        /// The attributes of which it is made.
        public var properties: [Attribute] = []
    }
}
