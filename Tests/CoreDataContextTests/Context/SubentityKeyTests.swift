import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// Keys that only some entities below a root have.
@Suite("Properties of subentities", .leavesNothingBehind, .onStores(.sqlite, .inMemory))
struct SubentityKeyTests {
    private static let model = """
        abstract entity Shape
          name string
        entity Circle : Shape
          parts many CirclePart.whole
        entity Square : Shape
          extra string
          parts many SquarePart.whole
        entity CirclePart
          whole one Circle.parts
        entity SquarePart
          whole one Square.parts
        """

    private func withShapes(_ body: (NSManagedObjectContext) throws -> Void) throws {
        let library = try Library(model: ModelText.model(Self.model))
        let maker = library.context()
        try maker.performAndWait {
            for (name, extra) in [("Circle", nil), ("Square", "e")] {
                let shape = maker.make(name, ["name": name])
                if let extra { shape.setValue(extra, forKey: "extra") }
                for _ in 0..<2 { maker.make(name + "Part", ["whole": shape]) }
            }
            try maker.save()
        }
        for context in [library.context(), library.child(of: library.context())] {
            try context.performAndWait { try body(context) }
        }
    }

    @Test("Prefetching loads relationships of one name that several subentities declare")
    func prefetching() throws {
        try withShapes { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Shape")
            request.relationshipKeyPathsForPrefetching = ["parts"]
            let shapes = try context.fetch(request)
            #expect(shapes.map { $0.many("parts").count } == [2, 2])
        }
    }

    @Test("A key behind a property that only subentities have is not left out", .onStores(.sqlite, .inMemory))
    func keyBehindProperty() throws {
        try withShapes { context in
            if StoreKind.current == .inMemory {
                // A store in memory evaluates the predicate on the objects.
                let found = try context.all("Shape", "extra.length == 1").map(\.nameText)
                #expect(found == ["Square"])
                return
            }
            let error = #expect(throws: NSError.self) { try context.all("Shape", "extra.length == 'e'") }
            #expect(error?.code == NSCoreDataError)
        }
    }

    @Test("A predicate over a property that an object's entity does not have finds it without a value")
    func predicate() throws {
        func names(_ format: String, _ context: NSManagedObjectContext) throws -> [String] {
            try context.all("Shape", format).map(\.nameText).sorted()
        }
        try withShapes { context in
            var found = try names("extra == 'e'", context)
            #expect(found == ["Square"])
            let new = context.make("Circle", ["name": "new"])
            found = try names("extra == 'e'", context)
            #expect(found == ["Square"])
            found = try names("extra == nil", context)
            #expect(found == ["Circle", "new"])
            context.delete(new)
        }
    }
}
