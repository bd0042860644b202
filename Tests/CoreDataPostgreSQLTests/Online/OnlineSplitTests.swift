#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

/// A mapping model makes two entities of one.
@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct OnlineSplitTests {
    private static let (older, newer) = (SplitModel.older, SplitModel.newer)

    private static func open(_ store: OnlineStore, _ text: String = newer) throws -> NSManagedObjectContext {
        try store.open(text, [NSMigrationMappingModelOption: SplitModel.mapping()])
    }

    /// A store with three people, and with programs of both versions.
    private struct Both {
        let store: OnlineStore
        let older: NSManagedObjectContext
        let newer: NSManagedObjectContext

        init() throws {
            store = try OnlineStore(OnlineSplitTests.older, OnlineSplitTests.newer)
            older = try store.open(OnlineSplitTests.older)
            try Self.fill(older)
            newer = try OnlineSplitTests.open(store)
        }

        static func fill(_ context: NSManagedObjectContext) throws {
            try context.performAndWait {
                for number in 0..<3 {
                    context.make("Person", ["name": "p\(number)", "street": "s\(number)", "city": "c\(number)"])
                }
                try context.save()
            }
        }

        func change(
            _ context: NSManagedObjectContext, _ name: String, _ body: (NSManagedObject) throws -> Void
        ) throws {
            try context.performAndWait {
                context.refreshAllObjects()
                try body(try #require(try context.all("Person", "name == '\(name)'").first))
                try context.save()
            }
        }

        /// The rows of all people in both versions, which are the same; and how many addresses there are.
        func people() throws -> String {
            // Faults take what was fetched last.
            let lone = try OnlineStore.lines(newer, "Address", "person.name", "person.address.street", "street")
            let before = try OnlineStore.lines(older, "Person", "name", "street", "city")
            let now = try OnlineStore.lines(newer, "Person", "name", "address.street", "address.city")
            #expect(before == now.map { $0.replacingOccurrences(of: "- -", with: "- nowhere") })
            return before.joined(separator: ", ") + "; \(lone.count)"
        }
    }

    @Test("Each person has an address, and each version sees the other one's writes")
    func bothVersions() throws {
        let both = try Both()
        #expect(try both.people() == "p0 s0 c0, p1 s1 c1, p2 s2 c2; 3")
        try both.change(both.older, "p0") { $0.setValue("of the older", forKey: "street") }
        try both.change(both.newer, "p1") { person in
            let address = try #require(person.value(forKey: "address") as? NSManagedObject)
            address.setValue("of the newer", forKey: "street")
            address.setValue("noted", forKey: "note")
        }
        #expect(try both.people() == "p0 of the older c0, p1 of the newer c1, p2 s2 c2; 3")
        try both.change(both.older, "p1") { $0.setValue(nil, forKey: "street") }
        #expect(try both.people() == "p0 of the older c0, p1 - c1, p2 s2 c2; 3")
        try both.older.performAndWait {
            both.older.make("Person", ["name": "o", "street": "so"])
            try both.older.save()
        }
        try both.newer.performAndWait {
            let address = both.newer.make("Address", ["street": "sn", "city": "cn"])
            both.newer.make("Person", ["name": "n", "address": address])
            both.newer.make("Person", ["name": "none"])
            try both.newer.save()
        }
        let others = "p0 of the older c0, p1 - c1, p2 s2 c2; 5"
        #expect(try both.people() == "n sn cn, none - nowhere, o so nowhere, \(others)")
        // Addresses go and come.
        try both.change(both.newer, "n") { person in
            let address = try #require(person.value(forKey: "address") as? NSManagedObject)
            both.newer.delete(address)
        }
        try both.change(both.older, "none") { $0.setValue("s", forKey: "street") }
        #expect(try both.people() == "n - nowhere, none s nowhere, o so nowhere, \(others)")
        // An address is moved from one person to another.
        try both.newer.performAndWait {
            let people = try both.newer.all("Person")
            func person(_ name: String) -> NSManagedObject? {
                people.first { $0.value(forKey: "name") as? String == name }
            }
            person("n")?.setValue(person("o")?.value(forKey: "address"), forKey: "address")
            try both.newer.save()
        }
        #expect(try both.people() == "n so nowhere, none s nowhere, o - nowhere, \(others)")
    }

    @Test("A deletion counts in both versions", arguments: [true, false])
    func deletions(_ isBatch: Bool) throws {
        let both = try Both()
        func delete(_ context: NSManagedObjectContext, _ name: String) throws {
            if !isBatch { return try both.change(context, name) { context.delete($0) } }
            try context.performAndWait {
                let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Person")
                fetch.predicate = NSPredicate(format: "name == '\(name)'")
                _ = try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
                context.reset()
            }
        }
        try delete(both.older, "p0")
        #expect(try both.people() == "p1 s1 c1, p2 s2 c2; 2")
        // The newer version has two objects: one of them is left.
        try delete(both.newer, "p1")
        #expect(try both.people() == "p2 s2 c2; 2")
        #expect(both.store.database.psql("SELECT count(*) FROM address WHERE person_id IS NULL") == "1")
    }

    @Test("Each version sees the batches of the other one")
    func batches() throws {
        let both = try Both()
        func update(_ context: NSManagedObjectContext, _ entity: String, _ value: String) throws {
            try context.performAndWait {
                let request = NSBatchUpdateRequest(entityName: entity)
                request.propertiesToUpdate = ["street": NSExpression(forConstantValue: value)]
                _ = try context.execute(request)
                context.reset()
            }
        }
        #expect(try both.people() == "p0 s0 c0, p1 s1 c1, p2 s2 c2; 3")
        try update(both.older, "Person", "older")
        #expect(try both.people() == "p0 older c0, p1 older c1, p2 older c2; 3")
        try update(both.newer, "Address", "newer")
        #expect(try both.people() == "p0 newer c0, p1 newer c1, p2 newer c2; 3")
    }

    @Test("A write of the newer version to an address is a change of the person in the older one")
    func versions() throws {
        let both = try Both()
        try both.older.performAndWait {
            let stale = try #require(try both.older.all("Person", "name == 'p0'").first)
            _ = stale.value(forKey: "street")
            try both.newer.performAndWait {
                let person = try #require(try both.newer.all("Person", "name == 'p0'").first)
                let address = try #require(person.value(forKey: "address") as? NSManagedObject)
                for round in 0..<3 {
                    address.setValue("round \(round)", forKey: "street")
                    try both.newer.save()
                    person.setValue(round == 2 ? "p0" : "x", forKey: "name")
                    address.setValue("round \(round)!", forKey: "street")
                    try both.newer.save()
                }
                both.newer.reset()
                // The person of an address that was not read in this context.
                let other = try #require(try both.newer.all("Address", "city == 'c1'").first)
                other.setValue("s", forKey: "street")
                try both.newer.save()
                let its = try #require(other.value(forKey: "person") as? NSManagedObject)
                its.setValue("q1", forKey: "name")
                try both.newer.save()
            }
            stale.setValue("mine", forKey: "street")
            let error = #expect(throws: NSError.self) { try both.older.save() }
            #expect(error?.code == NSManagedObjectMergeError, "\(String(describing: error))")
            both.older.rollback()
        }
        #expect(try both.people() == "p0 round 2! c0, p2 s2 c2, q1 s c1; 3")
    }

    @Test("The older version's columns and all triggers are gone when that version has gone")
    func end() throws {
        let both = try Both()
        try both.store.close(both.older)
        #expect(try both.store.end())
        #expect(both.store.columns("person") == ["address_id", "entity", "id", "name", "version", "visits"])
        #expect(
            both.store.columns("address") == ["city", "entity", "id", "note", "person_id", "street", "version"])
        #expect(
            both.store.database.psql(
                "SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'coredata_split%' OR tgname LIKE 'coredata_link%'"
            )
                == "0")
        #expect(
            both.store.database.psql(
                "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND confdeltype <> 'a'")
                == "0")
        let keys = ["name", "address.street", "address.city"]
        #expect(
            try OnlineStore.lines(both.newer, "Person", keys[0], keys[1], keys[2])
                == ["p0 s0 c0", "p1 s1 c1", "p2 s2 c2"])
    }

    @Test("A migration that is killed again and again is taken over, while programs of the older version work")
    func kills() throws {
        let store = try OnlineStore(Self.older, Self.newer)
        let older = try store.open(Self.older)
        try Both.fill(older)
        #expect(
            store.database.psql(
                "INSERT INTO person (name, street, city) SELECT 'row', 's' || n, 'c' FROM generate_series(1, 10000) n"
            )
                != nil)
        let arguments = [store.database.url.absoluteString, "split"]
        var random = Sample.generator("split")
        for round in 0..<(Sample.isWhole ? 4 : 2) {
            let child = try ChildProgram("postgresql-child", arguments)
            // Wherever it is, its leftovers have to be whole.
            usleep(UInt32.random(in: 50_000...900_000, using: &random))
            child.kill()
            _ = child.wait()
            try older.performAndWait {
                let people = try older.all("Person", "name == 'row'")
                for number in 0..<20 { people[number * 100 + round].setValue("changed", forKey: "street") }
                older.delete(people[50 + round])
                older.make("Person", ["name": "between", "street": "b\(round)"])
                try older.save()
            }
        }
        #expect(try ChildProgram("postgresql-child", arguments).wait().output == "served\n")
        #expect(store.database.psql("SELECT count(*) FROM person") == "10003")
        let wrong = store.database.psql(
            "SELECT count(*) FROM person p FULL JOIN address a ON a.id = p.address_id AND a.person_id = p.id "
                + "WHERE p.id IS NULL OR a.id IS NULL OR p.street IS DISTINCT FROM a.street OR p.city <> a.city")
        #expect(wrong == "0")
    }

    /// A part of a mapping model that the older version cannot follow, the name in the error, and a word of it.
    struct Refusal: CustomTestStringConvertible {
        var word: String
        var place: String
        var newer = OnlineSplitTests.newer
        var change: @Sendable (NSMappingModel) -> Void = { _ in }
        var testDescription: String { "\(place) \(word)" }
    }

    private static let refusals = [
        Refusal(word: "policy", place: "Address") {
            $0.entityMappings[1].entityMigrationPolicyClassName = "Policy"
        },
        Refusal(word: "expression", place: "Address.street") {
            $0.entityMappings[1].attributeMappings?[0].valueExpression = NSExpression(
                format: "uppercase:($source.street)")
        },
        Refusal(word: "another attribute", place: "Address.city") {
            $0.entityMappings[1].attributeMappings?[1].valueExpression = NSExpression(format: "$source.street")
        },
        Refusal(
            word: "another type", place: "Address.street",
            newer: newer.replacingOccurrences(of: "  street string", with: "  street data")),
        Refusal(word: "leads from the one", place: "Address") {
            for mapping in $0.entityMappings { mapping.relationshipMappings = [] }
        },
        Refusal(word: "starts empty", place: "Person.name") { $0.entityMappings[0].attributeMappings = [] },
        Refusal(word: "no entity mapping", place: "Person") { $0.entityMappings = [] },
        Refusal(
            word: "mandatory", place: "Address.note",
            newer: newer.replacingOccurrences(of: "  note string", with: "  note string!")),
        Refusal(
            word: "unique", place: "Address.street",
            newer: newer.replacingOccurrences(of: "  note string", with: "  note string\n  unique street")),
        Refusal(word: "second entity", place: "Account", newer: twoParts) {
            let person = SplitModel.entity("Person", ["name", "visits"], "address", "PersonToAddress")
            let other = SplitModel.entity("Person", [], "account", "PersonToAccount")
            person.relationshipMappings = (person.relationshipMappings ?? []) + (other.relationshipMappings ?? [])
            $0.entityMappings = [
                person, SplitModel.entity("Address", ["street"], "person", "PersonToPerson"),
                SplitModel.entity("Account", ["city"], "person", "PersonToPerson"),
            ]
        },
    ]

    private static let twoParts = """
        entity Person
          name string
          visits int16
          address one Address.person
          account one Account.person
        entity Address
          street string
          person one Person.address
        entity Account
          city string! = nowhere
          person one Person.account
        """

    @Test(
        "A mapping that the older version cannot follow is refused, with the entity mapping and the property",
        arguments: Sample.slice(refusals, oneIn: 3))
    func refusal(_ refusal: Refusal) throws {
        let store = try OnlineStore(Self.older, refusal.newer)
        let older = try store.open(Self.older)
        let mapping = SplitModel.mapping()
        refusal.change(mapping)
        let options = [NSMigrationMappingModelOption: mapping]
        let error = try #require(throws: NSError.self) { _ = try store.open(refusal.newer, options) }
        #expect(error.code == NSMigrationError, "\(error)")
        #expect(error.localizedDescription.contains("“\(refusal.place)”"), "\(error)")
        #expect(error.localizedDescription.contains(refusal.word), "\(error)")
        let forecast = try NSPersistentStoreCoordinator.migrationForecast(
            forPersistentStoreAt: store.database.url, to: ModelText.model(refusal.newer),
            options: store.options(options))
        #expect(!forecast.isPossible && forecast.obstacles.contains { !$0.help.isEmpty })
        // Nothing was done.
        try older.performAndWait {
            older.make("Person", ["name": "Anna"])
            try older.save()
        }
    }
}
#endif
