import CoreData
import Foundation

/// A model as a graph in Graphviz's language: a box for each entity with a row for each property, a line between each
/// relationship and its inverse, an arrow to each parent.
package enum ModelDiagram {
    package static func dot(_ model: NSManagedObjectModel, title: String) -> String {
        let entities = model.entities.sorted { ($0.name ?? "") < ($1.name ?? "") }
        // Boxes and rows have numbers as names, so that the names of the model need not be valid in the language.
        var places: [String: String] = [:]
        var boxes: [String: String] = [:]
        for (number, entity) in entities.enumerated() {
            boxes[entity.name ?? ""] = "e\(number)"
            for (row, property) in entity.declaredProperties.enumerated() {
                places[key(property, of: entity)] = "e\(number):p\(row)"
            }
        }
        var lines = [
            "digraph model {",
            "graph [label=<\(escaped(title))>, labelloc=t, fontname=\"Helvetica\", rankdir=LR, ranksep=0.9];",
            "node [shape=plain, fontname=\"Helvetica\", fontsize=11];",
        ]
        lines += entities.enumerated().map { "e\($0) [label=<\(box($1))>];" }
        for entity in entities {
            if let own = boxes[entity.name ?? ""], let parent = entity.superentity?.name.flatMap({ boxes[$0] }) {
                lines.append("\(own) -> \(parent) [arrowhead=empty, style=bold];")
            }
        }
        return (lines + edges(entities, places, boxes) + ["}"]).joined(separator: "\n") + "\n"
    }

    private static func key(_ property: NSPropertyDescription, of entity: NSEntityDescription) -> String {
        "\(entity.name ?? "").\(property.name)"
    }

    private static func box(_ entity: NSEntityDescription) -> String {
        let name = escaped(entity.name ?? "")
        var rows = [
            entity.isAbstract
                ? "<tr><td bgcolor=\"#f2f2f2\"><i>\(name)</i></td></tr>"
                : "<tr><td bgcolor=\"#dbe9f6\"><b>\(name)</b></td></tr>"
        ]
        let indexed = Set(entity.indexes.compactMap { $0.elements.first?.propertyName })
        for (row, property) in entity.declaredProperties.enumerated() {
            let text = line(property) + (indexed.contains(property.name) || property.isIndexed ? " (indexed)" : "")
            rows.append("<tr><td port=\"p\(row)\" align=\"left\">\(escaped(text))</td></tr>")
        }
        for constraint in ModelFacts.constraints(of: entity) {
            let text = escaped("unique \(constraint.joined(separator: ", "))")
            rows.append("<tr><td align=\"left\"><i>\(text)</i></td></tr>")
        }
        return "<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" cellpadding=\"4\">\(rows.joined())</table>"
    }

    private static func line(_ property: NSPropertyDescription) -> String {
        let type =
            switch property {
            case let attribute as NSAttributeDescription: attribute.attributeType.readableName
            case let relationship as NSRelationshipDescription:
                (relationship.isOrdered ? "ordered " : "") + (relationship.destinationEntity?.name ?? "")
                    + (relationship.isToMany ? " ∗" : "")
            default: "fetched"
            }
        return
            "\(property.name): \(type)\(property.isOptional && !(property is NSFetchedPropertyDescription) ? "?" : "")"
    }

    /// One line of the diagram for a relationship and its inverse.
    private static func edges(
        _ entities: [NSEntityDescription], _ places: [String: String], _ boxes: [String: String]
    ) -> [String] {
        var drawn: Set<String> = []
        var lines: [String] = []
        for entity in entities {
            for case let relationship as NSRelationshipDescription in entity.declaredProperties {
                guard let from = places[key(relationship, of: entity)], let destination = relationship.destinationEntity
                else { continue }
                let inverse = relationship.inverseRelationship
                let back = inverse.flatMap { $0.inverseRelationship?.name == relationship.name ? $0 : nil }
                let to = back.flatMap { places[key($0, of: $0.entity)] } ?? boxes[destination.name ?? ""]
                guard let to, !drawn.contains("\(to) \(from)") else { continue }
                drawn.insert("\(from) \(to)")
                let tail = back.map(head) ?? "none"
                lines.append("\(from) -> \(to) [dir=both, arrowhead=\(head(relationship)), arrowtail=\(tail)];")
            }
        }
        return lines
    }

    private static func head(_ relationship: NSRelationshipDescription) -> String {
        (relationship.isToMany ? "crow" : "tee") + (relationship.isOptional ? "odot" : "")
    }

    /// Text in a label of HTML's kind. Characters that XML cannot hold become a mark.
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
