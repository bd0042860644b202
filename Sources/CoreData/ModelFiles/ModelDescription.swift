import Foundation

/// A text file with versions of a model that is made in code: an XML element for each version, in the form of Xcode's
/// sources. It has what determines the tables of a store, and the names from which migrations begin.
package enum ModelDescription {
    /// The suffix of such files.
    package static let suffix = "modeldescription"

    /// The versions of a file, the oldest first. The last one is the current version.
    package static func versions(in data: Data, file: String) throws -> [(name: String, source: XMLTreeElement)] {
        let root: XMLTreeElement
        do {
            root = try XMLTreeElement.parse(data)
        } catch {
            throw modelError("line \(error.line): \(error.reason).", file: file)
        }
        let versions = root.children(named: "model")
        guard root.name == "modelDescription", !versions.isEmpty else {
            throw modelError(
                "line \(root.line): a description of models has <modelDescription> with at least one <model>.",
                file: file)
        }
        var names: Set<String> = []
        return try versions.map { version in
            guard let name = version.text("name"), names.insert(name).inserted else {
                throw modelError("line \(version.line): the version has no name of its own.", file: file)
            }
            return (name, version)
        }
    }

    /// The text of a file with these versions, the oldest first.
    package static func text(of versions: [(name: String, model: NSManagedObjectModel)]) -> String {
        var lines = XMLLines()
        lines.open("modelDescription")
        for (name, model) in versions {
            let identifiers = model.versionIdentifiers.map { "\($0.base)" }.sorted()
            lines.open(
                "model",
                [
                    ("name", name),
                    (
                        "userDefinedModelVersionIdentifier",
                        identifiers.isEmpty ? nil : identifiers.joined(separator: ", ")
                    ),
                ])
            for entity in model.entities.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) { lines.add(entity) }
            lines.close()
        }
        lines.close()
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + lines.text
    }
}

/// Lines of XML, one for each tag, indented by depth.
private struct XMLLines {
    private(set) var text = ""
    private var elements: [String] = []

    mutating func open(_ name: String, _ attributes: [(String, String?)] = []) {
        line("<\(name)\(Self.text(attributes))>")
        elements.append(name)
    }

    mutating func close() {
        guard let name = elements.popLast() else { return }
        line("</\(name)>")
    }

    mutating func add(_ name: String, _ attributes: [(String, String?)]) {
        line("<\(name)\(Self.text(attributes))/>")
    }

    private mutating func line(_ text: String) {
        self.text += String(repeating: " ", count: 4 * elements.count) + text + "\n"
    }

    private static func text(_ attributes: [(String, String?)]) -> String {
        attributes.compactMap { name, value in value.map { " \(name)=\"\(escaped($0))\"" } }.joined()
    }

    private static func escaped(_ text: String) -> String {
        text.escaping { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case "\"": "&quot;"
            case "\n", "\r", "\t": "&#\(scalar.value);"
            default: nil
            }
        }
    }
}

extension XMLLines {
    mutating func add(_ entity: NSEntityDescription) {
        let stored = entity.ownProperties.filter { !$0.isTransient }.sorted { $0.name < $1.name }
        for case let composite as NSCompositeAttributeDescription in stored {
            add(composite, named: "\(entity.name ?? "").\(composite.name)")
        }
        let className = entity.managedObjectClassName
        open(
            "entity",
            [
                ("name", entity.name ?? ""), ("representedClassName", className == "NSManagedObject" ? nil : className),
                ("parentEntity", entity.superentity?.name), ("isAbstract", entity.isAbstract ? "YES" : nil),
                ("versionHashModifier", entity.versionHashModifier),
                ("elementID", entity.renamingIdentifier == entity.name ? nil : entity.renamingIdentifier),
            ])
        for property in stored {
            switch property {
            case let attribute as NSAttributeDescription: add(attribute, of: "\(entity.name ?? "").\(attribute.name)")
            case let relationship as NSRelationshipDescription: add(relationship)
            default: continue
            }
        }
        for index in entity.listedIndexes where !isImplied(index, by: entity) { add(index) }
        addConstraints(entity.uniquenessConstraintNames)
        close()
    }

    /// Composite attributes have a name for their elements, at the level of entities.
    private mutating func add(_ composite: NSCompositeAttributeDescription, named name: String) {
        for case let inner as NSCompositeAttributeDescription in composite.elements {
            add(inner, named: "\(name).\(inner.name)")
        }
        open("composite", [("name", name)])
        for element in composite.elements { add(element, of: "\(name).\(element.name)") }
        close()
    }

    private func common(_ property: NSPropertyDescription) -> [(String, String?)] {
        [
            ("name", property.name), ("optional", property.isOptional ? "YES" : nil),
            ("versionHashModifier", property.versionHashModifier),
            ("elementID", property.renamingIdentifier == property.name ? nil : property.renamingIdentifier),
        ]
    }

    private mutating func add(_ attribute: NSAttributeDescription, of composite: String) {
        let derivation = (attribute as? NSDerivedAttributeDescription).map { Self.text(of: $0.derivationExpression) }
        let isTransformable = attribute.attributeType == .transformableAttributeType
        func flag(_ isSet: Bool) -> String? { isSet ? "YES" : nil }
        let form: [(String, String?)] = [
            ("attributeType", attribute.attributeType.readableName),
            ("composite", attribute is NSCompositeAttributeDescription ? composite : nil),
            ("derived", derivation == nil ? nil : "YES"), ("derivationExpression", derivation),
            ("valueTransformerName", attribute.valueTransformerName),
            ("customClassName", isTransformable ? attribute.attributeValueClassName : nil),
        ]
        let storage: [(String, String?)] = [
            ("allowsExternalBinaryDataStorage", flag(attribute.allowsExternalBinaryDataStorage)),
            ("preserveAfterDeletion", flag(attribute.preservesValueInHistoryOnDeletion)),
            ("indexed", flag(attribute.isMarkedIndexed)), Self.defaultValue(of: attribute),
        ]
        add("attribute", common(attribute) + form + storage)
    }

    private static func defaultValue(of attribute: NSAttributeDescription) -> (String, String?) {
        switch attribute.defaultValue {
        case let date as Date: ("defaultDateTimeInterval", "\(date.timeIntervalSinceReferenceDate)")
        case let number as NSNumber where attribute.attributeType == .booleanAttributeType:
            ("defaultValueString", number.boolValue ? "YES" : "NO")
        case let number as NSNumber: ("defaultValueString", number.stringValue)
        case let url as URL: ("defaultValueString", url.absoluteString)
        case let uuid as UUID: ("defaultValueString", uuid.uuidString)
        case let text as String: ("defaultValueString", text)
        default: ("defaultValueString", nil)
        }
    }

    /// A derivation as a source has it. Aggregates are functions in the model, and key paths in sources.
    private static func text(of derivation: NSExpression?) -> String {
        let text = derivation?.description ?? ""
        for (function, suffix) in [("count:(", ".@count"), ("sum:(", ".@sum")] where text.hasPrefix(function) {
            return text.dropFirst(function.count).dropLast() + suffix
        }
        return text
    }

    private mutating func add(_ relationship: NSRelationshipDescription) {
        let rule: String =
            switch relationship.deleteRule {
            case .cascadeDeleteRule: "Cascade"
            case .denyDeleteRule: "Deny"
            case .noActionDeleteRule: "No Action"
            default: "Nullify"
            }
        add(
            "relationship",
            common(relationship) + [
                ("toMany", relationship.isToMany ? "YES" : nil), ("ordered", relationship.isOrdered ? "YES" : nil),
                ("minCount", relationship.minCount == 0 ? nil : "\(relationship.minCount)"),
                ("maxCount", "\(relationship.maxCount)"), ("deletionRule", rule),
                ("destinationEntity", relationship.destinationEntity?.name),
                ("inverseName", relationship.inverseRelationship?.name),
                ("inverseEntity", relationship.inverseRelationship?.entity.name),
            ])
    }

    /// Whether a reader of the text adds the index, because the attribute of its name is marked as indexed.
    private func isImplied(_ index: NSFetchIndexDescription, by entity: NSEntityDescription) -> Bool {
        guard let name = index.soleName, name == index.name else { return false }
        return entity.attributesByName[name]?.isMarkedIndexed == true
    }

    private mutating func add(_ index: NSFetchIndexDescription) {
        guard index.elements.allSatisfy({ $0.propertyName != nil }) else { return }
        open(
            "fetchIndex",
            [("name", index.name), ("partialIndexPredicate", index.partialIndexPredicate.map { "\($0)" })])
        for element in index.elements {
            add(
                "fetchIndexElement",
                [
                    ("property", element.propertyName), ("type", element.collationType == .rTree ? "RTree" : "Binary"),
                    ("order", element.isAscending ? "ascending" : "descending"),
                ])
        }
        close()
    }

    private mutating func addConstraints(_ constraints: [[String]]) {
        if constraints.isEmpty { return }
        open("uniquenessConstraints")
        for keys in constraints {
            open("uniquenessConstraint")
            for key in keys { add("constraint", [("value", key)]) }
            close()
        }
        close()
    }
}

extension NSManagedObjectModel {
    /// Writes the versions of a model that is made in code to a text file, with which `coredata model check` compares
    /// later versions.
    ///
    /// OpenCoreData only. Commit the file with the code. It has what determines the tables of a store, in the XML of
    /// Xcode's sources: entities, stored properties, indexes and uniqueness constraints. Each version is named by its
    /// `versionIdentifiers`. A version without an identifier has its number as its name. A file whose content stays is
    /// not written. Any thread may call the function.
    ///
    /// - Parameters:
    ///   - url: The file, with the extension `modeldescription`.
    ///   - versions: The older versions that the program migrates from, the oldest first. This model is the current
    ///     version.
    /// - Throws: The error of writing the file.
    public func writeDescription(to url: URL, after versions: [NSManagedObjectModel] = []) throws {
        let named = (versions + [self]).enumerated().map { number, model in
            let identifiers = model.versionIdentifiers.map { "\($0.base)" }.sorted().joined(separator: ", ")
            return (name: identifiers.isEmpty ? "\(number + 1)" : identifiers, model: model)
        }
        let data = Data(ModelDescription.text(of: named).utf8)
        if let present = try? Data(contentsOf: url), present == data { return }
        try data.write(to: url, options: .atomic)
    }
}
