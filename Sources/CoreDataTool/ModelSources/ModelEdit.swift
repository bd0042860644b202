import CoreData
import Foundation

/// One edit of a model's source, as the command line names it.
enum ModelEdit {
    /// Adds an entity or a composite.
    case addEntity(ModelSourceElement)
    case addAttribute(ModelSourceElement, entity: String)
    case addRelationship(ModelSourceElement, entity: String, inverse: ModelSourceElement?)
    case rename([String], String)
    case set([String], String, String)
    case remove([String])

    /// Makes the edit.
    func apply(to editor: inout ModelEditor) throws {
        switch self {
        case .addEntity(let entity): try editor.add(entity)
        case .addAttribute(let attribute, let entity): try editor.add(attribute, to: entity)
        case .addRelationship(let relationship, let entity, let inverse):
            try editor.add(relationship, to: entity)
            if let inverse, let destination = relationship["destinationEntity"] {
                try editor.link(inverse, of: destination, to: relationship["name"] ?? "", of: entity)
            }
        case .rename(let path, let new): try editor.rename([(path, new)])
        case .set(let path, let attribute, let value): try editor.set(path, attribute, to: value)
        case .remove(let path):
            if path.count == 1 {
                try editor.removeEntity(path[0])
            } else {
                try editor.removeProperty(path[1], of: path[0])
            }
        }
    }

    // MARK: Reading

    /// The types of attributes as Xcode writes them.
    static let types = [
        "Integer 16", "Integer 32", "Integer 64", "Decimal", "Double", "Float", "String", "Boolean", "Date", "Binary",
        "UUID", "URI", "Transformable", "Composite",
    ]

    /// Throws for a name that no class and no property in Swift can have.
    private static func requireIdentifier(_ name: String) throws {
        let isIdentifier =
            name.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
            && name.unicodeScalars.first.map { $0 == "_" || $0.properties.isXIDStart } == true
        guard !isIdentifier else { return }
        throw ToolError(
            .usage, "'\(name)' is no name in Swift, which begins with a letter and has letters and digits alone")
    }

    /// The type as Xcode writes it, of a text such as `Integer32` or `int32`.
    static func type(_ text: String) throws -> String {
        func folded(_ text: String) -> String { text.lowercased().filter { $0 != " " } }
        let wanted = folded(text).replacing("int", with: "integer", maxReplacements: text.hasPrefix("Integer") ? 0 : 1)
        if let type = types.first(where: { folded($0) == wanted || folded($0) == folded(text) }) { return type }
        let short = types.map { $0.replacing(" ", with: "") }
        throw ToolError(
            .usage, "unknown attribute type '\(text)'" + NearestName.hint(text, among: short),
            details: ["The types are \(short.joined(separator: ", "))."])
    }

    /// The edits of an option's value, such as `Book.pages:Integer32 optional=NO`.
    private struct Form {
        let option: String
        let text: String
        let head: String
        let words: [(String, String)]

        init(_ text: String, of option: String) throws {
            (self.option, self.text) = (option, text)
            let parts = text.split(separator: " ").map(String.init)
            head = parts.first ?? ""
            let pairs = parts.dropFirst().map {
                $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            }
            guard !head.isEmpty, pairs.allSatisfy({ $0.count == 2 }) else {
                throw ToolError(
                    .usage, "'--\(option)' does not understand '\(text)'",
                    details: [
                        "Further words are ATTRIBUTE=VALUE. A type has no space, such as Integer32. --set takes a value "
                            + "with spaces."
                    ])
            }
            words = pairs.map { (String($0[0]), String($0[1])) }
        }

        func misread(_ form: String) -> ToolError {
            ToolError(.usage, "'--\(option)' does not understand '\(text)': it is written as \(form)")
        }

        /// The parts of the head before and behind the first colon.
        var sides: (String, String?) {
            let parts = head.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (parts[0], parts.count > 1 ? parts[1] : nil)
        }

        func path(_ text: String, _ counts: ClosedRange<Int>, _ form: String) throws -> [String] {
            let path = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard counts.contains(path.count), path.allSatisfy({ !$0.isEmpty }) else { throw misread(form) }
            return path
        }

        /// The element with the attributes that follow the head. `NAME=` leaves an attribute out.
        func completed(_ element: ModelSourceElement) throws -> ModelSourceElement {
            var element = element
            for (name, value) in words {
                try ModelEditor.requireKnown(name, of: element.name)
                if let written = try ModelEditor.written(value, name, of: element.name) {
                    element.set(name, written)
                } else {
                    element.attributes.removeAll { $0.name == name }
                }
            }
            return element
        }
    }

    /// `Book`, or `Novel:Book` for an entity with a parent.
    static func entity(_ text: String) throws -> ModelEdit {
        let form = try Form(text, of: "add-entity")
        let (name, parent) = form.sides
        guard !name.isEmpty, parent != "" else { throw form.misread("NAME or NAME:PARENT") }
        try requireIdentifier(name)
        return .addEntity(try form.completed(newEntity(name, parent: parent)))
    }

    /// `Place`.
    static func composite(_ text: String) throws -> ModelEdit {
        let form = try Form(text, of: "add-composite")
        try requireIdentifier(form.head)
        return .addEntity(try form.completed(ModelSourceElement("composite", [("name", form.head)])))
    }

    static func newEntity(_ name: String, parent: String? = nil) -> ModelSourceElement {
        ModelSourceElement(
            "entity",
            [
                ("name", name), ("representedClassName", name), ("parentEntity", parent), ("syncable", "YES"),
                ("codeGenerationType", "class"),
            ])
    }

    /// `Book.pages:Integer32`.
    static func attribute(_ text: String) throws -> ModelEdit {
        let form = try Form(text, of: "add-attribute")
        let shape = "ENTITY.NAME:TYPE [ATTRIBUTE=VALUE]..."
        guard case (let name, let type?) = form.sides else { throw form.misread(shape) }
        let path = try form.path(name, 2...2, shape)
        try requireIdentifier(path[1])
        return .addAttribute(try form.completed(newAttribute(path[1], try Self.type(type))), entity: path[0])
    }

    /// An attribute with the values that Xcode gives to a new one.
    static func newAttribute(_ name: String, _ type: String) -> ModelSourceElement {
        var attribute = ModelSourceElement("attribute", [("name", name), ("optional", "YES"), ("attributeType", type)])
        switch type {
        case "Integer 16", "Integer 32", "Integer 64":
            attribute.set("defaultValueString", "0")
            attribute.set("usesScalarValueType", "YES")
        case "Double", "Float":
            attribute.set("defaultValueString", "0.0")
            attribute.set("usesScalarValueType", "YES")
        case "Decimal": attribute.set("defaultValueString", "0.0")
        case "Boolean": attribute.set("usesScalarValueType", "YES")
        case "Date", "UUID": attribute.set("usesScalarValueType", "NO")
        case "Transformable": attribute.set("valueTransformerName", "NSSecureUnarchiveFromData")
        default: break
        }
        return attribute
    }

    /// `Book.author:Author`, `Author.books:Book*`, and with the inverse `Author.books:Book*/author`.
    static func relationship(_ text: String) throws -> ModelEdit {
        let form = try Form(text, of: "add-relationship")
        let shape = "ENTITY.NAME:DESTINATION[*][/INVERSE[*]]"
        guard case (let name, let target?) = form.sides else { throw form.misread(shape) }
        let path = try form.path(name, 2...2, shape)
        let ends = target.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard ends.count <= 2, !ends.contains(""), !ends.contains("*") else { throw form.misread(shape) }
        func plain(_ end: String) -> String { end.hasSuffix("*") ? String(end.dropLast()) : end }
        let inverse = ends.count == 2 ? plain(ends[1]) : nil
        for name in [path[1], inverse].compactMap(\.self) { try requireIdentifier(name) }
        let relationship = newRelationship(
            path[1], to: plain(ends[0]), isToMany: ends[0].hasSuffix("*"), inverse: inverse)
        return .addRelationship(
            try form.completed(relationship), entity: path[0],
            inverse: inverse.map {
                newRelationship($0, to: path[0], isToMany: ends[1].hasSuffix("*"), inverse: path[1])
            })
    }

    static func newRelationship(_ name: String, to destination: String, isToMany: Bool, inverse: String?)
        -> ModelSourceElement
    {
        ModelSourceElement(
            "relationship",
            [
                ("name", name), ("optional", "YES"), ("toMany", isToMany ? "YES" : nil),
                ("maxCount", isToMany ? nil : "1"), ("deletionRule", "Nullify"), ("destinationEntity", destination),
                ("inverseName", inverse), ("inverseEntity", inverse == nil ? nil : destination),
            ])
    }

    /// The parts before and behind the first `=`.
    private static func sides(_ text: String, of option: String, _ shape: String) throws -> (String, String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else {
            throw ToolError(.usage, "'--\(option)' does not understand '\(text)': it is written as \(shape)")
        }
        return (parts[0], parts[1])
    }

    /// `Book=Publication`, `Book.title=headline`.
    static func rename(_ text: String) throws -> ModelEdit {
        let shape = "ENTITY=NAME or ENTITY.PROPERTY=NAME"
        let (old, new) = try sides(text, of: "rename", shape)
        let form = try Form(old, of: "rename")
        let path = try form.path(old, 1...2, shape)
        guard !new.isEmpty, !new.contains(where: { ".:= ".contains($0) }) else { throw form.misread(shape) }
        try requireIdentifier(new)
        return .rename(path, new)
    }

    /// `usedWithCloudKit=YES`, `Book.isAbstract=YES`, `Book.title.optional=NO`.
    static func set(_ text: String) throws -> ModelEdit {
        let shape = "[ENTITY.[PROPERTY.]]ATTRIBUTE=VALUE"
        let (name, value) = try sides(text, of: "set", shape)
        let path = try Form(name, of: "set").path(name, 1...3, shape)
        return .set(Array(path.dropLast()), path[path.count - 1], value)
    }

    /// `Book`, `Book.title`.
    static func remove(_ text: String) throws -> ModelEdit {
        .remove(try Form(text, of: "remove").path(text, 1...2, "ENTITY or ENTITY.PROPERTY"))
    }
}
