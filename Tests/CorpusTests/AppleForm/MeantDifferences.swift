/// The differences between files of this library and Apple's that are meant, by kind, with the reason of each.
///
/// Apple's own files differ from each other in many of them: in the class of a collection, and in empty lists.
enum MeantDifferences {
    static let stores = reasons([
        (
            "A migration of Apple's creates changed tables again; the order of indexes is that of a hash table",
            [
                "order of creation.index: other",
                "order of creation.table: other",
            ]
        ),
        (
            "A migration of Apple's leaves the old name of a renamed entity",
            [
                "Z_PRIMARYKEY.*: Apple only",
                "Z_PRIMARYKEY.*: here only",
            ]
        ),
        (
            "A model in use names the classes that the program had",
            [
                "model.NSEntities.*.NSClassNameForEntity: other"
            ]
        ),
        (
            "Apple's archives have an empty list or none",
            [
                "model.NSEntities.*.NSCompoundIndexes: Apple only",
                "model.NSEntities.*.NSFetchIndexDescriptions: Apple only",
                "model.NSEntities.*.NSUniqueTuples: Apple only",
            ]
        ),
        (
            "Apple's archives have mutable objects and immutable ones of this kind",
            [
                "model.NSEntities.*.NSProperties.*.NSRenamingIdentifier.text: Apple only",
                "model.NSEntities.*.NSProperties.*.NSRenamingIdentifier: other",
                "model.NSEntities.*.NSProperties.*.NSValidationPredicates: other",
                "model.NSEntities.*.NSProperties.*.NSValidationWarnings: other",
                "model.NSEntities.*.NSRenamingIdentifier.text: Apple only",
                "model.NSEntities.*.NSRenamingIdentifier: other",
                "model.NSEntities.*.NSUniqueTuples.*: other",
                "model.NSEntities.*.NSUniqueTuples: other",
                "model.NSEntities.*.NSVersionHashModifier.text: Apple only",
                "model.NSEntities.*.NSVersionHashModifier: other",
                "table.*.text: other",
            ]
        ),
        (
            "Apple's archives have numbers for truth values, and mutable strings, or none of them",
            [
                "model.NSEntities.*.NSProperties.*.NSDefaultValue.text: Apple only",
                "model.NSEntities.*.NSProperties.*.NSDefaultValue: other",
            ]
        ),
        (
            "Compilers of the time dropped the class of a transformable attribute",
            [
                "model.NSEntities.*.NSProperties.*.NSAttributeValueClassName: other"
            ]
        ),
        (
            "Earlier versions of this library read the elements from this key",
            [
                "model.NSEntities.*.NSProperties.*.NSElements: here only"
            ]
        ),
        (
            "Entries of the program that wrote the store",
            [
                "metadata.*: Apple only"
            ]
        ),
        (
            "Models that Apple read from an .omo refer to the properties of the superentity",
            [
                "model.NSEntities.*.NSProperties.*.NSEntity: other",
                "model.NSEntities.*.NSProperties.*.NSEntity: other (before 2018)",
            ]
        ),
        (
            "Models that Apple's framework read from an .omo have null for an empty dictionary",
            [
                "model.NSEntities.*.NSSubentities: other"
            ]
        ),
        (
            "New stores claim the framework of 2023",
            [
                "metadata.NSPersistenceFrameworkVersion: other"
            ]
        ),
        (
            "Older frameworks have no such entry; the claimed one has",
            [
                "metadata.NSStoreModelVersionChecksumKey: here only",
                "metadata.NSStoreModelVersionHashesDigest: here only",
            ]
        ),
        (
            "Stores before 2018 have other indexes, constraints and archives",
            [
                "ACHANGE.Z_OPT: other (before 2018)",
                "Z_PRIMARYKEY.*: here only (before 2018)",
                "index.fetch index.*: here only (before 2018)",
                "index.key.*: Apple only (before 2018)",
                "index.key.*: here only (before 2018)",
                "index.uniqueness.*: here only (before 2018)",
                "metadata.*: Apple only (before 2018)",
                "metadata.NSPersistenceFrameworkVersion: other (before 2018)",
                "metadata.NSStoreModelVersionChecksumKey: here only (before 2018)",
                "metadata.NSStoreModelVersionHashesDigest: here only (before 2018)",
                "metadata.NSStoreModelVersionIdentifiers: other (before 2018)",
                "metadata._NSStoreAncillaryModelVersionHashesMetadataKey: Apple only (before 2018)",
                "model.NSEntities.*.NSClassNameForEntity: other (before 2018)",
                "model.NSEntities.*.NSCompoundIndexes: Apple only (before 2018)",
                "model.NSEntities.*.NSCompoundIndexes: other (before 2018)",
                "model.NSEntities.*.NSFetchIndexDescriptions: Apple only (before 2018)",
                "model.NSEntities.*.NSFetchIndexDescriptions: here only (before 2018)",
                "model.NSEntities.*.NSProperties.*.NSDefaultValue: other (before 2018)",
                "model.NSEntities.*.NSProperties.*.NSRenamingIdentifier.text: Apple only (before 2018)",
                "model.NSEntities.*.NSProperties.*.NSRenamingIdentifier: other (before 2018)",
                "model.NSEntities.*.NSRenamingIdentifier.text: Apple only (before 2018)",
                "model.NSEntities.*.NSRenamingIdentifier: other (before 2018)",
                "model.NSEntities.*.NSSubentities: other (before 2018)",
                "model.NSEntities.*.NSUniqueTuples.*: other (before 2018)",
                "model.NSEntities.*.NSUniqueTuples: other (before 2018)",
                "model.NSEntities.*.NSVersionHashModifier.text: Apple only (before 2018)",
                "model.NSEntities.*.NSVersionHashModifier: other (before 2018)",
                "model.NSVersionIdentifiers.elements: other (before 2018)",
                "model.NSVersionIdentifiers: other (before 2018)",
                "order of creation.index: other (before 2018)",
                "order of creation.table: other (before 2018)",
                "table.*.text: other (before 2018)",
                "table.*: here only (before 2018)",
            ]
        ),
        (
            "Stores of the claimed framework have none",
            [
                "metadata.NSPersistenceMaximumFrameworkVersion: Apple only"
            ]
        ),
        (
            "The mark of the properties' order; see HistoryProperties",
            [
                "ACHANGE.Z_OPT: other"
            ]
        ),
        (
            "The names of composite and derived attributes; see the list of deviations",
            [
                "metadata.*: here only"
            ]
        ),
        (
            "The source was edited since",
            [
                "model.NSVersionIdentifiers: other"
            ]
        ),
        (
            "The source was edited since, or the order is that of a hash table",
            [
                "index.fetch index.*: Apple only",
                "index.fetch index.*: here only",
                "model.NSEntities.*.NSCompoundIndexes.*: here only",
                "model.NSEntities.*.NSFetchIndexDescriptions.*.NSIndexElements: other",
                "model.NSEntities.*.NSFetchIndexDescriptions.*: Apple only",
                "model.NSEntities.*.NSFetchIndexDescriptions.*: here only",
                "model.NSEntities.*.NSFetchIndexDescriptions.order: other",
            ]
        ),
        (
            "The test has no object to save for the model, or the framework of 2017 has no such table",
            [
                "ACHANGE.Z_ENT: Apple only",
                "ACHANGE.Z_OPT: Apple only",
                "ATRANSACTION.Z_ENT: Apple only",
                "ATRANSACTION.Z_OPT: Apple only",
                "ATRANSACTIONSTRING.Z_ENT: Apple only",
                "ATRANSACTIONSTRING.Z_ENT: here only (before 2018)",
                "ATRANSACTIONSTRING.Z_OPT: Apple only",
                "ATRANSACTIONSTRING.Z_OPT: here only (before 2018)",
            ]
        ),
    ])

    static let compiledModels = reasons([
        (
            "A zero may have any exponent",
            [
                "NSEntities.*.NSProperties.*.NSDefaultValue.NS.exponent: other"
            ]
        ),
        (
            "Apple's archives have mutable objects and immutable ones of this kind",
            [
                "NSEntities.*.NSProperties.*.NSDerivationExpression.NSArguments: other"
            ]
        ),
        (
            "Compilers of the time dropped the class of a transformable attribute",
            [
                "NSEntities.*.NSProperties.*.NSAttributeValueClassName: other"
            ]
        ),
        (
            "The source was edited since",
            [
                "NSVersionIdentifiers.elements: other"
            ]
        ),
        (
            "The source was edited since, or the order is that of a hash table",
            [
                "NSEntities.*.NSFetchIndexDescriptions.*.NSIndexName.text: Apple only",
                "NSEntities.*.NSFetchIndexDescriptions.*.NSIndexName: other",
                "NSEntities.*.NSFetchIndexDescriptions.*: Apple only",
                "NSEntities.*.NSFetchIndexDescriptions.*: here only",
                "NSEntities.*.NSFetchIndexDescriptions.order: other",
            ]
        ),
        (
            "This library is not Apple's compiler",
            [
                "CDMCompilerToolVersion: Apple only",
                "CDMCompilerXcodeVersion: Apple only",
            ]
        ),
    ])

    private static func reasons(_ table: [(reason: String, kinds: [String])]) -> [String: String] {
        var reasons: [String: String] = [:]
        for (reason, kinds) in table {
            for kind in kinds { reasons[kind] = reason }
        }
        return reasons
    }
}
