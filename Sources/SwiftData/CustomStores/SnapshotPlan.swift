import CoreData
import Foundation

/// The properties of a class whose values a snapshot has.
final class SnapshotPlan: Sendable {
    let properties: [Property]

    /// The plans of the classes of the container for which a store works, by the names of the entities.
    @TaskLocal static var present: [String: SnapshotPlan]?

    /// A property.
    struct Property: @unchecked Sendable {  // immutable
        let name: String
        /// The declared type.
        let valueType: any Any.Type
        /// Nil for an attribute.
        let relationship: RelationshipShape?
        /// The type of the value in a snapshot.
        let codedType: any Codable.Type
        let isOptional: Bool
        let defaultValue: Any?
    }

    private init(_ properties: [Property]) { self.properties = properties }

    /// The plan of a class, whose values can be encoded.
    static func of(_ type: ModelType) -> SnapshotPlan {
        let known = type.plan(named: "(snapshot)") { (try? SnapshotPlan(type)) ?? SnapshotPlan([]) }
        return unsafeDowncast(known, to: SnapshotPlan.self)
    }

    /// - Throws: A `SwiftDataError` that names a property whose value cannot be encoded.
    init(_ type: ModelType) throws {
        var found: [Property] = []
        var next: (any PersistentModel.Type)? = type.type
        while let present = next {
            for metadata in present.schemaMetadata {
                guard let keyPath = metadata.keypath, let stored = type.entity.propertiesByName[metadata.name],
                    !stored.isTransient
                else { continue }
                let valueType = Swift.type(of: keyPath).valueType
                let wrapped = (valueType as? any OptionalType.Type)?.wrappedType
                let shape = RelationshipShape(valueType)
                let coded: Any.Type =
                    switch shape {
                    case .some(let shape): shape.isToMany ? [PersistentIdentifier].self : PersistentIdentifier.self
                    case nil: wrapped ?? valueType
                    }
                guard let coded = coded as? any Codable.Type else {
                    throw SwiftDataError.loadIssueModelContainer.because(
                        "\(present).\(metadata.name) is a \(valueType), which is not Codable; a store of a program "
                            + "cannot have it")
                }
                let value = metadata.defaultValue.flatMap { ($0 as? any OptionalType).map(\.anyWrapped) ?? $0 }
                found.append(
                    Property(
                        name: metadata.name, valueType: valueType, relationship: shape, codedType: coded,
                        isOptional: wrapped != nil, defaultValue: value))
            }
            next = _getSuperclass(present) as? any PersistentModel.Type
        }
        properties = found
    }
}

extension SnapshotPlan.Property {
    /// The value of a core; nil if it is nil.
    func read(_ core: _ModelCore) -> (any Codable)? {
        let slot = _Slot(name)
        if let relationship {
            func identifier(_ object: NSManagedObject) -> PersistentIdentifier {
                PersistentIdentifier(inSnapshot: object.objectID)
            }
            if relationship.isToMany { return core.toMany(slot.managed).map(identifier) }
            return core.toOne(slot.managed).map(identifier)
        }
        func value<Value>(_ type: Value.Type) -> Any {
            let value: Value = slot.value(of: core, core)
            return value
        }
        let read = _openExistential(valueType, do: value)
        return ((read as? any OptionalType).map(\.anyWrapped) ?? read) as? any Codable
    }

    /// Gives a core an attribute's value.
    ///
    /// - Returns: Whether the value has the property's type.
    func write(_ value: Any, to core: _ModelCore) -> Bool {
        func write<Value>(_ type: Value.Type) -> Bool {
            guard let value = value as? Value else { return false }
            _Slot(name).set(value, of: core, core)
            return true
        }
        return _openExistential(valueType, do: write)
    }
}
