import Foundation

@testable import CoreData

/// The differences between files of this library and Apple's that are meant, with the reason of each.
///
/// Apple's own files differ from each other in many of them: in the class of a collection, and in empty lists.
enum MeantDifferences {
    private typealias Condition = @Sendable (FormDifference, FormOrigin) -> Bool

    static let stores =
        schemas + olderSchemas + bookkeeping + metadata + models(at: "model.") + olderModels
    static let compiledModels =
        models(at: "", ofCompiledFiles: true)
        + meant(
            "This library is not Apple's compiler", ["CDMCompilerToolVersion", "CDMCompilerXcodeVersion"],
            .appleOnly, free: [.apple])

    private enum Side: String {
        case appleOnly = "Apple only"
        case hereOnly = "here only"
        case other
    }

    private static func meant(
        _ reason: String, _ places: [String], _ side: Side, free: Set<MeantDifference.Part> = [],
        _ condition: @escaping Condition = { _, _ in true }
    ) -> [MeantDifference] {
        places.map {
            MeantDifference(
                kind: "\($0): \(side.rawValue)", reason: reason, free: free, condition: condition)
        }
    }

    // MARK: Tables, indexes and rows of a store

    /// The names, in files and source, of the one fetch index that was renamed after its store was made.
    private static let (formerIndex, renamedIndex) = ("maker_numberPlate", "byMakerAndNumberPlate")

    private static func isIndex(_ name: String) -> Condition {
        { difference, origin in
            origin.isOfSource && origin.path.hasPrefix("alemar11__CoreDataPlus/")
                && difference.names.last?.hasSuffix(name) == true
                && [difference.apple, difference.ours].contains { value in
                    value == "NSFetchIndexDescription" || value?.contains(name) == true
                }
        }
    }

    private static let schemas =
        meant(
            "A migration of Apple's creates changed tables again", ["order of creation.table"], .other,
            free: [.apple],
            {
                // In a new store these three stand behind the tables of entities.
                $1.isMigrated && $0.isReordered && $0.ours?.contains("Z_PRIMARYKEY, Z_METADATA, Z_MODELCACHE") == true
            })
        + meant(
            "Apple's order of the indexes that attributes imply is that of a hash table",
            ["order of creation.implied index.*"], .other, free: [.apple, .ours],
            { difference, _ in difference.isReordered })
        + meant(
            "The source was edited since", ["index.fetch index.*"], .appleOnly, free: [.apple], isIndex(formerIndex))
        + meant("The source was edited since", ["index.fetch index.*"], .hereOnly, free: [.ours], isIndex(renamedIndex))
        + meant("The source was edited since", ["order of creation.index"], .other) { difference, origin in
            origin.isOfSource
                && difference.apple?.replacingOccurrences(of: formerIndex, with: renamedIndex)
                    == difference.ours
        }

    /// What Apple's frameworks before 2018 made otherwise.
    private static let olderSchemas =
        meant("Stores before 2018 have constraints in the table", ["table.*.text"], .other) { difference, origin in
            // The one such store with history has transactions without keys of names, too.
            let apple = difference.apple?.replacing(/, CONSTRAINT \w+ UNIQUE \([\w, ]+\)\)$/, with: " )")
                .replacingOccurrences(of: " VARCHAR UNIQUE,", with: " VARCHAR,")
            let ours = difference.ours?.replacing(#/Z(AUTHOR|BUNDLEID|CONTEXTNAME|PROCESSID)TS INTEGER, /#, with: "")
            return origin.isBefore2018 && apple == ours
        }
        + meant("Stores before 2018 have constraints in the table", ["index.uniqueness.*"], .hereOnly, free: [.ours]) {
            $1.isBefore2018 && $0.names.last?.contains("_UNIQUE_") == true
        }
        + meant("Stores before 2018 have no names of transactions", ["table.*"], .hereOnly, free: [.parts]) {
            $1.isBefore2018 && $0.names == ["ATRANSACTIONSTRING"] && $0.ours == "table"
        }
        + meant("Stores before 2018 have no names of transactions", ["index.key.*"], .hereOnly, free: [.ours]) {
            $1.isBefore2018 && $0.names.last?.wholeMatch(of: /ATRANSACTION_Z\w+TS_INDEX/) != nil
        }
        + meant(
            "Stores before 2018 have other names of the indexes of attributes", ["index.key.*"], .appleOnly
        ) { difference, origin in
            // Keys of relationships have indexes of these names in both files, so this one is of attributes.
            origin.isBefore2018 && difference.names.last?.hasPrefix("ATRANSACTION_") == false
                && difference.apple?.wholeMatch(of: /CREATE INDEX (\w+?)_Z\w+ ON \1 \((\w+, )*\w+\)/) != nil
        }
        + meant(
            "Stores before 2018 have other names of the indexes of attributes", ["index.fetch index.*"], .hereOnly
        ) { difference, origin in
            origin.isBefore2018
                && difference.ours?.wholeMatch(
                    of: /CREATE INDEX Z_\w+ ON \w+ \((\w+ COLLATE BINARY ASC, )*\w+ COLLATE BINARY ASC\)/) != nil
        }
        + meant("Stores before 2018 have other indexes and constraints", ["order of creation.index"], .other) {
            $1.isBefore2018 && $0.agreesOnCommonOrder
        }
        + meant(
            "Stores before 2018 have other names of the indexes of attributes",
            ["order of creation.implied index.*"], .hereOnly, free: [.ours], { $1.isBefore2018 })
        + meant("Stores before 2018 have no names of transactions", ["order of creation.table"], .other) {
            $1.isBefore2018 && $0.ours == $0.apple.map { $0 + ", ATRANSACTIONSTRING" }
        }

    private static let bookkeeping =
        meant("A migration of Apple's leaves the old name of a renamed entity", ["Z_PRIMARYKEY.*"], .other) {
            $1.isMigrated && $1.model.entitiesByName[$0.ours ?? ""]?.renamingIdentifier == $0.apple
        }
        + meant("The mark of the properties' order; see HistoryProperties", ["ACHANGE.Z_OPT"], .other) {
            difference, _ in difference.isPair("null", "integer,null")
        }
        + meant("Stores before 2018 have no names of transactions", ["ATRANSACTIONSTRING.Z_ENT"], .hereOnly) {
            $1.isBefore2018 && $0.ours == "integer"
        }
        + meant("Stores before 2018 have no names of transactions", ["ATRANSACTIONSTRING.Z_OPT"], .hereOnly) {
            $1.isBefore2018 && $0.ours == "null"
        }
        + meant("Stores before 2018 have no names of transactions", ["Z_PRIMARYKEY.*"], .hereOnly, free: [.parts]) {
            $1.isBefore2018 && $0.names == ["16003"] && $0.ours == "TRANSACTIONSTRING"
        }

    private static let metadata =
        meant("Entries of the program that wrote the store", ["metadata.*"], .appleOnly, free: [.apple]) {
            $0.names.last?.contains("OpenCoreData") == false && $1.framework != nil
        }
        + meant(
            "The names of composite and derived attributes; see the list of deviations", ["metadata.*"], .hereOnly,
            free: [.parts]
        ) { difference, _ in difference.names == ["OpenCoreDataNamedHashes"] && difference.ours == "dictionary" }
        + meant(
            "New stores claim the framework of 2023", ["metadata.NSPersistenceFrameworkVersion"], .other, free: [.apple]
        ) { difference, _ in difference.ours == "integer(1344)" }
        + meant(
            "Older frameworks have no such entry; the claimed one has", ["metadata.NSStoreModelVersionChecksumKey"],
            .hereOnly
        ) { ($1.framework ?? 0) < 1333 && $0.ours == "string(\"\($1.model.versionChecksum)\")" }
        + meant(
            "Older frameworks have no such entry; the claimed one has", ["metadata.NSStoreModelVersionHashesDigest"],
            .hereOnly
        ) { ($1.framework ?? 0) < 977 && $0.ours == "string(\"\($1.model.storeDigest)\")" }
        + meant(
            "Stores of the claimed framework have none", ["metadata.NSPersistenceMaximumFrameworkVersion"], .appleOnly
        ) { ($1.framework ?? 0) >= 1344 && $0.apple == "integer(\($1.framework ?? 0))" }
        + meant(
            "The store of 2017 alone has hashes of history's model",
            ["metadata._NSStoreAncillaryModelVersionHashesMetadataKey"], .appleOnly, free: [.parts]
        ) { $1.framework == 851 && $0.apple == "dictionary" }
        + meant("The source was edited since", ["metadata.NSStoreModelVersionIdentifiers"], .other) {
            $1.isOfSource && $0.apple == #"array([CoreData.PropertyListValue.string("")])"#
                && $0.ours == #"array([CoreData.PropertyListValue.string("1")])"#
        }

    // MARK: Archives of models

    /// The differences of archived models, of which `prefix` begins the places.
    private static func models(at prefix: String, ofCompiledFiles isCompiled: Bool = false) -> [MeantDifference] {
        func places(_ names: [String]) -> [String] { names.map { prefix + $0 } }
        let entity = "NSEntities.*."
        let property = entity + "NSProperties.*."
        let indexes = entity + "NSFetchIndexDescriptions"
        let common =
            meant(
                "Compilers of the time dropped the class of a transformable attribute",
                places([property + "NSAttributeValueClassName"]), .other
            ) { $1.isOfSource && $0.isPair("null", "Color") }
            + meant(
                "The source was edited since", places([indexes + ".*"]), .appleOnly, free: [.parts],
                isIndex(formerIndex))
            + meant(
                "The source was edited since", places([indexes + ".*"]), .hereOnly, free: [.parts],
                isIndex(renamedIndex))
            + meant("The source was edited since", places([indexes + ".order"]), .other) {
                $1.isOfSource && $0.isPair(formerIndex, renamedIndex)
            }
            + meant("The source was edited since", places(["NSVersionIdentifiers.elements"]), .other) {
                $1.isOfSource && $0.isPair("", "1")
            }
        guard !isCompiled else {
            return common
                + meant(
                    "Apple's archives have mutable arrays and immutable ones of this kind",
                    places([property + "NSDerivationExpression.NSArguments"]), .other
                ) { difference, _ in difference.isPair("NSMutableArray", "NSArray") }
                + meant(
                    "Apple's archives have mutable texts and immutable ones of this kind",
                    places([indexes + ".*.NSIndexName.class"]), .appleOnly
                ) { difference, _ in difference.apple == "NSMutableString" }
        }
        return common
            + meant(
                "Apple's order of the indexes that attributes imply is that of a hash table",
                places([indexes + ".order.implied"]), .other, free: [.apple, .ours],
                { difference, _ in difference.isReordered })
            + meant(
                "Apple's archives have an empty list or none",
                places([entity + "NSCompoundIndexes", indexes, entity + "NSUniqueTuples"]), .appleOnly
            ) { difference, _ in difference.apple == "NSMutableArray" }
            + meant(
                "Apple's archives have mutable texts and immutable ones of this kind",
                places(
                    [
                        property + "NSRenamingIdentifier", property + "NSDefaultValue", entity + "NSRenamingIdentifier",
                        entity + "NSVersionHashModifier",
                    ].map { $0 + ".class" }), .appleOnly
            ) { difference, _ in difference.apple == "NSMutableString" }
            + meant(
                "Apple's archives have mutable arrays and immutable ones of this kind",
                places([
                    property + "NSValidationPredicates", property + "NSValidationWarnings",
                    indexes + ".*.NSIndexElements",
                ]), .other
            ) { difference, _ in difference.isPair("NSMutableArray", "NSArray") }
            + meant(
                "Apple's archives have mutable arrays and immutable ones of this kind",
                places([entity + "NSUniqueTuples", entity + "NSUniqueTuples.*"]), .other
            ) { difference, _ in difference.isPair("NSArray", "NSMutableArray") }
            + meant(
                "Apple's archives have mutable sets and immutable ones of this kind", places(["NSVersionIdentifiers"]),
                .other
            ) { difference, _ in difference.isPair("NSMutableSet", "NSSet") }
            + meant(
                "Apple's archives have numbers for truth values", places([property + "NSDefaultValue"]), .other
            ) { difference, _ in
                difference.isPair("integer 0", "Boolean false") || difference.isPair("integer 1", "Boolean true")
            }
            + meant(
                "Earlier versions of this library read the elements from this key", places([property + "NSElements"]),
                .hereOnly, free: [.parts]
            ) { difference, _ in difference.ours == "NSArray" }
            + meant(
                "Models that Apple's framework read from an .omo refer to the properties of the superentity",
                places([property + "NSEntity"]), .other
            ) { difference, origin in
                let (apple, ours) = (difference.apple ?? "", difference.ours ?? "")
                return ours == "entity \(difference.names.first ?? "")"
                    && origin.isAncestor(String(apple.dropFirst("entity ".count)), of: difference.names.first ?? "")
            }
            + meant(
                "Models that Apple's framework read from an .omo have null for an empty dictionary",
                places([entity + "NSSubentities"]), .other
            ) { difference, _ in difference.isPair("null", "NSMutableDictionary") }
            + meant(
                "A model in use names the classes that the program had", places([entity + "NSClassNameForEntity"]),
                .other
            ) { difference, origin in
                guard origin.isOfSource, let ours = difference.ours, let apple = difference.apple else { return false }
                // A class of the program's own module, of which a source says nothing.
                if ours.hasPrefix(".") { return apple.hasSuffix(ours) && !apple.hasPrefix(".") }
                let name = difference.names[0]
                return apple == "null" ? ours == name : ours == "null" && apple.hasSuffix("." + name)
            }
    }

    private static let olderModels =
        meant(
            "Stores before 2018 have no fetch indexes", ["model.NSEntities.*.NSFetchIndexDescriptions"], .hereOnly,
            free: [.parts]
        ) { $1.isBefore2018 && $0.ours == "NSMutableArray" && !$0.parts.isEmpty }
        + meant(
            "Stores before 2018 have immutable arrays of this kind", ["model.NSEntities.*.NSCompoundIndexes"], .other
        ) { $1.isBefore2018 && $0.isPair("NSArray", "NSMutableArray") }
}
