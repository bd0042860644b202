import CoreData
import Foundation

extension NSManagedObjectModel {
    /// A copy without the classes and transformers of the program, which this process does not have. Its version hashes
    /// are the same. Transient values belong to the program, too, so none is mandatory.
    ///
    /// - Parameter className: the class of all objects; nil for `NSManagedObject`.
    package func plain(class className: String? = nil) -> NSManagedObjectModel {
        RawTransformer.register()
        guard let plain = copy() as? NSManagedObjectModel else { return self }
        for entity in plain.entities {
            entity.managedObjectClassName = className
            for property in entity.properties where property.isTransient { property.isOptional = true }
            for attribute in entity.attributesByName.values { RawTransformer.take(over: attribute) }
        }
        return plain
    }

    /// A copy as `plain` makes it, for objects that are written as they are. Saves do not validate, and setting one
    /// side of a link between two objects does not set the other one. Each side has a column of its own, and in real
    /// stores the two sides may contradict each other.
    func loose() -> NSManagedObjectModel {
        let loose = plain(class: NSStringFromClass(TransferredObject.self))
        let alone = loose.entities.flatMap(\.relationshipsByName.values)
            .filter { !$0.isToMany && $0.inverseRelationship?.isToMany == false }
        for relationship in alone { relationship.inverseRelationship = nil }
        return loose
    }
}

/// An object of a store that is being made. Its values come from a store, so they are not validated.
final class TransferredObject: NSManagedObject {
    override func validateForInsert() throws {}
    override func validateForUpdate() throws {}
}

/// A transformer that returns the bytes of a transformable attribute, so that no class of the store's program is
/// needed, and no class that an archive names is instantiated.
final class RawTransformer: ValueTransformer {
    static let name = "OpenCoreDataToolRawTransformer"

    /// Makes a transformable attribute, or the elements of a composite one, keep the bytes as they are.
    fileprivate static func take(over attribute: NSAttributeDescription) {
        if let composite = attribute as? NSCompositeAttributeDescription { composite.elements.forEach(take) }
        guard attribute.attributeType == .transformableAttributeType else { return }
        attribute.valueTransformerName = name
        attribute.attributeValueClassName = nil
    }

    static func register() {
        ValueTransformer.setValueTransformer(RawTransformer(), forName: NSValueTransformerName(rawValue: name))
    }

    override class func allowsReverseTransformation() -> Bool { true }
    override class func transformedValueClass() -> AnyClass { NSData.self }
    override func transformedValue(_ value: Any?) -> Any? { value }
    override func reverseTransformedValue(_ value: Any?) -> Any? { value }
}
