import CoreData
import Foundation

/// A model as a graph in Graphviz's language: a box for each entity, a line for each relationship with its inverse, an
/// arrow to each parent.
package enum ModelDiagram {
    package static func dot(_ model: NSManagedObjectModel, title: String) -> String {
        let entities = model.entities.sorted { ($0.name ?? "") < ($1.name ?? "") }
        // Nodes have numbers for names, so that no name of the model's has to be one of the language's.
        let numbers = Dictionary(
            entities.enumerated().map { ($1.name ?? "", $0) }, uniquingKeysWith: { one, _ in one })
        var lines = [
            "digraph model {", "graph [label=<\(escaped(title))>, labelloc=t, fontname=\"Helvetica\", rankdir=LR];",
            "node [shape=plain, fontname=\"Helvetica\", fontsize=11];", "edge [fontname=\"Helvetica\", fontsize=9];",
        ]
        lines += entities.enumerated().map { "e\($0) [label=<\(box($1))>];" }
        for (number, entity) in entities.enumerated() {
            if let parent = entity.superentity?.name.flatMap({ numbers[$0] }) {
                lines.append("e\(number) -> e\(parent) [arrowhead=empty, style=bold];")
            }
            for case let relationship as NSRelationshipDescription in entity.declaredProperties {
                guard let target = relationship.destinationEntity?.name.flatMap({ numbers[$0] }) else { continue }
                lines += edge(relationship, from: number, to: target)
            }
        }
        return (lines + ["}"]).joined(separator: "\n") + "\n"
    }

    private static func box(_ entity: NSEntityDescription) -> String {
        let colour = entity.isAbstract ? "#f2f2f2" : "#dbe9f6"
        let name = escaped(entity.name ?? "")
        let title = entity.isAbstract ? "<i>\(name)</i>" : "<b>\(name)</b>"
        var rows = [
            "<tr><td bgcolor=\"\(colour)\" align=\"center\">\(title)</td></tr>"
        ]
        let indexed = Set(entity.indexes.compactMap { $0.elements.first?.propertyName })
        for property in entity.declaredProperties {
            guard let text = line(property, isIndexed: indexed.contains(property.name)) else { continue }
            rows.append("<tr><td align=\"left\">\(escaped(text))</td></tr>")
        }
        for constraint in ModelFacts.constraints(of: entity) {
            rows.append(
                "<tr><td align=\"left\"><i>\(escaped("unique \(constraint.joined(separator: ", "))"))</i></td></tr>")
        }
        return "<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" cellpadding=\"4\">\(rows.joined())</table>"
    }

    private static func line(_ property: NSPropertyDescription, isIndexed: Bool) -> String? {
        guard let attribute = property as? NSAttributeDescription else {
            return property is NSFetchedPropertyDescription ? "\(property.name): fetched" : nil
        }
        return "\(attribute.name): \(attribute.attributeType.title)\(attribute.isOptional ? "?" : "")"
            + (isIndexed || attribute.isIndexed ? " (indexed)" : "")
    }

    /// One line for a relationship and its inverse, drawn by the one whose name comes first.
    private static func edge(_ relationship: NSRelationshipDescription, from: Int, to: Int) -> [String] {
        let inverse = relationship.inverseRelationship
        let isBack =
            inverse?.inverseRelationship === relationship || inverse?.inverseRelationship?.name == relationship.name
        if let inverse, isBack {
            let (own, other) = ((from, relationship.name), (to, inverse.name))
            if own > other { return [] }
        }
        let tail = isBack ? inverse : nil
        return [
            "e\(from) -> e\(to) [dir=both, arrowhead=\(head(relationship)), arrowtail=\(tail.map(head) ?? "none"), "
                + "headlabel=<\(label(relationship))>, taillabel=<\(tail.map(label) ?? "")>];"
        ]
    }

    private static func head(_ relationship: NSRelationshipDescription) -> String {
        (relationship.isToMany ? "crow" : "tee") + (relationship.isOptional ? "odot" : "")
    }

    private static func label(_ relationship: NSRelationshipDescription) -> String {
        escaped(relationship.name + (relationship.isOrdered ? " (ordered)" : ""))
    }

    /// Text in a label of HTML's kind; what XML cannot hold becomes a mark.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case _ where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || scalar.value & 0xFFFE == 0xFFFE:
                result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
