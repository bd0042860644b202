import Foundation
import SwiftData
import TestSupport
import Testing

// Whole files beside Apple's: the schema's text, the archived model with every field, the metadata, and the rows of the
// bookkeeping tables. Links lead to the files by which the tests of the framework compare such files.
extension SwiftDataSchemaTests {
    @Test(
        "A new store has Apple's archived model and metadata, but for dates, identifiers and defaults",
        .enabled(if: Corpus.isPresent, "\(Corpus.absence)"), arguments: OriginalStore.all)
    func files(_ original: OriginalStore) throws {
        try withTemporaryFolder { folder in
            let theirs = try StoreEntries.entries(of: Corpus.copyStore(original.path, to: folder))
            let url = folder.appendingPathComponent("ours.store")
            _ = try ModelContainer(for: original.schema, configurations: ModelConfiguration(url: url))
            let differences = theirs.differences(to: try StoreEntries.entries(of: url))
            #expect(differences.filter { !Self.isMeant($0) }.map(\.description) == [])
        }
    }

    private static func isMeant(_ difference: FormDifference) -> Bool {
        let (apple, ours) = (difference.apple, difference.ours)
        switch difference.kind.split(separator: ":").first.map(String.init) {
        // A new store has no transaction yet.
        case "ACHANGE.Z_ENT", "ACHANGE.Z_OPT", "ATRANSACTION.Z_ENT", "ATRANSACTION.Z_OPT", "ATRANSACTIONSTRING.Z_ENT",
            "ATRANSACTIONSTRING.Z_OPT":
            return ours == nil
        case "Z_PRIMARYKEY.*": return ours == nil && ["CHANGE", "TRANSACTION", "TRANSACTIONSTRING"].contains(apple)
        // New stores claim a framework of 2023, and name the composites: see the list of deviations.
        case "metadata.NSPersistenceFrameworkVersion": return ours == "integer(1344)"
        case "metadata.NSPersistenceMaximumFrameworkVersion": return ours == nil
        case "metadata.*": return difference.place.last == .name("OpenCoreDataNamedHashes") && apple == nil
        // Earlier versions of this library read the elements from this key.
        case "model.NSEntities.*.NSProperties.*.NSElements": return apple == nil
        // Apple's archives have an empty list or none.
        case "model.NSEntities.*.NSUniqueTuples": return apple == "NSMutableArray" && ours == nil
        // The framework of iOS 17 named the classes.
        case "model.NSEntities.*.NSClassNameForEntity":
            return ours == "null" && difference.place.contains(.name(apple ?? ""))
        // A stand-in has the place of a class of Apple's.
        case "model.NSEntities.*.NSProperties.*.NSAttributeValueClassName":
            return apple == "NSColor" && ours == "Colour"
        // Dates and identifiers differ from launch to launch, and the classes here have defaults in place of arguments.
        case let kind?:
            return kind.contains(".NSDefaultValue") && apple != "NSMutableDictionary" && ours != "NSMutableDictionary"
        case nil: return false
        }
    }
}
