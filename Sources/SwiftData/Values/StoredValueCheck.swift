import CoreData
import Foundation

extension PersistentModel {
    /// Checks that the values in the store can be read as the types of the properties.
    ///
    /// Reading a value that is no value of its property's type gives the property's default. Without a default it stops
    /// the process. This call throws an error in both cases. Use it for the models of a file that another program
    /// wrote.
    ///
    /// OpenCoreData only.
    ///
    /// - Throws: `SwiftDataError.modelValidationFailure`, whose reason names the entity, the property, the identifier
    ///   and the value of each such property. The error of the store if the row cannot be read.
    public func validateStoredValues() throws {
        let core = presentCore
        let faults = try core.managedObjectContext?.readingFaults { core.unreadableValues } ?? core.unreadableValues
        if faults.isEmpty { return }
        throw SwiftDataError.modelValidationFailure.because(faults.joined(separator: "\n"))
    }
}

extension _ModelCore {
    /// Whether an attribute that is not optional has never got a value. A structure may have one without any field.
    var lacksValue: Bool {
        (modelType.schemaEntity?.properties ?? []).contains { property in
            guard let attribute = property as? Schema.Attribute, !attribute.isOptional, !attribute.isTransient,
                let description = entity.attributesByName[attribute.name]
            else { return false }
            if case .structure = ValueKind.of(attribute.valueType) { return false }
            func open<Value>(_ type: Value.Type) -> Bool {
                !ValuePlans.plan(of: type, at: attribute.name, description).isPresent(self)
            }
            return _openExistential(ModelBuilder.unwrapped(attribute.valueType), do: open)
        }
    }

    /// What is wrong with the values in the store, one text for each property.
    fileprivate var unreadableValues: [String] {
        (modelType.schemaEntity?.properties ?? []).compactMap { property in
            if let relationship = property as? Schema.Relationship { return missingModel(of: relationship) }
            return (property as? Schema.Attribute).flatMap { unreadableValue(of: $0) }
        }
    }

    private func missingModel(of relationship: Schema.Relationship) -> String? {
        guard relationship.isToOneRelationship, !relationship.isOptional,
            toOne(ManagedSlot(relationship.name)) == nil
        else { return nil }
        return unreadableValue(of: relationship.name, as: relationship.valueType)
    }

    private func unreadableValue(of attribute: Schema.Attribute) -> String? {
        guard let description = entity.attributesByName[attribute.name] else { return nil }
        func open<Value>(_ type: Value.Type) -> String? {
            let plan = ValuePlans.plan(of: type, at: attribute.name, description)
            if plan.read(self) != nil, holdsWhole(type, at: attribute.name) { return nil }
            let isMissing = !plan.isPresent(self)
            if isMissing, attribute.isOptional || attribute.isTransient { return nil }
            return unreadableValue(of: attribute.name, as: type)
        }
        return _openExistential(ModelBuilder.unwrapped(attribute.valueType), do: open)
    }

    /// Whether a stored number fits a type. Reading one that does not fit loses its high bits.
    private func holdsWhole(_ type: any Any.Type, at name: String) -> Bool {
        guard let type = type as? any FixedWidthInteger.Type, type.bitWidth < Int64.bitWidth,
            let stored = integer(ManagedSlot(name))
        else { return true }
        return type.init(exactly: stored) != nil
    }

    /// A sentence about a property whose value in the store is no value of its type.
    func unreadableValue(of name: String, as type: any Any.Type, holding raw: Any? = nil) -> String {
        let stored = raw ?? (entity.attributesByName[name] == nil ? nil : primitiveValue(forKey: name))
        // The one element of an enumeration has the name of the property.
        let value = (stored as? [String: Any])?[name] ?? stored
        let isMissing = value == nil || (value as? [String: Any])?.isEmpty == true
        let what =
            isMissing ? "has no value, and is not optional" : "holds \(Self.text(of: value)), which is no \(type)"
        return "Property '\(name)' of entity '\(entity.name ?? "")' of \(objectID.uriRepresentation()) \(what)"
    }

    /// A value of a store in few words, whatever it is.
    private static func text(of value: Any?) -> String {
        let text: String
        switch value {
        case let data as Data:
            let start = data.prefix(80)
            let shown = start.allSatisfy { (0x20..<0x7F).contains($0) } ? String(decoding: start, as: UTF8.self) : ""
            text = "\(data.count) bytes" + (shown.isEmpty ? "" : ": " + shown)
        case let fields as [String: Any]:
            text = fields.sorted { $0.key < $1.key }.map { "\($0.key): \(self.text(of: $0.value))" }
                .joined(separator: ", ")
        case let string as String: text = "\"\(string)\""
        default: text = value.map { "\($0)" } ?? "nil"
        }
        return text.count > 300 ? text.prefix(300) + "…" : text
    }
}
