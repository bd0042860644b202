import CoreData
import Foundation
import TestSupport
import Testing

/// Copies of real stores are changed, saved and opened again.
/// Proof: Apple's SQLite stores, changed here.
/// Proof: Apple's derived attributes, changed here.
@Suite(.enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
struct StoreChangeCorpusTests {
    @Test(
        "Objects inserted, changed, related and deleted in a real store are so when it is opened again",
        arguments: Sample.slice(CorpusStore.all, oneIn: 8, "changes"))
    func changesLast(_ store: CorpusStore) throws {
        try store.withCopy { url in
            let original = try RawEntities(url, model: store.model)
            let versions = try original.versions()
            // A key that leads nowhere leads to an object when a new row happens to get that key.
            let isSound = try !original.hasDanglingReferences()
            // A store with history is changed with history or not at all.
            let tracksHistory = original.database.tables.contains("ACHANGE")
            let recorded = try tracksHistory ? original.database.integer("SELECT count(*) FROM ACHANGE") ?? 0 : 0
            let context = try CorpusStore.open(
                url, store.model, options: [NSPersistentHistoryTrackingKey: tracksHistory])
            var changes = StoreChanges(context: context, model: store.model)
            let (before, names) = try context.performAndWait {
                try changes.insert()
                try changes.update()
                try changes.relate()
                try changes.delete()
                // A relationship without an inverse does not change when one of its objects is deleted.
                let isOneWay = store.model.entities.contains { entity in
                    entity.relationshipsByName.values.contains { $0.inverseRelationship == nil }
                }
                if isOneWay { context.refreshAllObjects() }
                return (try GraphDump(context, model: store.model), changes.inserted.map(GraphDump.name))
            }
            for store in context.persistentStoreCoordinator?.persistentStores ?? [] {
                try context.persistentStoreCoordinator?.remove(store)
            }
            print(
                "Corpus: \(store.path): inserted \(names.count), updated \(changes.updated), related \(changes.related), "
                    + "deleted \(changes.deleted.count), refused by the model's rules \(changes.refused)")
            #expect(!names.isEmpty, "nothing could be inserted")

            let raw = try RawEntities(url, model: store.model)
            #expect(try raw.database.integrityCheck() == ["ok"])
            try expectKeysReserved(raw)
            if tracksHistory {
                let now = try raw.database.integer("SELECT count(*) FROM ACHANGE") ?? 0
                #expect(now >= recorded + Int64(names.count), "history misses changes")
            }
            let newVersions = try raw.versions()
            for (name, version) in newVersions {
                #expect(version >= versions[name] ?? 1, "\(name): version \(versions[name] ?? 0) became \(version)")
            }
            #expect(Set(newVersions.keys) == Set(before.objects.keys), "rows and objects differ")
            #expect(names.filter { newVersions[$0] != nil }.isEmpty == false, "nothing that was inserted is left")
            for name in changes.deleted { #expect(newVersions[name] == nil, "\(name) was deleted") }

            let reopened = try CorpusStore.open(url, store.model)
            var comparison = try StoreComparison(url, model: store.model, context: reopened, name: store.path)
            try reopened.performAndWait {
                let differences = try GraphDump(reopened, model: store.model).differences(from: before)
                #expect(differences.isEmpty || !isSound, "\(differences.prefix(8).joined(separator: "\n"))")
                try comparison.run()
            }
        }
    }

    @Test("A derived count in a store of Apple's follows its members, which its triggers count as well")
    func derivedCount() throws {
        let store = try #require(CorpusStore.all.first { $0.path.hasSuffix("/SampleModel2_V1.sqlite") })
        try store.withCopy { url in
            let raw = try RawDatabase(url)
            let total = "SELECT SUM(ZPAGESCOUNT) FROM ZBOOK"
            let before = try #require(try raw.integer(total))
            let context = try CorpusStore.open(url, store.model, options: [NSPersistentHistoryTrackingKey: true])
            try context.performAndWait {
                let pages = NSFetchRequest<NSManagedObject>(entityName: "Page")
                pages.fetchLimit = 3
                let found = try context.fetch(pages)
                let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
                let owner = found[2].value(forKey: "book") as? NSManagedObject
                let other = try #require(books.first { $0 !== owner })
                found[2].setValue(other, forKey: "book")
                context.delete(found[0])
                context.delete(found[1])
                try context.save()
                context.refreshAllObjects()
                let count = try raw.integer(
                    "SELECT COUNT(*) FROM ZPAGE p JOIN ZBOOK b ON b.Z_PK = p.ZBOOK WHERE b.Z_PK = "
                        + other.objectID.uriRepresentation().lastPathComponent.dropFirst())
                #expect(other.value(forKey: "pagesCount") as? Int64 == count)
            }
            #expect(try raw.integer(total) == before - 2)
            let counted = "(SELECT COUNT(*) FROM ZPAGE WHERE ZBOOK = b.Z_PK)"
            #expect(try raw.integer("SELECT COUNT(*) FROM ZBOOK b WHERE ZPAGESCOUNT IS NOT \(counted)") == 0)
        }
    }

    /// No key in use is above the highest one in the store's bookkeeping table.
    private func expectKeysReserved(_ raw: RawEntities) throws {
        for root in raw.model.entities where root.superentity == nil {
            let name = root.name ?? ""
            let highest = try raw.database.integer("SELECT max(Z_PK) FROM \(RawEntities.table(of: root))") ?? 0
            let number = raw.numbers[name] ?? 0
            let handedOut = try raw.database.integer(
                "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [.int(number)])
            #expect(handedOut ?? 0 >= highest, "\(name)")
        }
    }
}

extension RawEntities {
    /// Whether a to-one column holds the key of a row that is not there.
    func hasDanglingReferences() throws -> Bool {
        for entity in model.entities {
            for relationship in entity.relationshipsByName.values where !relationship.isToMany {
                guard let destination = relationship.destinationEntity, !relationship.isTransient else { continue }
                let targets = try rows(of: destination)
                for column in try columns(relationship.name, in: entity) {
                    for row in try rows(of: entity).values {
                        if let key = row[column]?.int, key > 0, targets[key] == nil { return true }
                    }
                }
            }
        }
        return false
    }

    /// The version (Z_OPT) of every row by "Entity/key".
    func versions() throws -> [String: Int64] {
        var versions: [String: Int64] = [:]
        for root in model.entities where root.superentity == nil {
            for (key, row) in try rows(of: root) {
                let name = try entityName(of: key, in: root) ?? ""
                versions["\(name)/\(key)"] = row["Z_OPT"]?.int ?? 0
            }
        }
        return versions
    }
}
