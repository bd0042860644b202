import CoreData
import Foundation

/// Values of SwiftData in a form to read: enumerations, structures, and collections in JSON or archives.
enum SwiftDataValue {
    /// With more bytes a value is shown by their number.
    private static let largest = 1 << 20

    /// The value of a composite attribute: the raw value or the case of an enumeration, or the fields of a structure.
    static func json(_ elements: [String: Any], _ composite: NSCompositeAttributeDescription) -> JSON {
        guard composite.isEnumeration else {
            return .object(fields(elements, composite).map { ($0.name, json($0.value, $0.attribute)) })
        }
        guard let (element, value) = present(elements, composite) else { return .null }
        if composite.caseNames == nil { return json(value, element) }
        return value is Data ? .object([(element.name, json(value, element))]) : .string(element.name)
    }

    /// The value of a composite attribute in a table: `Coupe`, `sea`, `city: Ulm, tags: ["old"]`.
    static func text(_ elements: [String: Any], _ composite: NSCompositeAttributeDescription) -> String {
        guard composite.isEnumeration else {
            return fields(elements, composite).map { field in
                "\(field.name): \(ValueText.text(field.value, .attribute(field.attribute)))"
            }.joined(separator: ", ")
        }
        guard let (element, value) = present(elements, composite) else { return "" }
        let text = ValueText.text(value, .attribute(element))
        if composite.caseNames == nil { return text }
        return value is Data ? "\(element.name)(\(text))" : element.name
    }

    /// The collection that the bytes of an attribute hold; nil if they hold none, or too much.
    static func collection(_ data: Data, _ attribute: NSAttributeDescription) -> JSON? {
        guard data.count <= largest else { return nil }
        if attribute.attributeType == .transformableAttributeType {
            let value = DecodedBytes.value(data)
            return value is [Any] || value is [String: Any] || value is NSSet ? value.map(ValueText.json) : nil
        }
        guard let first = data.first, first == UInt8(ascii: "[") || first == UInt8(ascii: "{"),
            let value = try? JSONSerialization.jsonObject(with: data)
        else { return nil }
        return ValueText.json(value)
    }

    private static func json(_ value: Any, _ attribute: NSAttributeDescription) -> JSON {
        (value as? Data).flatMap { collection($0, attribute) } ?? ValueText.json(value, attribute)
    }

    private static func fields(_ elements: [String: Any], _ composite: NSCompositeAttributeDescription)
        -> [(name: String, attribute: NSAttributeDescription, value: Any)]
    {
        composite.elements.sorted { $0.name < $1.name }.compactMap { element in
            elements[element.name].map { (element.name, element, $0) }
        }
    }

    /// The first element that has a value.
    private static func present(_ elements: [String: Any], _ composite: NSCompositeAttributeDescription)
        -> (NSAttributeDescription, Any)?
    {
        composite.elements.lazy.compactMap { element in elements[element.name].map { (element, $0) } }.first
    }
}

extension NSCompositeAttributeDescription {
    /// Whether SwiftData keeps an enumeration in it.
    var isEnumeration: Bool { (userInfo?["EnumType"] as? NSNumber)?.boolValue == true }

    /// The cases of an enumeration without a raw value, each with an element; nil for other composite attributes.
    var caseNames: [String]? {
        guard let names = userInfo?["enum"] as? [String], Set(names) == Set(elements.map(\.name)) else { return nil }
        return names
    }
}
