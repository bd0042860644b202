import CoreData

/// Writes the structures and enumerations of an entity's composite attributes.
struct SwiftCompositeWriter {
    let types: SwiftTypeNames
    let rawValues: RawValues
    let entity: String

    /// Why no type has the elements of a composite attribute.
    struct Unexpressed: Error {
        let reason: String
    }

    struct Written {
        let name: String
        /// The declaration.
        let lines: [String]
        /// What the type does not say; nil if it says everything.
        var note: String?
    }

    /// - Parameters:
    ///   - path: the names of the attributes that lead to it, with its own.
    ///   - siblings: the names of the types beside it; the new one is added.
    func write(
        _ composite: NSCompositeAttributeDescription, at path: [String], among siblings: inout Set<String>
    ) throws -> Written {
        let name = types.nested(composite.name, among: &siblings)
        guard composite.isEnumeration else { return try structure(name, composite, at: path) }
        if let cases = composite.caseNames {
            let isPlain = composite.elements.allSatisfy { $0.attributeType == .stringAttributeType && $0.isOptional }
            if isPlain {
                let lines = cases.map { "    case \(SwiftLiteral.name($0))" }
                return Written(name: name, lines: ["enum \(name): Codable {"] + lines + ["}"])
            }
            var written = try structure(name, composite, at: path)
            written.note =
                "an enumeration whose values no model says; one field of the structure, that of the case, has bytes"
            return written
        }
        return try enumeration(name, composite, at: path) ?? openEnumeration(name, composite, at: path)
    }

    // MARK: Structures

    private func structure(
        _ name: String, _ composite: NSCompositeAttributeDescription, at path: [String]
    ) throws -> Written {
        var fields: [String] = []
        var nested: [String] = []
        var siblings: Set<String> = []
        for element in composite.elements {
            let type: String
            if let inner = element as? NSCompositeAttributeDescription {
                let written = try write(inner, at: path + [inner.name], among: &siblings)
                type = written.name
                nested += [""] + written.lines.map(SwiftLiteral.indented)
            } else if let plain = types.name(of: element.attributeType), !(element is NSDerivedAttributeDescription) {
                type = plain
            } else {
                throw Unexpressed(reason: "its element '\(element.name)' has values that no field of a structure has")
            }
            fields.append("    var \(SwiftLiteral.name(element.name)): \(type)\(element.isOptional ? "?" : "")")
        }
        return Written(name: name, lines: ["struct \(name): Codable, Hashable {"] + fields + nested + ["}"])
    }

    // MARK: Enumerations with a raw value

    /// The enumeration whose cases are the raw values of the rows; nil if there are none.
    private func enumeration(
        _ name: String, _ composite: NSCompositeAttributeDescription, at path: [String]
    ) throws -> Written? {
        guard composite.elements.count == 1, let element = composite.elements.first, element.name == composite.name,
            let raw = types.name(of: element.attributeType)
        else { return nil }
        let isText = element.attributeType == .stringAttributeType
        guard isText || element.attributeType.isInteger else { return nil }
        let values = try rawValues.values(at: path + [element.name], of: entity)
        guard !values.isEmpty else { return nil }
        var names = SwiftCaseNames()
        let cases = values.map { value in
            let name = names.name(of: value)
            let isOwnName = isText && value as? String == name
            let literal = (value as? String).map(SwiftLiteral.text) ?? "\(value)"
            return "    case \(SwiftLiteral.name(name))\(isOwnName ? "" : " = \(literal)")"
        }
        return Written(
            name: name,
            lines: ["/// The cases are those that rows of the store have. Add those that the program knows."]
                + ["enum \(name): \(raw), Codable {"] + cases + ["}"])
    }

    /// A structure in the place of an enumeration whose cases are not known. It has every raw value.
    private func openEnumeration(
        _ name: String, _ composite: NSCompositeAttributeDescription, at path: [String]
    ) throws -> Written {
        var written = try structure(name, composite, at: path)
        written.note = "an enumeration whose cases no row says; the structure in its place has any raw value"
        return written
    }
}

extension NSAttributeType {
    var isInteger: Bool {
        [.integer16AttributeType, .integer32AttributeType, .integer64AttributeType].contains(self)
    }
}
