import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Changed values of objects", .leavesNothingBehind)
struct ChangedValuesTests {
    private static let slotCount = 150

    /// An entity with so many slots that a set of them takes several words.
    private static func layout() throws -> EntityLayout {
        let attributes = (0..<slotCount).map { "  a\($0) string" }.joined(separator: "\n")
        return try #require(ModelText.model("entity Thing\n\(attributes)").layout.entities.first)
    }

    @Test("Values are found by their slots, in any order of coming and going", arguments: [false, true])
    func setsAndRemovals(isNew: Bool) throws {
        let layout = try Self.layout()
        var random = SplitMix(state: isNew ? 1 : 2)
        var values = ChangedValues()
        var wanted: [Int: SlotValue] = [:]
        for step in 0..<3_000 {
            let slot = Int.random(in: 0..<Self.slotCount, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0...5:
                let value = SlotValue.string("a text that belongs to step \(step)")
                values.set(value, at: slot, newLayout: isNew ? layout : nil)
                wanted[slot] = value
            case 6...8:
                values.remove(slot)
                wanted[slot] = nil
            default:
                guard values.canBePacked else { continue }
                values.pack(in: Self.row(wanted, layout))
            }
            var slots: [Int] = []
            values.mask.forEach { slots.append($0) }
            try #require(slots == wanted.keys.sorted())
            for slot in slots {
                try #require(values[slot] == wanted[slot])
                try #require(values.isNull(slot) == (wanted[slot] == .null))
            }
        }
        #expect(values.mask.isEmpty == wanted.isEmpty)
    }

    private static func row(_ values: [Int: SlotValue], _ layout: EntityLayout) -> Snapshot {
        let tail = values.values.reduce(0) { $0 + $1.tailBytes }
        var builder = SnapshotBuilder(layout: layout, key: -1, version: 0, tailBytes: tail)
        for slot in layout.slots.indices { builder.set(slot, value: values[slot] ?? .null) }
        return builder.finish()
    }

    @Test("A row with changed values has these, and all remaining values of the row that it is made of")
    func changedRows() throws {
        let types = ["int64", "string", "double", "date", "bool", "data"]
        let attributes = (0..<18).map { "  a\($0) \(types[$0 % types.count])" }.joined(separator: "\n")
        let layout = try #require(ModelText.model("entity Thing\n\(attributes)").layout.entities.first)
        var random = SplitMix(state: 3)
        func value(_ slot: Int) -> SlotValue {
            let number = Int.random(in: 0..<1_000, using: &random)
            if number < 200 { return .null }
            return switch layout.slots[slot].kind {
            case .integer: .int(Int64(number) - 500)
            case .boolean: .int(Int64(number & 1))
            case .double, .date: .double(Double(number) / 7)
            case .data: .data(Data(repeating: 7, count: number % 9))
            default: .string(String(repeating: "ä", count: number % 11))
            }
        }
        for round in 0..<300 {
            var wanted = Dictionary(uniqueKeysWithValues: layout.slots.indices.map { ($0, value($0)) })
            let base = Self.row(wanted, layout)
            let overlay = ObjectOverlay()
            // Every other time only values that lie in their slots change.
            for slot in layout.slots.indices.filter({ round % 2 == 1 || layout.slots[$0].kind.isInline }) {
                if Bool.random(using: &random) { continue }
                wanted[slot] = value(slot)
                overlay.set(wanted[slot] ?? .null, at: slot)
            }
            let row = NSManagedObject.row(from: base, changes: overlay, layout, key: 5, version: 6, renaming: [:])
            #expect(row.key == 5 && row.version == 6 && row.layoutIndex == layout.index)
            for (slot, description) in layout.slots.enumerated() {
                try #require(row.value(slot, kind: description.kind) == wanted[slot])
            }
        }
    }

    private static let model = """
        entity Thing
          code string
          name string = unnamed
          number int64
          ratio double
          part float
          price decimal
          when date
          flag bool
          link uri
          token uuid
          bytes data
          scratch string transient
          next one Thing
          box one Box.things
          unique code
        entity Special : Thing
          more string
        entity Box
          name string
          things many Thing.box
        """

    private static let names = [
        "code", "name", "number", "ratio", "part", "price", "when", "flag", "link", "token", "bytes", "scratch",
        "next", "box",
    ]

    private func values(_ number: Int) throws -> [String: Any] {
        [
            "code": "code \(number)", "name": number == 1 ? NSNull() : "a name of some length, äöü \(number)",
            "number": Int64.min + Int64(number), "ratio": -0.1 * Double(number), "part": Float(number) / 3,
            "price": try #require(Decimal(string: "1234567890.00\(number)")) as NSDecimalNumber,
            "when": Date(timeIntervalSinceReferenceDate: 1.25 * Double(number)), "flag": number % 2 == 0,
            "link": try #require(URL(string: "https://example.org/\(number)")), "token": UUID(),
            "bytes": Data(repeating: UInt8(number), count: 300), "scratch": "scratch \(number)",
        ]
    }

    private func present(_ objects: [NSManagedObject]) -> [NSDictionary] {
        objects.map { $0.dictionaryWithValues(forKeys: Self.names) as NSDictionary }
    }

    @Test(
        "New objects whose values lie in rows are as they were: read, changed, saved in vain, saved",
        .onStores(.sqlite, .inMemory))
    func packedObjects() throws {
        let library = try Library(model: ModelText.model(Self.model))
        let context = library.context()
        try context.performAndWait {
            context.make("Thing", ["code": "taken"])
            try context.save()
            let box = context.make("Box", ["name": "box"])
            let things = try (0..<4).map { context.make($0 == 3 ? "Special" : "Thing", try values($0)) }
            for (number, thing) in things.enumerated() {
                thing.setValue(things[(number + 1) % 4], forKey: "next")
                thing.setValue(box, forKey: "box")
            }
            let (before, changes) = (present(things), things.map { $0.changedValues() as NSDictionary })
            for thing in things { thing.packValues() }
            #expect(things.allSatisfy { $0.overlay?.values.arePacked == true })
            #expect(present(things) == before)
            #expect(things.map { $0.changedValues() as NSDictionary } == changes)
            #expect(try context.count(for: NSFetchRequest(entityName: "Thing")) == 5)
            #expect(try context.all("Thing", "name == nil").count == 1)

            let child = library.child(of: context)
            try child.performAndWait {
                let seen = try child.all("Thing", "code == 'code 2'")
                #expect(seen.first?.text("name") == "a name of some length, äöü 2")
                #expect((seen.first?.value(forKey: "next") as? NSManagedObject)?.text("code") == "code 3")
            }
            things[0].setValue("another", forKey: "name")
            things[1].setValue(things[3], forKey: "next")
            #expect(things.map { $0.overlay?.values.arePacked } == [false, false, true, true])
            things[2].setValue("taken", forKey: "code")
            things[2].packValues()
            let wanted = present(things)
            for _ in 0..<2 {
                #expect(throws: NSError.self) { try context.save() }
                #expect(present(things) == wanted)
                context.checkInvariants()
            }
            things[2].setValue("free", forKey: "code")
            things[2].packValues()
            let saved = present(things)
            try context.save()
            #expect(present(things) == saved)
            #expect(things.allSatisfy { !$0.hasChanges && $0.changedValues().isEmpty })
            context.checkInvariants()
        }
        let beside = library.context()
        try beside.performAndWait {
            let things = try beside.all("Thing", "box != nil")
            #expect(Set(things.map { $0.text("code") }) == ["code 0", "code 1", "free", "code 3"])
            let first = try #require(things.first { $0.text("code") == "code 0" })
            #expect(first.text("name") == "another")
            #expect(first.value(forKey: "number") as? Int64 == Int64.min)
            let last = try #require(things.first { $0.text("code") == "code 3" })
            #expect(last.value(forKey: "next") as? NSManagedObject === first)
            #expect(last.value(forKey: "bytes") as? Data == Data(repeating: 3, count: 300))
            #expect((last.value(forKey: "box") as? NSManagedObject)?.text("name") == "box")
        }
    }

    @Test("Undoing and redoing find packed values", .onStores(.sqlite))
    func undo() throws {
        let library = try Library(model: ModelText.model(Self.model))
        let context = library.context()
        try context.performAndWait {
            let undoManager = UndoManager()
            context.undoManager = undoManager
            undoManager.groupsByEvent = false
            undoManager.beginUndoGrouping()
            let thing = context.make("Thing", try values(1))
            context.processPendingChanges()
            undoManager.endUndoGrouping()
            let first = present([thing])
            thing.packValues()
            undoManager.beginUndoGrouping()
            thing.setValue("another", forKey: "name")
            context.processPendingChanges()
            undoManager.endUndoGrouping()
            thing.packValues()
            undoManager.undo()
            #expect(present([thing]) == first)
            thing.packValues()
            undoManager.redo()
            #expect(thing.text("name") == "another")
            context.checkInvariants()
        }
    }

    @Test(
        "A relationship that leads from one object of an entity to another one of it has the entity",
        .onStores(.sqlite, .inMemory))
    func referencesAmongOneEntity() throws {
        let library = try Library(model: ModelText.model(Self.model))
        let context = library.context()
        let undoManager = UndoManager()
        var thing: NSManagedObject?
        func next() -> String {
            let next = thing?.value(forKey: "next") as? NSManagedObject
            return [next?.entity.name, next?.text("code"), thing?.text("name")].map { $0 ?? "nil" }
                .joined(separator: " ")
        }
        try context.performAndWait {
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            let first = context.make("Special", ["code": "first"])
            context.make("Special", ["code": "second"])
            thing = context.make("Thing", ["code": "thing", "next": first])
            try context.save()
            context.undoManager = undoManager
            thing?.setValue(try context.all("Thing", "code == 'second'").first, forKey: "next")
            #expect(next() == "Special second unnamed")
        }
        // The name alone is merged: of the change only the key is one.
        let other = library.context()
        try other.performAndWait {
            try other.all("Thing", "code == 'thing'").first?.setValue("renamed", forKey: "name")
            try other.save()
        }
        try context.performAndWait {
            try context.refresh(#require(thing), mergeChanges: true)
            #expect(next() == "Special second renamed")
            try context.save()
        }
        context.performAndWait { undoManager.undo() }
        context.performAndWait { #expect(next() == "Special first renamed") }
        // A child passes only values that differ to its parent.
        let child = library.child(of: context)
        try child.performAndWait {
            let things = try child.all("Thing", "code == 'thing' OR code == 'second'")
            things.first { $0.text("code") == "thing" }?
                .setValue(things.first { $0.text("code") == "second" }, forKey: "next")
            try child.save()
        }
        try context.performAndWait {
            #expect(next() == "Special second renamed")
            let second = thing?.value(forKey: "next") as? NSManagedObject
            thing?.setValue(nil, forKey: "next")
            #expect(thing?.changedValuesForCurrentEvent()["next"] as? NSManagedObject === second)
            thing?.setValue(second, forKey: "next")
            try context.save()
            context.checkInvariants()
        }
        try other.performAndWait {
            other.reset()
            thing = try other.all("Thing", "code == 'thing'").first
            #expect(next() == "Special second renamed")
        }
    }
}
