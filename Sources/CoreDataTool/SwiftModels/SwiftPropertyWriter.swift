import CoreData

/// Writes the properties of one class.
struct SwiftPropertyWriter {
    private let entity: NSEntityDescription
    private let types: SwiftTypeNames
    private let uniqueness: SwiftUniqueness
    private let composites: SwiftCompositeWriter
    private var siblings: Set<String> = []
    private(set) var notes: [SwiftModelNote] = []
    /// The declarations of the types of composite attributes.
    private(set) var nestedTypes: [[String]] = []
    private(set) var transformers: Set<String> = []

    init(
        _ entity: NSEntityDescription, types: SwiftTypeNames, rawValues: RawValues, uniqueness: SwiftUniqueness
    ) {
        self.entity = entity
        self.types = types
        self.uniqueness = uniqueness
        composites = SwiftCompositeWriter(types: types, rawValues: rawValues, entity: entity.name ?? "")
    }

    /// The properties by name. Of one that SwiftData does not have there are comments alone.
    mutating func properties() throws -> [SwiftProperty] {
        var result: [SwiftProperty] = []
        for property in entity.ownProperties.sorted(by: { $0.name < $1.name }) {
            let start = notes.count
            var written: SwiftProperty?
            switch property {
            case let relationship as NSRelationshipDescription: written = self.relationship(relationship)
            case let attribute as NSAttributeDescription: written = try self.attribute(attribute)
            default: note(property, "a fetched property, which SwiftData does not have")
            }
            if !property.validationPredicates.isEmpty, property is NSAttributeDescription, written != nil {
                note(property, "its validation is left out", changesHash: false)
            }
            var shown = written ?? SwiftProperty(name: property.name, type: nil)
            shown.comments = notes[start...].map(\.comment)
            result.append(shown)
        }
        return result
    }

    private mutating func note(_ property: NSPropertyDescription, _ reason: String, changesHash: Bool? = nil) {
        let place = "\(entity.name ?? "").\(property.name)"
        notes.append(SwiftModelNote(place, reason, changesHash: changesHash ?? !property.isTransient))
    }

    // MARK: Attributes

    private mutating func attribute(_ attribute: NSAttributeDescription) throws -> SwiftProperty? {
        if let derived = attribute as? NSDerivedAttributeDescription {
            note(
                attribute, "derived by \(derived.derivationExpression?.description ?? ""), which SwiftData does not do")
            return nil
        }
        if let composite = attribute as? NSCompositeAttributeDescription { return try self.composite(composite) }
        if attribute.attributeType == .transformableAttributeType { return transformable(attribute) }
        guard let type = types.name(of: attribute.attributeType) else {
            note(attribute, "its type is none that SwiftData has")
            return nil
        }
        let isOptional = attribute.isOptional || attribute.isTransient
        var initial = SwiftLiteral.value(attribute.defaultValue, of: attribute.attributeType, named: type)
        // SwiftData archives what a class's initial value was at that moment, and most of them are `Date()`.
        if initial != nil, attribute.attributeType == .dateAttributeType, isOfSwiftData { initial = "\(type)()" }
        return SwiftProperty(
            name: attribute.name, type: type + (isOptional ? "?" : ""), attribute: words(attribute), initial: initial)
    }

    /// Whether SwiftData has made the model.
    private var isOfSwiftData: Bool { entity.managedObjectModel.configurations == ["default"] }

    private mutating func composite(_ composite: NSCompositeAttributeDescription) throws -> SwiftProperty? {
        guard !composite.isTransient else {
            note(composite, "a transient composite attribute is left out")
            return nil
        }
        do {
            let written = try composites.write(composite, at: [composite.name], among: &siblings)
            nestedTypes.append(written.lines)
            if let text = written.note { note(composite, text, changesHash: false) }
            // All fields of an optional structure are optional in the store.
            let isOptional = composite.isOptional && composite.leaves.allSatisfy(\.attribute.isOptional)
            if composite.isOptional, !isOptional {
                note(
                    composite, "it is optional and has elements that are not, so a row without it stops the program",
                    changesHash: false)
            }
            return SwiftProperty(
                name: composite.name, type: written.name + (isOptional ? "?" : ""), attribute: words(composite))
        } catch let error as SwiftCompositeWriter.Unexpressed {
            note(composite, error.reason)
            return nil
        }
    }

    private static let secure = NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue

    private mutating func transformable(_ attribute: NSAttributeDescription) -> SwiftProperty? {
        guard !attribute.isTransient else {
            note(attribute, "a transient value of an unknown type is left out")
            return nil
        }
        let end = attribute.isOptional ? "?" : ""
        let name = attribute.valueTransformerName
        if name == Self.secure, let type = types.collection(attribute.attributeValueClassName) {
            // A dictionary would be JSON.
            let options = type.contains(":") ? [".transformable(by: \(SwiftLiteral.text(Self.secure)))"] : []
            return SwiftProperty(name: attribute.name, type: type + end, attribute: words(attribute, options))
        }
        let isClass = name.map { SwiftLiteral.isIdentifier($0) && !$0.hasPrefix("NS") && !types.classes.contains($0) }
        let transformer = isClass == true ? name ?? "" : SwiftStoredBytes.transformer
        transformers.insert(transformer)
        note(attribute, "the values of \(name ?? "a keyed archive") are bytes here", changesHash: false)
        return SwiftProperty(
            name: attribute.name, type: SwiftStoredBytes.type + end,
            attribute: words(attribute, [".transformable(by: \(transformer).self)"]))
    }

    /// The attribute `@Attribute`; nil if it would say nothing.
    private func words(_ attribute: NSAttributeDescription, _ options: [String] = []) -> String? {
        var words = options
        if uniqueness.properties.contains(attribute.name) { words.insert(".unique", at: 0) }
        if attribute.isTransient { words.append(".ephemeral") }
        if attribute.allowsExternalBinaryDataStorage { words.append(".externalStorage") }
        if attribute.preservesValueInHistoryOnDeletion { words.append(".preserveValueOnDeletion") }
        words += commonWords(attribute)
        return words.isEmpty ? nil : "@Attribute(\(words.joined(separator: ", ")))"
    }

    private func commonWords(_ property: NSPropertyDescription) -> [String] {
        var words: [String] = []
        if let former = property.renamingIdentifier, former != property.name {
            words.append("originalName: \(SwiftLiteral.text(former))")
        }
        if let modifier = property.versionHashModifier, !modifier.isEmpty {
            words.append("hashModifier: \(SwiftLiteral.text(modifier))")
        }
        return words
    }

    // MARK: Relationships

    private mutating func relationship(_ relationship: NSRelationshipDescription) -> SwiftProperty? {
        guard !relationship.isTransient, let destination = relationship.destinationEntity?.name else {
            note(relationship, "a transient relationship is left out")
            return nil
        }
        let inverse = relationship.inverseRelationship
        if inverse === relationship {
            guard !relationship.isToMany else {
                note(relationship, "it is its own inverse, and no relationship to many models of SwiftData is")
                return nil
            }
            note(relationship, "it is its own inverse, which SwiftData does not know", changesHash: false)
        }
        if relationship.isOrdered { note(relationship, "it is ordered, and no relationship of SwiftData is") }
        let isMutual = inverse?.inverseRelationship === relationship
        if inverse != nil, !isMutual { note(relationship, "its inverse has another inverse") }
        let named = isMutual && inverse !== relationship ? inverse : nil
        let model = SwiftLiteral.name(destination)
        let type = relationship.isToMany ? "[\(model)]" : model
        return SwiftProperty(
            name: relationship.name, type: type + (relationship.isOptional ? "?" : ""),
            attribute: words(relationship, named),
            initial: relationship.isToMany && !relationship.isOptional ? "[]" : nil)
    }

    /// The attribute `@Relationship`; nil for the other side of one that names its inverse.
    private func words(_ relationship: NSRelationshipDescription, _ inverse: NSRelationshipDescription?) -> String? {
        var words = uniqueness.properties.contains(relationship.name) ? [".unique"] : []
        switch relationship.deleteRule {
        case .cascadeDeleteRule: words.append("deleteRule: .cascade")
        case .denyDeleteRule: words.append("deleteRule: .deny")
        case .noActionDeleteRule: words.append("deleteRule: .noAction")
        default: break
        }
        if relationship.minCount != 0 { words.append("minimumModelCount: \(relationship.minCount)") }
        if relationship.isToMany, relationship.maxCount != 0 {
            words.append("maximumModelCount: \(relationship.maxCount)")
        }
        var common = commonWords(relationship)
        if let inverse, Self.names(relationship, before: inverse) {
            let path = "\\\(SwiftLiteral.name(inverse.entity.name ?? "")).\(SwiftLiteral.name(inverse.name))"
            let place = common.first?.hasPrefix("originalName") == true ? 1 : 0
            common.insert("inverse: \(path)", at: place)
        }
        words += common
        if words.isEmpty { return inverse == nil ? "@Relationship" : nil }
        return "@Relationship(\(words.joined(separator: ", ")))"
    }

    /// Whether a relationship names its inverse, and not the other way round: both would be a circle for the compiler.
    private static func names(_ one: NSRelationshipDescription, before other: NSRelationshipDescription) -> Bool {
        if one.isToMany != other.isToMany { return one.isToMany }
        return (one.entity.name ?? "", one.name) < (other.entity.name ?? "", other.name)
    }
}
