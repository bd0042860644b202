/// An element that is written into a model's source, as Xcode writes it.
struct NewElement: Sendable {
    let name: String
    var attributes: [(name: String, value: String)]
    var children: [NewElement] = []

    init(_ name: String, _ attributes: [(String, String?)] = [], _ children: [NewElement] = []) {
        self.name = name
        self.attributes = attributes.compactMap { name, value in value.map { (name, $0) } }
        self.children = children
    }

    /// The value of an attribute; nil if the element has none.
    subscript(_ name: String) -> String? { attributes.first { $0.name == name }?.value }

    /// Adds an attribute at its place in Xcode's order, or replaces its value.
    mutating func set(_ attribute: String, _ value: String) {
        if let place = attributes.firstIndex(where: { $0.name == attribute }) {
            attributes[place].value = value
            return
        }
        let next = attributes.firstIndex { ModelSourceOrder.isBefore(attribute, $0.name, in: name) }
        attributes.insert((attribute, value), at: next ?? attributes.count)
    }

    /// The lines of the element, without the indent of the first.
    func text(indent: String, unit: String, newline: String) -> String {
        let start = "<\(name)" + attributes.map { " \($0.name)=\"\(Self.escaped($0.value))\"" }.joined()
        if children.isEmpty { return start + "/>" }
        let inner = children.map { child in
            indent + unit + child.text(indent: indent + unit, unit: unit, newline: newline) + newline
        }
        return start + ">" + newline + inner.joined() + indent + "</\(name)>"
    }

    /// A value of an attribute in the escapes that Xcode writes.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case "\"": result += "&quot;"
            case "'": result += "&apos;"
            case "\n": result += "&#10;"
            case "\t": result += "&#9;"
            case "\r": result += "&#13;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// The order in which Xcode writes attributes and children.
enum ModelSourceOrder {
    private static let attributes: [String: [String]] = [
        "model": [
            "type", "documentVersion", "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion",
            "sourceLanguage", "usedWithCloudKit", "usedWithSwiftData", "userDefinedModelVersionIdentifier",
        ],
        "entity": [
            "name", "representedClassName", "isAbstract", "parentEntity", "elementID", "versionHashModifier",
            "syncable", "codeGenerationType",
        ],
        "attribute": [
            "name", "optional", "transient", "attributeType", "allowsExternalBinaryDataStorage", "composite",
            "derived", "derivationExpression", "minDateTimeInterval", "minValueString", "maxDateTimeInterval",
            "maxValueString", "defaultDateTimeInterval", "defaultValueString", "regularExpressionString",
            "spotlightIndexingEnabled", "storedInTruthFile", "usesScalarValueType", "indexed", "elementID",
            "versionHashModifier", "preserveAfterDeletion", "allowsCloudEncryption", "valueTransformerName",
            "customClassName", "syncable",
        ],
        "relationship": [
            "name", "optional", "transient", "toMany", "minCount", "maxCount", "deletionRule", "ordered",
            "destinationEntity", "inverseName", "inverseEntity", "indexed", "elementID", "versionHashModifier",
            "syncable",
        ],
        "fetchRequest": [
            "name", "entity", "predicateString", "fetchLimit", "fetchBatchSize", "includeSubentities",
            "includePropertyValues", "includesPendingChanges", "returnObjectsAsFaults", "returnDistinctResults",
            "resultType",
        ],
    ]

    private static let children: [String: [String]] = [
        "model": ["entity", "composite", "fetchRequest", "configuration", "elements"],
        "entity": [
            "attribute", "relationship", "fetchedProperty", "fetchIndex", "compoundIndexes", "uniquenessConstraints",
            "userInfo",
        ],
    ]

    /// Whether an attribute stands before another one in an element. An unknown attribute stands last.
    static func isBefore(_ attribute: String, _ other: String, in element: String) -> Bool {
        let order = attributes[element] ?? []
        guard let place = order.firstIndex(of: attribute), let next = order.firstIndex(of: other) else { return false }
        return place < next
    }

    /// The rank of a child in its parent; elements of one rank are sorted by their names.
    static func rank(of child: String, in parent: String) -> Int {
        children[parent]?.firstIndex(of: child) ?? (parent == "composite" && child == "attribute" ? 0 : 99)
    }

    /// Xcode sorts names without regard to case.
    static func areSorted(_ name: String, _ other: String) -> Bool {
        let (folded, next) = (name.lowercased(), other.lowercased())
        return folded == next ? name < other : folded < next
    }
}
