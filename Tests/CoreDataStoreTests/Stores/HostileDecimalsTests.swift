import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// Decimals that are none, or that no decimal is as large as.
@Suite("A decimal that is none stops no process, and is no other number", .leavesNothingBehind)
struct HostileDecimalsTests {
    private static let model = "entity Item\n  name string\n  price decimal"

    /// As SQL writes them.
    private static let numbers = ["9e999", "-9e999", "1e200", "-1.7e308", "3.5e165"]
    private static let texts = ["'inf'", "'-inf'", "'0x10'", "'1.5 coins'", "'-'"]

    private func withItems(
        _ prices: [Decimal], _ statements: String, _ body: (NSManagedObjectContext) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Items.sqlite")
            try withStore(url, ModelText.model(Self.model)) { context in
                for price in prices { context.make("Item", ["price": NSDecimalNumber(decimal: price)]) }
                try context.save()
            }
            try RawDatabase(url).execute(statements)
            try withStore(url, ModelText.model(Self.model), body)
        }
    }

    private func expectRefused(_ words: [String], _ body: () throws -> Void) {
        let error = #expect(throws: NSError.self) { try body() }
        #expect(error?.domain == NSCocoaErrorDomain && error?.code == CocoaError.Code.fileReadCorruptFile.rawValue)
        let text = error?.localizedDescription ?? ""
        for word in words { #expect(text.contains(word), "\(text)") }
    }

    private func dictionaries(_ function: String?) -> NSFetchRequest<NSDictionary> {
        let request = NSFetchRequest<NSDictionary>(entityName: "Item")
        request.resultType = .dictionaryResultType
        let description = NSExpressionDescription()
        description.name = "total"
        let price = NSExpression(forKeyPath: "price")
        description.expression = function.map { NSExpression(forFunction: $0, arguments: [price]) } ?? price
        description.expressionResultType = .decimalAttributeType
        request.propertiesToFetch = [description]
        return request
    }

    @Test("Such a value is 259 with its row and attribute, also among dictionaries", arguments: numbers + texts)
    func values(_ value: String) throws {
        try withItems([1, 2], "UPDATE ZITEM SET ZPRICE = \(value) WHERE Z_PK = 1") { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.returnsObjectsAsFaults = false
            expectRefused(["ZPRICE", "Item.price, row 1"]) { _ = try context.fetch(request) }
            expectRefused(["“total”"]) { _ = try context.fetch(dictionaries(nil)) }
            let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
            let found = try context.persistentStoreCoordinator?.inspect(store, for: .irregularities).irregularities
            #expect(found?.map(\.kind) == [.value])
            #expect(found?.first?.row == .init("Item", 1))
        }
    }

    @Test("Sums and other aggregates of such numbers are 259", arguments: numbers, ["sum:", "max:", "average:"])
    func aggregates(_ value: String, _ function: String) throws {
        try withItems([1, 2], "UPDATE ZITEM SET ZPRICE = \(value)") { context in
            expectRefused(["“total”"]) { _ = try context.fetch(dictionaries(function)) }
        }
    }

    @Test("The largest decimals come back, the smallest numbers are 0, and a sum that is too large is 259")
    func limits() throws {
        let largest = Decimal.greatestFiniteMagnitude
        let tiny = "INSERT INTO ZITEM (Z_PK, Z_ENT, ZPRICE) SELECT 3, Z_ENT, 1e-200 FROM ZITEM WHERE Z_PK = 1"
        try withItems([largest, largest], tiny) { context in
            let prices = try context.all("Item").compactMap { ($0.value(forKey: "price") as? NSDecimalNumber) }
            let texts = prices.map { "\($0.decimalValue)" }
            #expect(texts.map(\.count).sorted() == [1, 166, 166], "\(texts)")
            #expect(texts.filter { $0.hasPrefix("340282366920938") }.count == 2, "\(texts)")
            #expect(texts.contains("0"))
            expectRefused(["“total”"]) { _ = try context.fetch(dictionaries("sum:")) }
        }
        #expect(DecimalStorage.decimal("1e165").map { "\($0)".count } == 166)
        #expect(DecimalStorage.decimal("1e166") == nil)
        #expect(DecimalStorage.decimal(DecimalStorage.largest) != nil)
        #expect(DecimalStorage.decimal(DecimalStorage.largest.nextUp) == nil)
        #expect(DecimalStorage.decimal(-10.11) == Decimal(string: "-10.11"))
        #expect(DecimalStorage.decimal("+1.50E2") == 150)
    }

    @Test("Salvage reports such a value and leaves it out", arguments: numbers)
    func salvage(_ value: String) throws {
        try withTemporaryFolder { folder in
            let (url, new) = (folder.appendingPathComponent("A.sqlite"), folder.appendingPathComponent("B.sqlite"))
            try withStore(url, ModelText.model(Self.model)) { context in
                context.make("Item", ["name": "item", "price": NSDecimalNumber(value: 1)])
                try context.save()
            }
            try RawDatabase(url).execute("UPDATE ZITEM SET ZPRICE = \(value)")
            let report = try NSPersistentStoreCoordinator.salvage(
                storeAt: url, into: new, model: ModelText.model(Self.model))
            #expect(report.findings.map(\.kind) == [.value], "\(report.findings)")
            #expect(report.findings.first?.propertyName == "price")
            #expect(try RawDatabase(new).column("SELECT ZPRICE FROM ZITEM") == [.null])
        }
    }

    @Test("An XML store with such a text is 259", arguments: ["inf", "-inf", "0x10", "1.5 coins", "1e200"])
    func xml(_ text: String) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Items.xml")
            func read() throws -> NSDecimalNumber? {
                try withStore(url, ModelText.model(Self.model), type: NSXMLStoreType) { context in
                    try context.all("Item").first?.value(forKey: "price") as? NSDecimalNumber
                }
            }
            try withStore(url, ModelText.model(Self.model), type: NSXMLStoreType) { context in
                context.make("Item", ["price": NSDecimalNumber(string: "4711.25")])
                try context.save()
            }
            #expect(try read() == NSDecimalNumber(string: "4711.25"))
            let content = try String(contentsOf: url, encoding: .utf8)
            #expect(content.contains(">4711.25<"))
            try content.replacing(">4711.25<", with: ">\(text)<").write(to: url, atomically: true, encoding: .utf8)
            expectRefused([]) { _ = try read() }
        }
    }

    @Test("A Double that no decimal is as large as is refused before a migration changes anything", arguments: numbers)
    func migration(_ value: String) throws {
        try withTemporaryFolder { folder in
            let rows = """
                INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZPRICE) VALUES (1, 1, 1, 2.5), (3, 1, 1, NULL);
                INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZPRICE) VALUES (2, 1, 1, \(value));
                UPDATE Z_PRIMARYKEY SET Z_MAX = 3;
                """
            let fixture = try MigrationFixture(folder, "entity Item\n  price double", rows: rows)
            let error = try fixture.failure(to: "entity Item\n  price decimal")
            #expect(error.code == NSMigrationError, "\(error)")
            #expect(error.userInfo["property"] as? String == "price")
            try fixture.run("UPDATE ZITEM SET ZPRICE = 3e165 WHERE Z_PK = 2")
            try fixture.migrateAndVerify(to: "entity Item\n  price decimal")
            #expect(try fixture.query("SELECT ZPRICE FROM ZITEM WHERE Z_PK <> 2 ORDER BY Z_PK") == ["2.5", "-"])
        }
    }
}
