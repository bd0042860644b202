#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct OnlineTypeTests {
    private static let older = """
        entity Item
          name string
          count int16 index
          price double
          isNew bool
          note string
          rank int32! = 1
        """
    private static let newer = """
        entity Item
          name string
          count int64 index
          price decimal
          isNew int16
          note string! = none
          rank int32
        """

    private static func filled(_ rows: Int = 3) throws -> (OnlineStore, NSManagedObjectContext) {
        let store = try OnlineStore(older, newer)
        let context = try store.open(older)
        try context.performAndWait {
            for number in 0..<rows {
                context.make(
                    "Item",
                    ["name": "i\(number)", "count": number, "price": 1.5, "isNew": number % 2 == 0, "rank": number])
            }
            try context.save()
        }
        return (store, context)
    }

    @Test("Each version sees the other's writes to attributes of another type, and to newly mandatory ones")
    func bothVersions() throws {
        let (store, older) = try Self.filled()
        let newer = try store.open(Self.newer)
        let keys = ["name", "count", "price", "isNew", "note", "rank"]
        func lines(_ context: NSManagedObjectContext) throws -> [String] {
            try context.performAndWait {
                context.refreshAllObjects()
                return try context.all("Item").map { item in
                    keys.map { "\(item.value(forKey: $0) ?? "-")" }.joined(separator: " ")
                }.sorted()
            }
        }
        #expect(try lines(newer) == ["i0 0 1.5 1 none 0", "i1 1 1.5 0 none 1", "i2 2 1.5 1 none 2"])
        try newer.performAndWait {
            newer.make("Item", ["name": "n", "count": 300, "price": NSDecimalNumber(string: "2.25"), "isNew": 0])
            let first = try #require(try newer.all("Item", "name == 'i0'").first)
            first.setValue(30_000, forKey: "count")
            first.setValue("noted", forKey: "note")
            first.setValue(nil, forKey: "rank")
            try newer.save()
        }
        try older.performAndWait {
            older.make("Item", ["name": "o", "count": 5, "isNew": true])
            let second = try #require(try older.all("Item", "name == 'i1'").first)
            second.setValue(77, forKey: "count")
            second.setValue(nil, forKey: "price")
            second.setValue("written", forKey: "note")
            try older.save()
        }
        #expect(
            try lines(older).map { $0.replacingOccurrences(of: "true", with: "1") }
                .map { $0.replacingOccurrences(of: "false", with: "0") } == [
                    "i0 30000 1.5 1 noted 1", "i1 77 - 0 written 1", "i2 2 1.5 1 - 2", "n 300 2.25 0 none 1",
                    "o 5 - 1 - 1",
                ])
        #expect(
            try lines(newer) == [
                "i0 30000 1.5 1 noted -", "i1 77 - 0 written 1", "i2 2 1.5 1 none 2", "n 300 2.25 0 none -",
                "o 5 - 1 none 1",
            ])
        try store.close(older)
        #expect(try store.end())
        #expect(
            store.columns("item") == [
                "count2", "entity", "id", "is_new2", "name", "note2", "price2", "rank2", "version",
            ])
        try newer.performAndWait {
            let item = try #require(try newer.all("Item", "name == 'n'").first)
            item.setValue(10_000_000_000, forKey: "count")
            try newer.save()
            #expect(try newer.all("Item", "count > 100000").count == 1)
        }
    }

    @Test("A value that the older version cannot hold is refused while it is served, by the attribute's name")
    func valuesBeyond() throws {
        let (store, older) = try Self.filled()
        let newer = try store.open(Self.newer)
        try newer.performAndWait {
            let item = try #require(try newer.all("Item", "name == 'i1'").first)
            item.setValue(100_000, forKey: "count")
            let error = try #require(throws: NSError.self) { try newer.save() }
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "count", "\(error) \(error.userInfo)")
            newer.rollback()
            let truth = try #require(try newer.all("Item", "name == 'i1'").first)
            truth.setValue(2, forKey: "isNew")
            #expect(throws: NSError.self) { try newer.save() }
        }
        #expect(try OnlineStore.lines(older, "Item", "name", "count")[1] == "i1 1")
    }

    @Test("Rows whose values do not fit end the migration, and leave the store as it was")
    func unfitRows() throws {
        let store = try OnlineStore(Self.newer, Self.older)
        let context = try store.open(Self.newer)
        try context.performAndWait {
            context.make("Item", ["name": "large", "count": 100_000])
            try context.save()
        }
        let columns = store.columns("item")
        let error = try #require(throws: NSError.self) { _ = try store.open(Self.older) }
        #expect(error.localizedDescription.contains("100000"), "\(error)")
        #expect(store.columns("item") == columns)
        #expect(store.database.psql("SELECT count(*) FROM pg_trigger WHERE tgname = 'coredata_step'") == "0")
        try context.performAndWait {
            context.make("Item", ["name": "larger", "count": 200_000])
            try context.save()
        }
    }

    @Test("A migration that is killed again and again is taken over, while programs of the older version work")
    func kills() throws {
        let rows = 20_000
        let (store, older) = try Self.filled(rows)
        let url = store.database.url.absoluteString
        var random = SplitMix(state: 7)
        for _ in 0..<4 {
            let child = try ChildProgram("postgresql-child", [url, "migrate", Self.older, Self.newer])
            // Wherever it is, its leftovers have to be whole.
            usleep(UInt32.random(in: 50_000...900_000, using: &random))
            child.kill()
            _ = child.wait()
            try older.performAndWait {
                older.make("Item", ["name": "between", "count": 9, "isNew": false])
                try older.save()
            }
        }
        let child = try ChildProgram("postgresql-child", [url, "migrate", Self.older, Self.newer])
        let end = child.wait()
        #expect(end.output == "served\n", "\(end.output)")
        let wrong = store.database.psql(
            "SELECT count(*) FROM item WHERE count2 IS DISTINCT FROM count OR is_new2 <> is_new::integer "
                + "OR note2 IS NULL OR price2 IS DISTINCT FROM price::numeric")
        #expect(wrong == "0")
        #expect(store.database.psql("SELECT count(*) FROM item") == "\(rows + 4)")
        #expect(store.database.psql("SELECT count(*) FROM pg_index WHERE NOT indisvalid") == "0")
    }

    @Test("Numbers with fractions become decimals with all of their digits, as in files", arguments: [true, false])
    func decimals(isOnline: Bool) throws {
        let floats = "entity Item\n  name string\n  single float\n  twice double"
        let decimals = "entity Item\n  name string\n  single decimal\n  twice decimal"
        let store = try OnlineStore(floats, decimals, isOn: isOnline)
        // A setting of a role or a database for digits does not matter.
        let setting =
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET extra_float_digits = -3', current_database()); END $$"
        #expect(store.database.psql(setting) != nil)
        let older = try store.open(floats)
        try older.performAndWait {
            older.make("Item", ["name": "a", "single": Float(16_777_215), "twice": 9_007_199_254_740_991.0])
            older.make("Item", ["name": "b", "single": Float(123_456.78), "twice": 0.1])
            older.make("Item", ["name": "c", "single": Float(0.5), "twice": 1_234_567_890.1234567])
            try older.save()
        }
        if !isOnline { try store.close(older) }
        let newer = try store.open(decimals)
        #expect(
            try OnlineStore.lines(newer, "Item", "name", "single", "twice") == [
                "a 16777215 9007199254740991", "b 123456.78125 0.1", "c 0.5 1234567890.1234567",
            ])
    }

    @Test("A number that the other version's type cannot hold is refused by the attribute's name; no fetch fails")
    func numbersBeyond() throws {
        let floats = "entity Item\n  name string\n  single float\n  twice double\n  narrow double"
        let decimals = "entity Item\n  name string\n  single decimal\n  twice decimal\n  narrow float"
        let store = try OnlineStore(floats, decimals)
        let older = try store.open(floats)
        let newer = try store.open(decimals)
        func refuses(_ context: NSManagedObjectContext, _ key: String, _ value: Any) throws {
            try context.performAndWait {
                context.make("Item", ["name": "beyond", key: value])
                let error = try #require(throws: NSError.self, "\(key) \(value)") { try context.save() }
                #expect(error.userInfo[NSValidationKeyErrorKey] as? String == key, "\(error) \(error.userInfo)")
                #expect(error.localizedDescription.contains("Item.\(key)"), "\(error)")
                #expect(error.localizedDescription.contains("the other version of the model"), "\(error)")
                context.rollback()
            }
        }
        for number in [Double.infinity, -.infinity, 1e200, -1e200] { try refuses(older, "twice", number) }
        try refuses(older, "single", Float.infinity)
        try refuses(older, "narrow", 1e200)
        try refuses(newer, "single", NSDecimalNumber(string: "1e39"))
        for key in ["single", "twice"] { try refuses(newer, key, NSDecimalNumber.notANumber) }
        // A number too near to zero is rounded.
        try older.performAndWait {
            let single = Float.leastNonzeroMagnitude
            older.make("Item", ["name": "tiny", "single": single, "twice": 1e-200, "narrow": 1e-60])
            older.make("Item", ["name": "many digits", "twice": 1.2345678901234567e-120])
            older.make("Item", ["name": "large", "twice": 1e150, "narrow": Double.infinity])
            try older.save()
        }
        try newer.performAndWait {
            #expect(try newer.all("Item").count == 3)
            #expect(try newer.all("Item", "name == 'tiny' AND twice == 0 AND narrow == 0").count == 1)
            let digits = try #require(try newer.all("Item", "name == 'many digits'").first)
            #expect(digits.value(forKey: "twice") as? NSDecimalNumber == NSDecimalNumber(string: "123456789e-128"))
        }
    }

    @Test("A row with a number that no decimal holds ends the migration, and the error names its column")
    func unfitNumbers() throws {
        let floats = "entity Item\n  name string\n  twice double"
        let store = try OnlineStore(floats, "entity Item\n  name string\n  twice decimal")
        let older = try store.open(floats)
        try older.performAndWait {
            older.make("Item", ["name": "infinite", "twice": Double.infinity])
            try older.save()
        }
        let columns = store.columns("item")
        let error = try #require(throws: NSError.self) { _ = try store.open(store.newer) }
        #expect(error.localizedDescription.contains("Infinity"), "\(error)")
        #expect(error.localizedDescription.contains("item.twice"), "\(error)")
        #expect(store.columns("item") == columns)
    }
}
#endif
