/// Writes the classes of a model in the form of Xcode's "Class Definition" and "Category/Extension".
///
/// | attribute | scalar | otherwise |
/// |---|---|---|
/// | Integer 16, 32, 64 | `Int16`, `Int32`, `Int64` | `NSNumber?` |
/// | Boolean, Double, Float | `Bool`, `Double`, `Float` | `NSNumber?` |
/// | Date | `TimeInterval` | `Date?` |
/// | Decimal | | `NSDecimalNumber?` |
/// | String, Binary, UUID, URI | | `String?`, `Data?`, `UUID?`, `URL?` |
/// | Transformable | | its class (`NSObject` without one), optional |
///
/// To-one relationships are optional objects, to-many ones `NSSet?` or `NSOrderedSet?` with methods to add and remove.
package struct ClassWriter {
    private let model: ModelSource

    /// The beginning of each file; the name of the model follows.
    static let mark = "// The classes of the model "

    package init(model: ModelSource) {
        self.model = model
    }

    /// The text of one Swift file with all classes and properties that the model generates.
    ///
    /// - Parameter imports: The lines that import the framework for public classes.
    package func text(imports: [String] = ["import CoreData"]) -> String {
        var lines: [String] = []
        for entity in model.entities where entity.generation != .manual {
            guard let written = entity.className else { continue }
            let name = String(written.split(separator: ".").last ?? "")
            if entity.generation == .classDefinition {
                let parent = model.className(ofEntity: entity.parent)
                lines += ["", "/// An object of the entity \(entity.name).", "public class \(name): \(parent) {}"]
            }
            lines += [
                "", "extension \(name) {", "    /// A request for objects of the entity \(entity.name).",
                "    public class func fetchRequest() -> NSFetchRequest<\(name)> {",
                "        NSFetchRequest<\(name)>(entityName: \"\(entity.name.escaped)\")", "    }",
            ]
            for property in entity.properties { lines += members(of: property, class: name) }
            lines += ["}"]
            for property in entity.properties where !property.isFetched {
                lines += ["", "private let \(slot(property, name)) = ManagedSlot(\"\(property.name.escaped)\")"]
            }
            if entity.parent == nil { lines += ["", "extension \(name): Identifiable {}"] }
        }
        let head = "\(Self.mark)\(model.name). Generated: changes will be lost."
        // An unused import may be a warning.
        lines = [head] + (lines.isEmpty ? [] : [""] + imports + lines)
        return lines.joined(separator: "\n") + "\n"
    }

    private func slot(_ property: ModelSource.Property, _ className: String) -> String {
        "slotOf\(className)_\(property.name)"
    }

    private func members(of property: ModelSource.Property, class className: String) -> [String] {
        let slot = slot(property, className)
        if case .fetched(let destination) = property.kind {
            let type = model.className(ofEntity: destination)
            return [
                "", "    /// The objects that the fetched property finds.",
                "    public var \(property.name.asName): [\(type)] {",
                "        value(forKey: \"\(property.name.escaped)\") as? [\(type)] ?? []", "    }",
            ]
        }
        let lines = [
            "", "    /// The \(noun(property)) `\(property.name)`.",
            "    public var \(property.name.asName): \(type(of: property)) {",
            "        get { \(slot).value(of: self) }", "        set { \(slot).set(newValue, of: self) }", "    }",
        ]
        guard case .toMany(let destination, let isOrdered) = property.kind else { return lines }
        return lines
            + toManyMethods(
                property.name.capitalisedAsKey, of: model.className(ofEntity: destination), slot, isOrdered: isOrdered)
    }

    private func noun(_ property: ModelSource.Property) -> String {
        if case .attribute = property.kind { "attribute" } else { "relationship" }
    }

    private func toManyMethods(_ key: String, of type: String, _ slot: String, isOrdered: Bool) -> [String] {
        let set = isOrdered ? "NSOrderedSet" : "NSSet"
        var methods = [
            ("Adds an object.", "addTo\(key)(_ value: \(type))", "add(value, to: self)"),
            ("Adds the objects of a set.", "addTo\(key)(_ values: \(set))", "add(values, to: self)"),
            ("Removes an object.", "removeFrom\(key)(_ value: \(type))", "remove(value, from: self)"),
            ("Removes the objects of a set.", "removeFrom\(key)(_ values: \(set))", "remove(values, from: self)"),
        ]
        if isOrdered {
            methods += [
                (
                    "Inserts an object at a position.", "insertInto\(key)(_ value: \(type), at index: Int)",
                    "insert(value, at: index, into: self)"
                ),
                (
                    "Inserts objects at positions.", "insertInto\(key)(_ values: [\(type)], at indexes: NSIndexSet)",
                    "insert(values, at: indexes, into: self)"
                ),
                (
                    "Removes the object at a position.", "removeFrom\(key)(at index: Int)",
                    "remove(at: index, from: self)"
                ),
                (
                    "Removes the objects at positions.", "removeFrom\(key)(at indexes: NSIndexSet)",
                    "remove(at: indexes, from: self)"
                ),
                (
                    "Replaces the object at a position.", "replace\(key)(at index: Int, with value: \(type))",
                    "replace(at: index, with: value, in: self)"
                ),
                (
                    "Replaces the objects at positions.",
                    "replace\(key)(at indexes: NSIndexSet, with values: [\(type)])",
                    "replace(at: indexes, with: values, in: self)"
                ),
            ]
        }
        return methods.flatMap { purpose, signature, call in
            ["", "    /// \(purpose)", "    public func \(signature) { \(slot).\(call) }"]
        }
    }

    private func type(of property: ModelSource.Property) -> String {
        switch property.kind {
        case .attribute(let type, let isScalar, let customClass):
            Self.type(ofAttribute: type, isScalar: isScalar, customClass: customClass)
        case .toOne(let destination): "\(model.className(ofEntity: destination))?"
        case .toMany(_, let isOrdered): isOrdered ? "NSOrderedSet?" : "NSSet?"
        case .fetched(let destination): "[\(model.className(ofEntity: destination))]"
        }
    }

    private static func type(ofAttribute type: String, isScalar: Bool, customClass: String?) -> String {
        switch type {
        case "Integer 16": isScalar ? "Int16" : "NSNumber?"
        case "Integer 32": isScalar ? "Int32" : "NSNumber?"
        case "Integer 64": isScalar ? "Int64" : "NSNumber?"
        case "Boolean": isScalar ? "Bool" : "NSNumber?"
        case "Double": isScalar ? "Double" : "NSNumber?"
        case "Float": isScalar ? "Float" : "NSNumber?"
        case "Date": isScalar ? "TimeInterval" : "Date?"
        case "Decimal": "NSDecimalNumber?"
        case "String": "String?"
        case "Binary": "Data?"
        case "UUID": "UUID?"
        case "URI": "URL?"
        case "ObjectID": "NSManagedObjectID?"
        case "Composite": "[String: Any]?"
        default: "\(customClass ?? "NSObject")?"
        }
    }
}

extension String {
    /// The name for a declaration, in backticks if it is a keyword.
    fileprivate var asName: String { Self.keywords.contains(self) ? "`\(self)`" : self }

    private static let keywords: Set<String> = [
        "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do",
        "else",
        "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in",
        "init",
        "inout", "internal", "is", "let", "nil", "operator", "private", "protocol", "public", "repeat", "rethrows",
        "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try",
        "typealias", "var", "where", "while",
    ]
}
