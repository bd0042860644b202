import CoreData
import Foundation

extension Schema {
    /// A relationship of an entity.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/relationship)
    public final class Relationship: SchemaProperty, Codable, CustomDebugStringConvertible {
        /// The name.
        public var name = ""
        /// The name in the version before; the name itself unless given.
        public var originalName: String
        /// The options.
        public var options: [Option]
        /// The declared type.
        public var valueType: any Any.Type = Any.self
        /// What a deletion does with the models to which the relationship leads.
        public var deleteRule: DeleteRule
        /// The least number of models; nil and 0 are no limit.
        public var minimumModelCount: Int?
        /// The largest number of models; nil and 0 are no limit.
        public var maximumModelCount: Int?
        /// The entity to which the relationship leads.
        public var destination = ""
        /// The relationship that leads back.
        public var inverseName: String?
        /// The key path of the relationship that leads back, as the program has written it.
        public var inverseKeyPath: AnyKeyPath?
        /// The key path of the relationship.
        public var keypath: AnyKeyPath?
        /// A text that changes the version hash.
        public var hashModifier: String?
        /// Whether the program has written `@Relationship`.
        var isAnnotated = true
        /// Whether the inverse is one that several relationships name. One of them has it.
        var isContested = false

        /// Creates what `@Relationship` describes. The schema adds the name and the type.
        ///
        /// - Parameters:
        ///   - options: The options.
        ///   - deleteRule: What a deletion does with the models to which the relationship leads.
        ///   - minimumModelCount: The least number of models; nil and 0 are no limit.
        ///   - maximumModelCount: The largest number of models; nil and 0 are no limit.
        ///   - originalName: The name in the version before.
        ///   - inverse: The relationship that leads back.
        ///   - hashModifier: A text that changes the version hash.
        ///
        /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/relationship/init(_:deleterule:minimummodelcount:maximummodelcount:originalname:inverse:hashmodifier:))
        public init(
            _ options: Option..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0,
            maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
            hashModifier: String? = nil
        ) {
            self.options = options
            self.deleteRule = deleteRule
            self.minimumModelCount = minimumModelCount
            self.maximumModelCount = maximumModelCount
            self.originalName = originalName ?? ""
            inverseKeyPath = inverse
            self.hashModifier = hashModifier
        }

        init(form: PropertyForm) throws {
            name = form.name
            originalName = form.originalName
            options = try form.decoded(Option.init(text:))
            valueType = form.valueType
            deleteRule = form.deleteRule ?? .nullify
            minimumModelCount = form.minimumModelCount
            maximumModelCount = form.maximumModelCount
            destination = form.destination ?? ""
            inverseName = form.inverse
            hashModifier = form.hashModifier
        }

        /// Decodes a relationship.
        public convenience init(from decoder: any Decoder) throws {
            try self.init(form: PropertyForm(from: decoder))
        }

        /// Encodes the relationship.
        public func encode(to encoder: any Encoder) throws { try PropertyForm(self).encode(to: encoder) }

        /// True.
        public var isRelationship: Bool { true }
        /// Whether the option `.unique` is given.
        public var isUnique: Bool { options.contains(.unique) }
        /// Whether the relationship leads to one model at most.
        public var isToOneRelationship: Bool {
            if let shape = RelationshipShape(valueType) { return !shape.isToMany }
            let type = (valueType as? any OptionalType.Type)?.wrappedType ?? valueType
            return !(type is any Collection.Type)
        }

        /// The name and the entity to which the relationship leads.
        public var debugDescription: String { "Relationship(\(name): \(valueType) to \(destination))" }

        /// Whether two relationships are equal.
        public static func == (lhs: Relationship, rhs: Relationship) -> Bool {
            lhs === rhs || lhs.valueType == rhs.valueType && PropertyForm(lhs) == PropertyForm(rhs)
        }

        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }

        /// An option of `@Relationship`.
        ///
        /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/relationship/option)
        public struct Option: Hashable, Sendable {
            let text: String

            private init(_ text: String) { self.text = text }

            /// The option of a text; nil if no option has it.
            init?(text: String) {
                guard text == Self.unique.text else { return nil }
                self = .unique
            }

            /// No two models lead to the same one.
            public static var unique: Option { Option("unique") }
        }

        /// What a deletion does with the models to which a relationship leads.
        ///
        /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schema/relationship/deleterule-swift.enum)
        public enum DeleteRule: String, Codable, Hashable, Sendable {
            /// Nothing.
            case noAction
            /// The relationship that leads back is cleared.
            case nullify
            /// They are deleted, too.
            case cascade
            /// The deletion is refused as long as there are any.
            case deny

            var managed: NSDeleteRule {
                switch self {
                case .noAction: .noActionDeleteRule
                case .nullify: .nullifyDeleteRule
                case .cascade: .cascadeDeleteRule
                case .deny: .denyDeleteRule
                }
            }
        }
    }
}

/// The class to which a property of models leads, and whether it leads to many.
struct RelationshipShape {
    let destination: any PersistentModel.Type
    let isToMany: Bool
    let isOptional: Bool

    /// - Parameter type: The declared type of a property. The result is nil if it is not a model, an array of models,
    ///   or an optional of either.
    init?(_ type: any Any.Type) {
        var type = type
        isOptional = type is any OptionalType.Type
        if let optional = type as? any OptionalType.Type { type = optional.wrappedType }
        if let model = type as? any PersistentModel.Type {
            (destination, isToMany) = (model, false)
        } else if let list = type as? any RelationshipCollection.Type {
            (destination, isToMany) = (list.elementType, true)
        } else {
            return nil
        }
    }
}

/// A collection of models that a relationship can have.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/relationshipcollection)
public protocol RelationshipCollection {
    /// The class of the models.
    associatedtype PersistentElement: PersistentModel
}

extension RelationshipCollection {
    static var elementType: any PersistentModel.Type { PersistentElement.self }
}

extension Array: RelationshipCollection where Element: PersistentModel {
    /// The class of the models.
    public typealias PersistentElement = Element
}

extension Optional: RelationshipCollection where Wrapped: RelationshipCollection {
    /// The class of the models.
    public typealias PersistentElement = Wrapped.PersistentElement
}
