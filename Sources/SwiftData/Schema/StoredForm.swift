import CoreData
import Foundation

/// The form in which a store keeps the values of a property, where the rule for it is not settled.
struct StoredForm {
    private let type: any Any.Type
    private let stored: NSAttributeDescription

    /// - Parameters:
    ///   - type: The declared type of the property.
    ///   - stored: The attribute in the store's model.
    init(_ type: any Any.Type, _ stored: NSAttributeDescription) {
        self.type = type
        self.stored = stored
    }

    /// A new attribute in the store's form, with everything else of the schema's one; nil if the store's form cannot
    /// have values of the type.
    func description(like own: NSAttributeDescription) -> NSAttributeDescription? {
        guard let new = attribute(like: own) else { return nil }
        new.name = own.name
        new.renamingIdentifier = own.renamingIdentifier
        new.versionHashModifier = own.versionHashModifier
        new.isOptional = own.isOptional
        new.isTransient = own.isTransient
        new.preservesValueInHistoryOnDeletion = own.preservesValueInHistoryOnDeletion
        new.allowsExternalBinaryDataStorage = own.allowsExternalBinaryDataStorage
        return new
    }

    private func attribute(like own: NSAttributeDescription) -> NSAttributeDescription? {
        let kind = ValueKind.of(type)
        if let composite = stored as? NSCompositeAttributeDescription { return self.composite(composite, kind) }
        let new = NSAttributeDescription()
        new.attributeType = stored.attributeType
        switch (kind, stored.attributeType) {
        case (.scalar(let scalar), let width) where Self.integers.contains(scalar) && Self.integers.contains(width):
            new.defaultValue = own.defaultValue
        case (.rawEnumeration(let raw), let type) where raw == type: break
        case (.archive, .binaryDataAttributeType), (.json, .binaryDataAttributeType),
            (.structure, .binaryDataAttributeType), (.enumeration, .binaryDataAttributeType):
            guard !isOfProgram(own) else { return nil }
        case (.archive, .transformableAttributeType), (.json, .transformableAttributeType),
            (.structure, .transformableAttributeType), (.enumeration, .transformableAttributeType):
            // A file does not choose the code that reads it: neither a transformer nor a class.
            guard !isOfProgram(own), stored.valueTransformerName == Self.secureTransformer else { return nil }
            new.valueTransformerName = Self.secureTransformer
        default: return nil
        }
        return new
    }

    /// A composite attribute for a type that the schema keeps otherwise, or with another type for a case's payload.
    private func composite(_ stored: NSCompositeAttributeDescription, _ kind: ValueKind) -> NSAttributeDescription? {
        guard CompositeShape(kind) != nil,
            let own = try? ModelBuilder.composite(Schema.CompositeAttribute(name: stored.name, valueType: type))
        else { return nil }
        guard case .enumeration = kind else { return own }
        // The JSON of a payload may be bytes or a text.
        for element in own.elements where element.attributeType == .binaryDataAttributeType {
            let other = stored.elements.first { $0.name == element.name }
            if other?.attributeType == .stringAttributeType { element.attributeType = .stringAttributeType }
        }
        return own
    }

    /// Whether a transformer of the program makes the bytes.
    private func isOfProgram(_ own: NSAttributeDescription) -> Bool {
        own.attributeType == .transformableAttributeType && own.valueTransformerName != Self.secureTransformer
    }

    private static let secureTransformer = NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue
    private static let integers: [NSAttributeType] = [
        .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
    ]
}
