/// An element that is written into a model's source, as Xcode writes it.
package struct ModelSourceElement: Sendable {
    package let name: String
    package var attributes: [(name: String, value: String)]
    package var children: [ModelSourceElement] = []

    package init(_ name: String, _ attributes: [(String, String?)] = [], _ children: [ModelSourceElement] = []) {
        self.name = name
        self.attributes = attributes.compactMap { name, value in value.map { (name, $0) } }
        self.children = children
    }

    /// The value of an attribute; nil if the element has none.
    package subscript(_ name: String) -> String? { attributes.first { $0.name == name }?.value }

    /// Adds an attribute at its place in Xcode's order, or replaces its value.
    package mutating func set(_ attribute: String, _ value: String) {
        if let place = attributes.firstIndex(where: { $0.name == attribute }) {
            attributes[place].value = value
            return
        }
        let next = attributes.firstIndex { ModelSourceOrder.isBefore(attribute, $0.name, in: name) }
        attributes.insert((attribute, value), at: next ?? attributes.count)
    }

    /// The lines of the element, without the indent of the first.
    package func text(indent: String, unit: String, newline: String) -> String {
        let start = "<\(name)" + attributes.map { " \($0.name)=\"\(Self.escaped($0.value))\"" }.joined()
        if children.isEmpty { return start + "/>" }
        let inner = children.map { child in
            indent + unit + child.text(indent: indent + unit, unit: unit, newline: newline) + newline
        }
        return start + ">" + newline + inner.joined() + indent + "</\(name)>"
    }

    /// A value of an attribute in the escapes that Xcode writes.
    package static func escaped(_ text: String) -> String {
        text.escaping { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case "\"": "&quot;"
            case "'": "&apos;"
            case "\n", "\t", "\r": "&#\(scalar.value);"
            default: nil
            }
        }
    }
}
