import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// The state of objects after a save that failed when their rows were built already.
@Suite("After a failed save", .leavesNothingBehind, .onStores(.sqlite, .inMemory))
struct FailedSaveTests {
    private static let model = """
        entity Thing
          code string
          name string = unnamed
          note string = none
          number int64
          ratio double
          part float
          price decimal
          when date
          flag bool
          link uri
          token uuid
          bytes data external
          scratch string transient
          next one Thing
          box one Box.things
          unique code
        entity Special : Thing
          more string
        entity Box
          name string
          things ordered Thing.box
          kept many Special
        """

    private static let names = [
        "code", "name", "note", "number", "ratio", "part", "price", "when", "flag", "link", "token", "bytes", "scratch",
        "next", "box",
    ]

    private func values(_ code: String, _ number: Int) throws -> [String: Any] {
        [
            "code": code, "name": "name \(number) äöü", "note": NSNull(), "number": Int64.min + Int64(number),
            "ratio": -0.1 * Double(number), "part": Float(number) / 3, "flag": number % 2 == 0,
            "price": try #require(Decimal(string: "1234567890.00\(number)")) as NSDecimalNumber,
            "when": Date(timeIntervalSinceReferenceDate: 1.25 * Double(number)),
            "link": try #require(URL(string: "https://example.org/\(number)")), "token": UUID(),
            "bytes": Data(repeating: UInt8(number), count: 300), "scratch": "scratch \(number)",
        ]
    }

    private func present(_ objects: [NSManagedObject]) -> [NSDictionary] {
        objects.map { object in
            let names = Self.names.filter { object.entity.propertiesByName[$0] != nil }
            return object.dictionaryWithValues(forKeys: names) as NSDictionary
        }
    }

    @Test("values and relationships of new and of changed objects stay; the next save writes them")
    func staysAsItWas() throws {
        let library = try Library(model: ModelText.model(Self.model))
        let context = library.context()
        try context.performAndWait {
            let taken = context.make("Thing", ["code": "taken"])
            let old = context.make("Thing", try values("old", 1))
            try context.save()

            let box = context.make("Box", ["name": "box"])
            let special = context.make("Special", try values("special", 2))
            let plain = context.make("Thing", try values("plain", 3))
            for (object, next) in [(special, plain), (plain, special), (old, special)] {
                object.setValue(next, forKey: "next")
                object.setValue(box, forKey: "box")
            }
            box.setValue(NSSet(object: special), forKey: "kept")
            old.setValuesForKeys(try values("older", 4))
            // As many keys of boxes as of things: they have the same numbers.
            for number in 0..<4 { context.make("Box", ["name": "\(number)"]) }
            plain.setValue("taken", forKey: "code")

            let all = [taken, old, box, special, plain]
            let (before, changes) = (present(all), all.map { $0.changedValues() as NSDictionary })
            for _ in 0..<2 {
                #expect(throws: NSError.self) { try context.save() }
                #expect(present(all) == before)
                #expect(all.map { $0.changedValues() as NSDictionary } == changes)
                #expect(all.map(\.hasChanges) == [false, true, true, true, true])
                context.checkInvariants()
            }
            plain.setValue("plain", forKey: "code")
            let wanted = present(all)
            try context.save()
            #expect(present(all) == wanted)
            #expect(all.allSatisfy { !$0.hasChanges && $0.changedValues().isEmpty })
            context.checkInvariants()
        }
        let beside = library.context()
        try beside.performAndWait {
            let things = try beside.all("Thing", "box != nil")
            func thing(_ code: String) throws -> NSManagedObject {
                try #require(things.first { $0.text("code") == code })
            }
            let (old, special, plain) = (try thing("older"), try thing("special"), try thing("plain"))
            for (object, number) in [(old, 4), (special, 2), (plain, 3)] {
                for (name, value) in try values("", number) where !["code", "token", "scratch"].contains(name) {
                    let wanted = value is NSNull ? nil : value as? NSObject
                    #expect(object.value(forKey: name) as? NSObject == wanted, "\(name)")
                }
            }
            #expect(special.value(forKey: "next") as? NSManagedObject === plain)
            #expect(plain.value(forKey: "next") as? NSManagedObject === special)
            #expect(old.value(forKey: "next") as? NSManagedObject === special)
            let box = try #require(old.value(forKey: "box") as? NSManagedObject)
            #expect((box.value(forKey: "things") as? NSOrderedSet)?.count == 3)
            #expect(box.value(forKey: "kept") as? NSSet == NSSet(object: special))
        }
    }
}
