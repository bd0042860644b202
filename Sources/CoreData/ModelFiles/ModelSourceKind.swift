/// The attributes and children that an element of a model's source may have, by the element's name.
package struct ModelSourceKind: Sendable {
    /// The values of an attribute.
    package enum ValueForm: Sendable, Equatable {
        /// A name, a number or an expression, which the reader checks.
        case text
        /// YES or NO.
        case flag
        /// YES or NO, and it changes what a store keeps.
        case storedFlag
        /// One of several words.
        case words([String])
        /// The editor writes it, and no model keeps it.
        case ofEditor
    }

    package let attributes: [String: ValueForm]
    package let children: Set<String>

    private init(_ attributes: [String: ValueForm], _ children: Set<String> = []) {
        (self.attributes, self.children) = (attributes, children)
    }

    /// All elements of a source.
    package static let all: [String: ModelSourceKind] = [
        "model": ModelSourceKind(
            of(.text, "userDefinedModelVersionIdentifier").with(.flag, "usedWithCloudKit")
                .with(
                    .ofEditor, "type", "documentVersion", "lastSavedToolsVersion", "systemVersion",
                    "minimumToolsVersion", "sourceLanguage", "usedWithSwiftData", "name", "macOSVersion",
                    "iOSVersion", "tvOSVersion", "watchOSVersion", "visionOSVersion"),
            ["entity", "fetchRequest", "configuration", "composite", "elements"]),
        "entity": ModelSourceKind(
            of(
                .text, "name", "representedClassName", "parentEntity", "elementID", "versionHashModifier",
                "renamingIdentifier"
            )
            .with(.storedFlag, "isAbstract").with(.words(["class", "category", "none"]), "codeGenerationType")
            .with(.ofEditor, "syncable", "coreSpotlightDisplayNameExpression"),
            [
                "attribute", "relationship", "fetchedProperty", "fetchIndex", "uniquenessConstraints",
                "compoundIndexes", "userInfo",
            ]),
        "attribute": ModelSourceKind(
            ofProperty.with(
                .text, "attributeType", "defaultValueString", "defaultDateTimeInterval", "minValueString",
                "maxValueString", "minDateTimeInterval", "maxDateTimeInterval", "regularExpressionString",
                "valueTransformerName", "customClassName", "composite", "derivationExpression"
            )
            .with(.storedFlag, "derived")
            .with(
                .flag, "usesScalarValueType", "allowsExternalBinaryDataStorage", "allowsCloudEncryption",
                "preserveAfterDeletion"),
            ["userInfo"]),
        "relationship": ModelSourceKind(
            ofProperty.with(
                .text, "destinationEntity", "inverseName", "inverseEntity", "minCount", "maxCount", "deletionRule"
            )
            .with(.storedFlag, "toMany", "ordered"),
            ["userInfo"]),
        "fetchedProperty": ModelSourceKind(ofProperty, ["fetchRequest", "userInfo"]),
        "fetchRequest": ModelSourceKind(
            of(.text, "name", "entity", "predicateString", "fetchLimit", "fetchBatchSize", "resultType")
                .with(
                    .flag, "includeSubentities", "includePropertyValues", "includesPendingChanges",
                    "returnObjectsAsFaults", "returnDistinctResults"),
            ["userInfo"]),
        "configuration": ModelSourceKind(
            of(.text, "name").with(.flag, "usedWithCloudKit"), ["memberEntity"]),
        "memberEntity": ModelSourceKind(of(.text, "name")),
        "composite": ModelSourceKind(
            of(.text, "name").with(.ofEditor, "elementID", "versionHashModifier"), ["attribute", "userInfo"]),
        "fetchIndex": ModelSourceKind(of(.text, "name", "partialIndexPredicate"), ["fetchIndexElement"]),
        "fetchIndexElement": ModelSourceKind(
            of(.text, "property", "name", "expression", "expressionType").with(.words(["binary", "rtree"]), "type")
                .with(.words(["ascending", "descending"]), "order")),
        "uniquenessConstraints": ModelSourceKind([:], ["uniquenessConstraint"]),
        "uniquenessConstraint": ModelSourceKind([:], ["constraint"]),
        "constraint": ModelSourceKind(of(.text, "value")),
        "compoundIndexes": ModelSourceKind([:], ["compoundIndex"]),
        "compoundIndex": ModelSourceKind([:], ["index"]),
        "index": ModelSourceKind(of(.text, "value")),
        "userInfo": ModelSourceKind([:], ["entry"]),
        "entry": ModelSourceKind(of(.text, "key", "value")),
        // The places of entities in a diagram.
        "elements": ModelSourceKind([:], ["element"]),
        "element": ModelSourceKind(of(.ofEditor, "name", "positionX", "positionY", "width", "height")),
    ]

    private static func of(_ value: ValueForm, _ names: String...) -> [String: ValueForm] {
        Dictionary(uniqueKeysWithValues: names.map { ($0, value) })
    }

    private static let ofProperty = of(.text, "name", "elementID", "versionHashModifier", "renamingIdentifier")
        .with(.storedFlag, "optional", "transient")
        .with(.flag, "indexed", "spotlightIndexingEnabled", "storedInTruthFile")
        .with(.ofEditor, "syncable")
}

extension [String: ModelSourceKind.ValueForm] {
    fileprivate func with(_ value: ModelSourceKind.ValueForm, _ names: String...) -> Self {
        merging(names.map { ($0, value) }) { _, new in new }
    }
}
