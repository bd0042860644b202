import Foundation

/// The XML source of a model.
///
/// The whole source is kept as a tree, also parts that the model does not keep (`usesScalarValueType`,
/// `codeGenerationType` …): the code generator reads them from the tree.
extension XMLTreeElement {
    /// An attribute's text; `nil` when absent or empty.
    package func text(_ attribute: String) -> String? {
        attributes[attribute].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// An attribute as a truth value: "YES", "true" and "1" are true in any case, everything else and absence are
    /// false.
    package func flag(_ attribute: String) -> Bool {
        switch attributes[attribute] {
        case "YES": true
        case "NO", nil: false
        case let other?: ["YES", "TRUE", "1"].contains(other.trimmingCharacters(in: .whitespaces).uppercased())
        }
    }

    /// The element of an entity of a model, or of a property of the entity; nil if the model has no such entity.
    package func element(ofEntity name: String, property: String?) -> XMLTreeElement? {
        let entity = children(named: "entity").first { $0.text("name") == name }
        let child = entity?.children.first { $0.text("name") == property && $0.name != "fetchIndex" }
        return property == nil ? entity : child ?? entity
    }

    /// The element in the form of error messages.
    var summary: String {
        attributes["name"].map { "<\(name) name=\"\($0)\">" } ?? "<\(name)>"
    }

    /// Parses an XML model; `file` is named in errors. The root must be `model`.
    ///
    /// - Parameter locates: Whether the elements get the exact lines and columns of their start tags. This takes about
    ///   as long as the rest.
    package static func model(in data: Data, file: String, locates: Bool = true) throws -> XMLTreeElement {
        let root: XMLTreeElement
        do {
            root = try parse(data)
        } catch {
            throw ModelSourcePlace(file: file, line: error.line, column: error.column).error("\(error.reason).")
        }
        if locates { root.locate(in: data) }
        guard root.name == "model" else {
            throw ModelSourcePlace(file: file, line: root.line, column: root.column)
                .error("the root element is <\(root.name)>, a model has <model>.")
        }
        return root
    }
}
