import CoreData
import Foundation

/// A property of an entity: an attribute or a relationship.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schemaproperty)
public protocol SchemaProperty: AnyObject, Hashable {
    /// The name.
    var name: String { get set }
    /// The name in the version before; the name itself unless given.
    var originalName: String { get set }
    /// The declared type.
    var valueType: any Any.Type { get set }
    /// Whether it is an attribute.
    var isAttribute: Bool { get }
    /// Whether it is a relationship.
    var isRelationship: Bool { get }
    /// Whether the file does not have it.
    var isTransient: Bool { get }
    /// Whether its value may be nil.
    var isOptional: Bool { get }
    /// Whether no two models may have the same value.
    var isUnique: Bool { get }
}

extension SchemaProperty {
    /// Whether the declared type is optional.
    public var isOptional: Bool { valueType is any OptionalType.Type }
    /// False unless the property is an attribute.
    public var isAttribute: Bool { false }
    /// False unless the property is a relationship.
    public var isRelationship: Bool { false }
    /// False unless the property is ephemeral.
    public var isTransient: Bool { false }
}

extension Schema {
    /// A property, as the macro describes it.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/propertymetadata)
    public struct PropertyMetadata {
        let name: String
        let keypath: AnyKeyPath?
        let defaultValue: Any?
        let metadata: (any SchemaProperty)?
        /// The key paths of `#Index` and `#Unique`.
        var indices: [(kind: String, keyPaths: [AnyKeyPath])] = []
        var constraints: [[AnyKeyPath]] = []

        /// Creates the description of a property.
        ///
        /// - Parameters:
        ///   - name: The name.
        ///   - keypath: The key path, from which the type is known.
        ///   - defaultValue: The initial value, or nil.
        ///   - metadata: What the program has written in `@Attribute` or `@Relationship`.
        ///
        /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/propertymetadata/init(name:keypath:defaultvalue:metadata:))
        public init(
            name: String, keypath: AnyKeyPath, defaultValue: Any? = nil, metadata: (any SchemaProperty)? = nil
        ) {
            self.name = name
            self.keypath = keypath
            self.defaultValue = defaultValue
            self.metadata = metadata
        }

        /// Creates the description of the indexes that `#Index` declares. The macro writes it.
        ///
        /// - Parameter index: The indexes.
        public init<Model: PersistentModel>(index: Schema.Index<Model>) {
            (name, keypath, defaultValue, metadata) = ("", nil, nil, nil)
            indices = index.indices.map { types in
                switch types {
                case .binary(let keyPaths): ("Binary", keyPaths)
                case .rtree(let keyPaths): ("RTree", keyPaths)
                }
            }
        }

        /// Creates the description of the constraints that `#Unique` declares. The macro writes it.
        ///
        /// - Parameter unique: The constraints.
        public init<Model: PersistentModel>(unique: Schema.Unique<Model>) {
            (name, keypath, defaultValue, metadata) = ("", nil, nil, nil)
            constraints = unique.constraints
        }
    }
}

/// An optional of unknown type.
protocol OptionalType {
    static var wrappedType: any Any.Type { get }
    var anyWrapped: Any? { get }
}

extension Optional: OptionalType {
    static var wrappedType: any Any.Type { Wrapped.self }
    var anyWrapped: Any? { self }
}
