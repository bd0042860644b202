/// The order in which Xcode writes attributes and children.
package enum ModelSourceOrder {
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
    package static func isBefore(_ attribute: String, _ other: String, in element: String) -> Bool {
        let order = attributes[element] ?? []
        guard let place = order.firstIndex(of: attribute), let next = order.firstIndex(of: other) else { return false }
        return place < next
    }

    /// The rank of a child in its parent; elements of one rank are sorted by their names.
    package static func rank(of child: String, in parent: String) -> Int {
        children[parent]?.firstIndex(of: child) ?? (parent == "composite" && child == "attribute" ? 0 : 99)
    }

    /// Xcode sorts names without regard to case.
    package static func areSorted(_ name: String, _ other: String) -> Bool {
        let (folded, next) = (name.lowercased(), other.lowercased())
        return folded == next ? name < other : folded < next
    }
}
