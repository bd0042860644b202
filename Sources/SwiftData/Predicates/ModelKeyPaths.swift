import CoreData
import Foundation

/// Finds the names of properties to which key paths lead.
///
/// A key path does not contain the names of computed properties, as the properties of models are. But the text of a key
/// path has an address for each of them, the same one in each key path through it.
enum ModelKeyPaths {
    /// The name of the property of a class to which a key path of one component leads.
    static func name(of keyPath: AnyKeyPath, from type: any PersistentModel.Type) -> String? {
        table(of: type).names[component(keyPath)]
    }

    /// The keys to which a key path leads, joined by dots: properties of models, and fields of their structures. An
    /// enumeration's element is added. "self" for the identifier of the model; nil if the path leads to anything else.
    static func keys(of keyPath: AnyKeyPath) -> String? {
        if let known = known.withLock({ $0[keyPath] }) { return known }
        guard let root = Swift.type(of: keyPath).rootType as? any PersistentModel.Type else { return nil }
        _ = table(of: root)
        let keys = known.withLock { $0[keyPath] } ?? find(keyPath, from: root)
        if let keys { known.withLock { $0[keyPath] = keys } }
        return keys
    }

    /// The keys of the key paths that were asked for, and of all properties: in a release build the text of a key path
    /// differs from file to file.
    private static let known = Locked<[AnyKeyPath: String]>([:])

    private static func find(_ keyPath: AnyKeyPath, from root: any PersistentModel.Type) -> String? {
        var rest = Substring(text(keyPath))
        var keys: [String] = []
        var type: (any PersistentModel.Type)? = root
        while !rest.isEmpty {
            let (part, after) = split(rest)
            rest = after
            if let model = type {
                let table = table(of: model)
                if let name = table.names[part] {
                    keys.append(name)
                    type = table.destinations[name]
                    if rest.isEmpty, let element = table.elements[name] { keys.append(element) }
                } else if part.hasSuffix("(PersistentIdentifier)>"), rest.isEmpty {
                    return keys.isEmpty ? "self" : keys.joined(separator: ".")
                } else {
                    return nil
                }
            } else if rest.isEmpty, SortKeys.isKey(Swift.type(of: keyPath).valueType) {
                break
            } else if part.hasPrefix("<computed ") {
                // The raw value of an enumeration is its element.
                return nil
            } else {
                keys.append(part)
            }
        }
        return keys.isEmpty ? nil : keys.joined(separator: ".")
    }

    /// The text behind the root type, without the signs of optionals.
    private static func text(_ keyPath: AnyKeyPath) -> String {
        let text = keyPath.debugDescription
        guard let dot = text.range(of: ".<computed ")?.lowerBound ?? text.firstIndex(of: ".") else { return "" }
        return String(text[text.index(after: dot)...])
    }

    private static func component(_ keyPath: AnyKeyPath) -> String { split(Substring(text(keyPath))).part }

    /// The first component, and what comes behind it.
    private static func split(_ text: Substring) -> (part: String, rest: Substring) {
        var end = text.startIndex
        if text.hasPrefix("<") {
            end = text.range(of: ")>")?.upperBound ?? text.endIndex
        } else {
            end = text.firstIndex { $0 == "." || $0 == "?" || $0 == "!" } ?? text.endIndex
        }
        let rest = text[end...].drop { $0 == "?" || $0 == "!" || $0 == "." }
        return (String(text[..<end]), rest)
    }

    // MARK: Tables

    private struct Table {
        var names: [String: String] = [:]
        var destinations: [String: any PersistentModel.Type] = [:]
        /// The elements of enumerations.
        var elements: [String: String] = [:]
    }

    private static let tables = Locked<[ObjectIdentifier: Table]>([:])

    private static func table(of type: any PersistentModel.Type) -> Table {
        if let known = tables.withLock({ $0[ObjectIdentifier(type)] }) { return known }
        var table = Table()
        if let above = _getSuperclass(type) as? any PersistentModel.Type { table = self.table(of: above) }
        for property in type.schemaMetadata {
            guard let keyPath = property.keypath else { continue }
            table.names[component(keyPath)] = property.name
            let valueType = Swift.type(of: keyPath).valueType
            table.destinations[property.name] = RelationshipShape(valueType)?.destination
            let isRaw = ValueKind.of(valueType).isRawEnumeration
            if isRaw { table.elements[property.name] = property.name }
            known.withLock { $0[keyPath] = isRaw ? "\(property.name).\(property.name)" : property.name }
        }
        tables.withLock { $0[ObjectIdentifier(type)] = table }
        return table
    }
}
