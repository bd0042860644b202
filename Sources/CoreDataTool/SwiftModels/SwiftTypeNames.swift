import CoreData

/// The types of attributes in sources that also declare the classes of a model.
struct SwiftTypeNames {
    /// The names of the model's classes, which hide the libraries' types of these names.
    let classes: Set<String>

    private static let plain: [NSAttributeType: (module: String, name: String)] = [
        .integer16AttributeType: ("Swift", "Int16"), .integer32AttributeType: ("Swift", "Int32"),
        .integer64AttributeType: ("Swift", "Int"), .booleanAttributeType: ("Swift", "Bool"),
        .doubleAttributeType: ("Swift", "Double"), .floatAttributeType: ("Swift", "Float"),
        .stringAttributeType: ("Swift", "String"), .decimalAttributeType: ("Foundation", "Decimal"),
        .dateAttributeType: ("Foundation", "Date"), .binaryDataAttributeType: ("Foundation", "Data"),
        .UUIDAttributeType: ("Foundation", "UUID"), .URIAttributeType: ("Foundation", "URL"),
    ]

    /// The type of a plain attribute; nil for an attribute of another type.
    func name(of type: NSAttributeType) -> String? {
        guard let (module, name) = Self.plain[type] else { return nil }
        return classes.contains(name) ? "\(module).\(name)" : name
    }

    /// The type of a collection of plain values that an archive has, by the class's name in a model: `Array<String>`,
    /// or `[String]`. Nil for other classes.
    func collection(_ className: String?) -> String? {
        guard var text = className else { return nil }
        for (kind, start, end) in [("Array<", "[", "]"), ("Dictionary<", "[", "]")] where text.hasPrefix(kind) {
            text = start + text.dropFirst(kind.count).dropLast().replacing(", ", with: ": ") + end
        }
        guard text.hasPrefix("["), text.hasSuffix("]") else { return nil }
        let parts = text.dropFirst().dropLast().replacing(" ", with: "").split(separator: ":").map(String.init)
        let names = parts.compactMap { part in
            Self.plain.first { $0.value.name == part }.flatMap { name(of: $0.key) }
        }
        guard names.count == parts.count, names.count == 1 || names.count == 2 && parts[0] == "String" else {
            return nil
        }
        return "[" + names.joined(separator: ": ") + "]"
    }

    /// The name of the type of a composite attribute within its class.
    ///
    /// - Parameter siblings: the names that the class has; the new one is added.
    func nested(_ property: String, among siblings: inout Set<String>) -> String {
        let name = property.prefix(1).uppercased() + property.dropFirst()
        let isTaken = classes.contains(name) || ReservedNames.reason(againstEntity: name) != nil
        let base = isTaken || ["Protocol", "Int16", "Int32", "Codable"].contains(name) ? name + "Value" : name
        var free = base
        var number = 2
        while !siblings.insert(free).inserted {
            free = "\(base)\(number)"
            number += 1
        }
        return free
    }
}
