import CoreData
import Foundation
import TestSupport
import Testing

/// Every real store that has a model opens, and every value in it equals that of the raw row.
/// Proof: Apple's SQLite stores, read here.
/// Proof: Apple's derived attributes, read here.
@Suite(.enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
struct StoreCorpusTests {
    /// The stores that nothing in the corpus describes: made before stores kept their model, with a model of the old
    /// binary kind or none at all; and one that was cut off.
    static let knownWithoutModel: Set<String> = [
        "RestKit__RestKit/@history/2011-03-05_3cf66e5385/Examples/RKTwitterCoreData/RKSeedDatabase.sqlite",
        "RestKit__RestKit/@history/2011-06-02_e808cf6b4e/Examples/RKTwitterCoreData/RKSeedDatabase.sqlite",
        "RestKit__RestKit/@history/2012-08-07_99738db1cc/Examples/RKTwitterCoreData/RKSeedDatabase.sqlite",
        "RestKit__RestKit/Examples/RKTwitterCoreData/RKSeedDatabase.sqlite",
        "log2timeline__plaso/test_data/ios/kik.sqlite",
        "log2timeline__plaso/test_data/macos/NotesV7.storedata",
        "magicalpanda__MagicalRecord/Samples/iOS/Resources/RecipeData/Recipes.sqlite",
    ]

    @Test("each store of the sample is opened; the stores without a model are named with the reason")
    func storesThatOpen() throws {
        var lines: [String] = []
        for (path, reason) in CorpusStore.withoutModel.sorted(by: { $0.key < $1.key }) {
            lines.append("  not opened: \(path): \(reason)")
        }
        var opened = 0
        // The values of all are read below.
        let stores = Sample.slice(CorpusStore.all, oneIn: 16, "opened")
        for store in stores {
            do {
                try store.withCopy { _ = try CorpusStore.open($0, store.model) }
                opened += 1
            } catch {
                Issue.record("\(store.path): \(error.localizedDescription)")
                lines.append("  not opened: \(store.path): \(error.localizedDescription)")
            }
        }
        print((["Corpus: \(opened) of \(stores.count) stores opened"] + lines).joined(separator: "\n"))
        #expect(Set(CorpusStore.withoutModel.keys) == Self.knownWithoutModel)
    }

    @Test("Every row, value and relationship of every store equals the raw rows")
    func readsWhatIsThere() throws {
        var total = (entities: 0, rows: 0, values: 0, links: 0)
        var types: [NSAttributeType: Int] = [:]
        var derived = 0
        for store in CorpusStore.all {
            try store.withCopy { url in
                let context = try CorpusStore.open(url, store.model)
                var comparison = try StoreComparison(url, model: store.model, context: context, name: store.path)
                try context.performAndWait { try comparison.run() }
                total.entities += comparison.entities
                total.rows += comparison.rows
                total.values += comparison.values
                total.links += comparison.links
                types.merge(comparison.valuesByType, uniquingKeysWith: +)
                derived += comparison.derivedValues
            }
        }
        print(
            "Corpus: compared \(total.rows) rows of \(total.entities) entities in \(CorpusStore.all.count) stores: "
                + "\(total.values) values of \(types.count) types, \(total.links) links")
        // No store of the corpus has the value of a URI attribute; the changes of copies write and read some.
        for type: NSAttributeType in [
            .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .doubleAttributeType,
            .floatAttributeType, .decimalAttributeType, .booleanAttributeType, .stringAttributeType,
            .dateAttributeType, .binaryDataAttributeType, .UUIDAttributeType,
            .transformableAttributeType,
        ] {
            #expect(types[type] ?? 0 > 0, "no value of type \(type.rawValue)")
        }
        #expect(derived > 0, "no value of a derived attribute")
    }

    @Test("a store opens just as well with an XML source that it was made from")
    func opensWithItsSource() throws {
        var stores = 0
        var sources = 0
        for store in Sample.slice(CorpusStore.all, oneIn: 8, "sources") {
            let matching = CorpusStore.matchingSources(store.path)
            stores += matching.isEmpty ? 0 : 1
            sources += matching.count
            for source in matching {
                try store.withCopy { url in
                    let context = try CorpusStore.open(url, source.model)
                    try context.performAndWait {
                        let raw = try RawEntities(url, model: source.model)
                        for entity in source.model.entities {
                            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
                            request.includesSubentities = false
                            #expect(try context.fetch(request).count == raw.count(of: entity), "\(source.path)")
                        }
                    }
                }
            }
        }
        print("Corpus: \(stores) stores opened with \(sources) XML sources")
        #expect(stores >= (Sample.isWhole ? 40 : 4))
    }
}
