import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// Counts its objects that are alive.
final class ScratchTag: NSManagedObject {
    nonisolated(unsafe) static var alive = 0  // the test runs on one thread
    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        Self.alive += 1
        super.init(entity: entity, insertInto: context)
    }
    deinit { Self.alive -= 1 }
}

@Suite("Batch insertion", .leavesNothingBehind, .onEveryDatabase)
struct BatchInsertTests {
    private static let model = """
        entity Tag
          label string! 
          weight int32! = 7
          note string
          seen date
          image data external
          item one Item.tags
        entity Item
          name string
          tags many Tag.item
        """

    private func stack() throws -> TextStack { try TextStack(Self.model, kind: .current) }

    @Test("dictionaries become rows with default values, version 1 and keys that are handed out once")
    func dictionaries() throws {
        let stack = try stack()
        let context = stack.context()
        try context.performAndWait {
            context.make("Tag", ["label": "before"])
            try context.save()
            let request = NSBatchInsertRequest(
                entityName: "Tag",
                objects: [
                    ["label": "a", "seen": Date(timeIntervalSinceReferenceDate: 5)],
                    ["label": "b", "weight": 1, "note": NSNull()],
                ])
            let result = try #require(try context.execute(request) as? NSBatchInsertResult)
            #expect(result.resultType == .statusOnly)
            #expect(result.result as? Bool == true)
            context.make("Tag", ["label": "after"])
            try context.save()
        }
        #expect(
            try stack.lines("Tag", "label", "weight", "seen", "note") == [
                "before 7 - - 1", "a 7 5.0 - 1", "b 1 - - 1", "after 7 - - 1",
            ])
        if stack.kind == .sqlite {
            let raw = try stack.raw()
            #expect(
                try raw.rows("SELECT Z_PK, Z_ENT FROM ZTAG ORDER BY Z_PK") == (1...4).map { [.int($0), .int(2)] })
            #expect(try raw.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'") == 4)
        }
    }

    @Test("a handler fills one dictionary again and again, and the ids that come back lead to the rows")
    func dictionaryHandler() throws {
        let stack = try stack()
        let context = stack.context()
        try context.performAndWait {
            var calls = 0
            var dictionaries: Set<ObjectIdentifier> = []
            var wasEmpty = true
            let request = NSBatchInsertRequest(entityName: "Tag") { (dictionary: NSMutableDictionary) in
                dictionaries.insert(ObjectIdentifier(dictionary))
                if dictionary.count > 0 { wasEmpty = false }
                if calls == 600 { return true }
                dictionary["label"] = "tag \(calls)"
                calls += 1
                return false
            }
            request.resultType = .objectIDs
            let result = try #require(try context.execute(request) as? NSBatchInsertResult)
            let ids = try #require(result.result as? [NSManagedObjectID])
            #expect(calls == 600)
            #expect(wasEmpty)
            #expect(dictionaries.count == 1)
            #expect(ids.count == 600)
            #expect(context.registeredObjects.isEmpty)
            #expect(try context.existingObject(with: ids[599]).value(forKey: "label") as? String == "tag 599")
        }
    }

    @Test("rows name their attributes in any order, and some of them twice or not at all")
    func orderOfNames() throws {
        let stack = try TextStack("entity Tag\n label string\n note string\n rank int64", kind: .current)
        let context = stack.context()
        try context.performAndWait {
            let rows: [[(String, Any)]] = [
                [("label", "a"), ("note", "first"), ("rank", 1)],
                [("rank", 2), ("label", "b"), ("note", "second")],
                [("label", "x"), ("label", "c"), ("rank", 9), ("rank", 8), ("rank", 3), ("label", "c")],
                [("note", "fourth"), ("label", NSString("d")), ("rank", NSNumber(value: 4))],
                [("note", "fifth"), ("label", "e"), ("rank", Int32(5))],
            ]
            var next = rows.makeIterator()
            let request = NSBatchInsertRequest(entityName: "Tag") { (dictionary: NSMutableDictionary) in
                guard let row = next.next() else { return true }
                for (name, value) in row { dictionary[name] = value }
                for (name, value) in Dictionary(row, uniquingKeysWith: { $1 }) {
                    #expect("\(dictionary[name] ?? "nil")" == "\(value)")
                }
                return false
            }
            try context.execute(request)
        }
        let lines = try stack.lines("Tag", "label", "note", "rank", versions: false)
        #expect(lines == ["a first 1", "b second 2", "c - 3", "d fourth 4", "e fifth 5"])
    }

    @Test("A handler's dictionary is a full one: values are read, counted, walked through, added and taken out again")
    func readingHandlersDictionary() throws {
        let stack = try stack()
        let context = stack.context()
        try context.performAndWait {
            var isDone = false
            let request = NSBatchInsertRequest(entityName: "Tag") { (dictionary: NSMutableDictionary) in
                if isDone { return true }
                isDone = true
                dictionary.addEntries(from: ["label": "added", "weight": NSNumber(value: 2), "other": 1])
                #expect(dictionary.count == 3)
                #expect(dictionary["weight"] as? Int == 2 && dictionary.object(forKey: "other") as? Int == 1)
                dictionary.removeObject(forKey: "other")
                dictionary["weight"] = nil
                dictionary["weight" as NSString] = 3
                #expect(Set(dictionary.allKeys.compactMap { $0 as? String }) == ["label", "weight"])
                var walked: [String: Any] = [:]
                for (key, value) in dictionary { walked[key as? String ?? ""] = value }
                #expect(walked["label"] as? String == "added" && walked["weight"] as? Int == 3 && walked.count == 2)
                let other = type(of: dictionary).init(dictionaryLiteral: ("label", "other"), ("x", 1))
                #expect(other["label"] as? String == "other" && other["x" as NSString] as? Int == 1 && other.count == 2)
                let copy = dictionary.mutableCopy() as? NSMutableDictionary
                #expect(copy?["label"] as? String == "added" && copy?.count == 2)
                return false
            }
            try context.execute(request)
        }
        #expect(try stack.lines("Tag", "label", "weight", versions: false) == ["added 3"])
    }

    @Test("an optional without a value is no value, in a handler's dictionary and in a list")
    func optionals() throws {
        let stack = try stack()
        let context = stack.context()
        try context.performAndWait {
            let none: String? = nil
            var isDone = false
            let request = NSBatchInsertRequest(entityName: "Tag") { (dictionary: NSMutableDictionary) in
                if isDone { return true }
                isDone = true
                dictionary["label"] = "a" as String? as Any
                dictionary.setObject(none as Any, forKey: "note")
                return false
            }
            try context.execute(request)
            try context.execute(
                NSBatchInsertRequest(entityName: "Tag", objects: [["label": "b", "note": none as Any]]))
        }
        #expect(try stack.lines("Tag", "label", "note", versions: false) == ["a -", "b -"])
    }

    @Test("a handler's key that names no attribute is refused, text or not", arguments: [true, false])
    func foreignKeys(isText: Bool) throws {
        let stack = try stack()
        let context = stack.context()
        context.performAndWait {
            let request = NSBatchInsertRequest(entityName: "Tag") { (dictionary: NSMutableDictionary) in
                dictionary.setObject("a", forKey: "label" as AnyHashable)
                dictionary.setObject(1, forKey: isText ? "nothing" as AnyHashable : 7 as AnyHashable)
                return false
            }
            let error = #expect(throws: NSError.self) { try context.execute(request) }
            #expect(error?.code == NSManagedObjectValidationError)
            #expect(error?.localizedDescription.contains(isText ? "nothing" : "7") == true)
        }
        #expect(try stack.lines("Tag", "label") == [])
    }

    @Test(
        "a handler sets objects of the entity's class, of which there is never more than one, and nothing is kept of them"
    )
    func objectHandler() throws {
        let stack = try TextStack(Self.model, kind: .current) {
            $0.entitiesByName["Tag"]?.managedObjectClassName = NSStringFromClass(ScratchTag.self)
        }
        let context = stack.context()
        let store = try #require(stack.coordinator.persistentStores.first as? SQLStore)
        try context.performAndWait {
            var calls = 0
            var mostAlive = 0
            var haveClass = true
            let request = NSBatchInsertRequest(entityName: "Tag") { (object: NSManagedObject) in
                mostAlive = max(mostAlive, ScratchTag.alive)
                haveClass = haveClass && object is ScratchTag && object.managedObjectContext == nil
                if calls == 3000 { return true }
                object.setValue("tag \(calls)", forKey: "label")
                calls += 1
                return false
            }
            request.resultType = .count
            let result = try #require(try context.execute(request) as? NSBatchInsertResult)
            #expect(result.result as? Int == 3000)
            #expect(haveClass)
            #expect(mostAlive == 1)
            #expect(store.rowCache.count == 0)
        }
        #expect(ScratchTag.alive == 0)
        #expect(Set(try stack.lines("Tag", "weight")) == ["7 1"])
        #expect(try stack.count("Tag") == 3000)
    }

    @Test(
        "an unknown key, a relationship, a wrong type and a missing mandatory value are errors that name the key; nothing stays"
    )
    func wrongRows() throws {
        let stack = try stack()
        let context = stack.context()
        func failure(_ row: [String: Any]) throws -> NSError {
            try context.performAndWait {
                let rows: [[String: Any]] = [["label": "good"], row]
                return try #require(throws: NSError.self) {
                    try context.execute(NSBatchInsertRequest(entityName: "Tag", objects: rows))
                }
            }
        }
        for (row, code, key) in [
            (["label": "a", "colour": "red"], 1550, "colour"), (["label": "a", "item": "x"], 1550, "item"),
            (["label": "a", "seen": "yesterday"], 1550, "seen"), (["note": "n"], 1570, "label"),
            (["label": "a", "weight": NSNull()], 1570, "weight"),
        ] as [([String: Any], Int, String)] {
            let error = try failure(row)
            #expect(error.domain == NSCocoaErrorDomain)
            #expect(error.code == code)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == key)
        }
        #expect(try stack.count("Tag") == 0)
    }

    @Test("a broken uniqueness constraint fails the whole batch with 133021")
    func collision() throws {
        let stack = try TextStack("entity Tag\n label string\n unique label", kind: .current)
        let context = stack.context()
        try context.performAndWait {
            let request = NSBatchInsertRequest(
                entityName: "Tag", objects: [["label": "a"], ["label": "b"], ["label": "a"]])
            let error = try #require(throws: NSError.self) { try context.execute(request) }
            #expect(error.code == NSManagedObjectConstraintMergeError)
            if stack.kind == .sqlite {
                #expect((error.userInfo[NSSQLiteErrorDomain] as? NSNumber)?.intValue == 2067)
            }
        }
        #expect(try stack.count("Tag") == 0)
    }

    @Test(
        "a merge policy decides about rows that are there: given values, or all, replace theirs, or they stay",
        arguments: [
            (NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, ["a 1 9 2", "b 5 - 1", "c 6 - 1"], 3),
            (.overwriteMergePolicyType, ["a 1 - 3", "b 5 - 1", "c 6 - 1"], 4),
            (.mergeByPropertyStoreTrumpMergePolicyType, ["a 3 9 1", "b 5 - 1", "c 6 - 1"], 2),
            (.rollbackMergePolicyType, ["a 3 9 1", "b 5 - 1", "c 6 - 1"], 2),
        ])
    func mergePolicies(_ type: NSMergePolicyType, _ expected: [String], _ count: Int) throws {
        let stack = try TextStack(
            "entity Tag\n label string\n weight int32\n rank int32\n unique label", kind: .current)
        let context = stack.context()
        try context.performAndWait {
            context.make("Tag", ["label": "a", "weight": 3, "rank": 9])
            try context.save()
            context.mergePolicy = NSMergePolicy(merge: type)
            var rows: [[String: Any]] = [
                ["label": "b", "weight": 5], ["label": "a", "weight": 1], ["label": "c", "weight": 6],
            ]
            // The same row twice within one batch.
            if type == .overwriteMergePolicyType { rows.append(["label": "a", "weight": 1]) }
            let request = NSBatchInsertRequest(entityName: "Tag", objects: rows)
            request.resultType = .objectIDs
            let result = try #require(try context.execute(request) as? NSBatchInsertResult)
            let ids = try #require(result.result as? [NSManagedObjectID])
            #expect(ids.count == count)
            let other = stack.context()
            try other.performAndWait {
                let weights = try ids.map { try other.existingObject(with: $0).value(forKey: "weight") as? Int ?? 0 }
                #expect(Set(weights).isSubset(of: [5, 1, 6]))
            }
        }
        #expect(try stack.lines("Tag", "label", "weight", "rank").sorted() == expected)
    }

    @Test("a large value is written to a file of its own, and no file is left when the batch fails")
    func externalData() throws {
        let stack = try stack()
        let context = stack.context()
        let large = Data(repeating: 9, count: 200_000)
        try context.performAndWait {
            try context.execute(
                NSBatchInsertRequest(
                    entityName: "Tag",
                    objects: [["label": "small", "image": Data([1, 2])], ["label": "large", "image": large]]))
            #expect(try context.all("Tag", "label == 'large'").first?.value(forKey: "image") as? Data == large)
            #expect(try context.all("Tag", "label == 'small'").first?.value(forKey: "image") as? Data == Data([1, 2]))
            #expect(throws: NSError.self) {
                try context.execute(
                    NSBatchInsertRequest(entityName: "Tag", objects: [["label": "x", "image": large], ["note": "y"]]))
            }
        }
        #expect(try stack.externalFiles()?.count ?? 1 == 1)
        #expect(try stack.count("Tag") == 2)
    }

    @Test("a store in memory takes no batches: error 134091", .onStores(.inMemory))
    func inMemory() throws {
        let stack = try TextStack(Self.model, type: NSInMemoryStoreType)
        let context = stack.context()
        context.performAndWait {
            let update = NSBatchUpdateRequest(entityName: "Tag")
            update.propertiesToUpdate = ["note": "n"]
            for request in [
                NSBatchInsertRequest(entityName: "Tag", objects: [["label": "a"]]), update,
                NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Tag")),
            ] as [NSPersistentStoreRequest] {
                let error = #expect(throws: NSError.self) { try context.execute(request) }
                #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError)
            }
        }
    }

    @Test("a SQLite store at /dev/null takes batches, and a child context passes them on", .onStores(.sqlite))
    func devNull() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(Self.model))
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"))
        let root = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        root.performAndWait { root.persistentStoreCoordinator = coordinator }
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.performAndWait { child.parent = root }
        try child.performAndWait {
            let objects = (0..<1000).map { ["label": "\($0)"] }
            try child.execute(NSBatchInsertRequest(entityName: "Tag", objects: objects))
            let update = NSBatchUpdateRequest(entityName: "Tag")
            update.predicate = NSPredicate(format: "label != '5'")
            update.propertiesToUpdate = ["weight": NSExpression(format: "weight + 1")]
            update.resultType = .updatedObjectsCountResultType
            #expect((try child.execute(update) as? NSBatchUpdateResult)?.result as? Int == 999)
            #expect(try child.all("Tag", "weight == 8").count == 999)
            let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Tag")
            request.predicate = NSPredicate(format: "weight == 8")
            let deletion = NSBatchDeleteRequest(fetchRequest: request)
            deletion.resultType = .resultTypeCount
            #expect((try child.execute(deletion) as? NSBatchDeleteResult)?.result as? Int == 999)
            #expect(try child.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag")) == 1)
        }
    }
}
