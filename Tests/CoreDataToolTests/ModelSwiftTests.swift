import CoreData
import Foundation
import TestSupport
import Testing

@Suite("coredata model swift")
struct ModelSwiftTests {
    private func run(_ arguments: String..., in folder: URL) throws -> ToolRun {
        try ToolRun(["model", "swift"] + arguments, in: folder)
    }

    /// Writes a model into a file and gives what the command says of it.
    private func run(_ model: NSManagedObjectModel) throws -> ToolRun {
        try withTemporaryFolder { folder in
            try ModelArchive.encode(model).write(to: folder.appendingPathComponent("M.mom"))
            return try run("M.mom", in: folder)
        }
    }

    private static func element(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let element = NSAttributeDescription()
        (element.name, element.attributeType) = (name, type)
        return element
    }

    private static func composite(
        _ name: String, _ elements: [NSAttributeDescription], _ userInfo: [String: Any] = [:]
    ) -> NSCompositeAttributeDescription {
        let composite = NSCompositeAttributeDescription()
        composite.name = name
        composite.elements = elements
        composite.userInfo = userInfo
        return composite
    }

    /// A model with composites as SwiftData has them.
    private static func trips() throws -> NSManagedObjectModel {
        let model = ModelText.model("entity Trip\n  name string!")
        let home = composite(
            "home",
            [element("city", .stringAttributeType), element("type", .integer16AttributeType)]
                + [composite("grade", [element("grade", .integer64AttributeType)], ["EnumType": true])])
        let trip = try #require(model.entitiesByName["Trip"])
        trip.properties += [
            home, composite("kind", [element("kind", .stringAttributeType)], ["EnumType": true]),
            composite("unknown", [element("unknown", .stringAttributeType)], ["EnumType": true]),
            composite(
                "way", [element("sea", .stringAttributeType), element("default", .stringAttributeType)],
                ["EnumType": true, "enum": ["sea", "default"]]),
            composite(
                "load", [element("none", .stringAttributeType), element("some", .binaryDataAttributeType)],
                ["EnumType": true, "enum": ["none", "some"]]),
        ]
        return model
    }

    @Test("Composite attributes are structures and enumerations, whose cases the rows have")
    func composites() throws {
        try withTemporaryFolder { folder in
            try withStore(folder.appendingPathComponent("Trips.sqlite"), Self.trips()) { context in
                for (kind, grade) in [("near", 2), ("Far \"away\"", -1), ("near", 2), ("", 2)] {
                    let home: [String: Any] = ["city": "Ulm", "grade": ["grade": grade] as [String: Any]]
                    context.make("Trip", ["name": "a", "kind": ["kind": kind] as [String: Any], "home": home])
                }
                try context.save()
            }
            let run = try run("Trips.sqlite", in: folder)
            #expect(run.status == 0, "\(run.errors)")
            #expect(
                run.errors == """
                    coredata: note: Trip.load: an enumeration whose values no model says; one field of the \
                    structure, that of the case, has bytes
                    coredata: note: Trip.unknown: an enumeration whose cases no row says; the structure in its place \
                    has any raw value

                    """)
            #expect(run.output == Self.tripClasses)
        }
    }

    private static let tripClasses = #"""
        // The classes of Trips.sqlite, as 'coredata model swift' has written them.

        import Foundation
        import SwiftData

        @Model
        final class Trip {
            var home: Home?
            var kind: Kind?
            // Note: load: an enumeration whose values no model says; one field of the structure, that of the case, has bytes.
            var load: Load?
            var name: String
            // Note: unknown: an enumeration whose cases no row says; the structure in its place has any raw value.
            var unknown: Unknown?
            var way: Way?

            init(name: String) {
                self.name = name
            }
        }

        extension Trip {
            struct Home: Codable, Hashable {
                var city: String?
                var type: Int16?
                var grade: Grade?

                /// The cases are those that rows of the store have. Add those that the program knows.
                enum Grade: Int, Codable {
                    case minus1 = -1
                    case value2 = 2
                }
            }
        }

        extension Trip {
            /// The cases are those that rows of the store have. Add those that the program knows.
            enum Kind: String, Codable {
                case empty = ""
                case farAway = "Far \"away\""
                case near
            }
        }

        extension Trip {
            struct Load: Codable, Hashable {
                var none: String?
                var some: Data?
            }
        }

        extension Trip {
            struct Unknown: Codable, Hashable {
                var unknown: String?
            }
        }

        extension Trip {
            enum Way: Codable {
                case sea
                case `default`
            }
        }

        """#

    @Test("Attributes, relationships, constraints, indexes and subclasses of a model of Core Data")
    func models() throws {
        let run = try run(
            ModelText.model(
                """
                entity Item
                  label string! = a"b was title
                  count int32! = 3 index
                  price decimal = 1.25
                  photo data external
                  class string modifier x
                  tags many Tag.items
                  box one! Box.items
                  next one Item.previous
                  previous one Item.next
                  unique label
                  unique class,label
                entity Special : Item
                  Type string!
                entity Plain : Special
                entity Tag
                  items many Item.tags
                entity Box
                  items many Item.box
                  owner one Data
                entity Data
                  bytes data!
                """))
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        #expect(run.output == Self.itemClasses)
    }

    private static let itemClasses = #"""
        // The classes of M.mom, as 'coredata model swift' has written them.

        import Foundation
        import SwiftData

        @Model
        final class Box {
            @Relationship(inverse: \Item.box) var items: [Item]?
            @Relationship var owner: Data?

            init() {}
        }

        @Model
        final class Data {
            var bytes: Foundation.Data

            init(bytes: Foundation.Data) {
                self.bytes = bytes
            }
        }

        @Model
        class Item {
            #Unique<Item>([\.`class`, \.label])
            #Index<Item>([\.count])

            var box: Box
            @Attribute(hashModifier: "x") var `class`: String?
            var count: Int32 = 3
            @Attribute(.unique, originalName: "title") var label: String = "a\"b"
            @Relationship(inverse: \Item.previous) var next: Item?
            @Attribute(.externalStorage) var photo: Foundation.Data?
            var previous: Item?
            var price: Decimal? = Decimal(string: "1.25") ?? 0
            @Relationship(inverse: \Tag.items) var tags: [Tag]?

            init(box: Box) {
                self.box = box
            }
        }

        @Model
        final class Plain: Special {
            override init(box: Box, `Type`: String) {
                super.init(box: box, `Type`: `Type`)
            }
        }

        @Model
        class Special: Item {
            var `Type`: String

            init(box: Box, `Type`: String) {
                self.`Type` = `Type`
                super.init(box: box)
            }
        }

        @Model
        final class Tag {
            var items: [Item]?

            init() {}
        }

        """#

    @Test(
        "What no class of SwiftData has is a comment and a note, and the status says that the store would be migrated")
    func notes() throws {
        let model = ModelText.model(
            """
            abstract entity Shape
              corners ordered Corner.shape
            entity Corner modifier
              shape one Shape.corners
              friends many Corner.friends
            """)
        let shape = try #require(model.entitiesByName["Shape"])
        let derived = NSDerivedAttributeDescription()
        (derived.name, derived.attributeType) = ("count", .integer64AttributeType)
        derived.derivationExpression = CoreData.NSExpression(format: "corners.@count")
        let unknown = Self.element("unknown", .objectIDAttributeType)
        let fetched = NSFetchedPropertyDescription()
        fetched.name = "found"
        fetched.fetchRequest = NSFetchRequest(entityName: "Corner")
        shape.properties += [derived, unknown, fetched, Self.element("colour", .transformableAttributeType)]
        model.entitiesByName["Corner"]?.versionHashModifier = "m"
        model.entitiesByName["Corner"]?.renamingIdentifier = "Point"
        let run = try run(model)
        #expect(run.status == 1)
        #expect(
            run.errors == """
                coredata: note: Corner: the entity has a version hash modifier, and no class of SwiftData has
                coredata: note: Corner: the renaming identifier 'Point' of the entity is left out
                coredata: note: Corner.friends: it is its own inverse, and no relationship to many models of SwiftData is
                coredata: note: Shape: the entity is abstract, and no class of SwiftData is
                coredata: note: Shape.colour: the values of a keyed archive are bytes here
                coredata: note: Shape.corners: it is ordered, and no relationship of SwiftData is
                coredata: note: Shape.count: derived by corners.@count, which SwiftData does not do
                coredata: note: Shape.found: a fetched property, which SwiftData does not have
                coredata: note: Shape.unknown: its type is none that SwiftData has
                coredata: the classes do not open the store by hash: SwiftData does not have all of the model

                """)
        for words in [
            "// A container with them migrates the store, because SwiftData does not have all of its model.",
            "import CoreData\nimport Foundation\nimport SwiftData",
            "// Not as in the store: Shape: the entity is abstract, and no class of SwiftData is.\n@Model",
            "    // Not as in the store: count: derived by corners.@count, which SwiftData does not do.\n",
            "    @Attribute(.transformable(by: StoredBytesTransformer.self)) var colour: StoredBytes?",
            "final class StoredBytesTransformer: ValueTransformer {",
        ] {
            #expect(run.output.contains(words), "\(words): \(run.output)")
        }
        #expect(!run.output.contains("var friends") && !run.output.contains("var count"))
    }

    @Test("A file is written once, a version is chosen, and a wrong source is named")
    func files() throws {
        try ModelFolder.withLibrary { folder, _ in
            let first = try run("Library.momd", "-o", "M.swift", in: folder)
            #expect(first.status == 0 && first.output == "M.swift\n", "\(first.errors)")
            let text = try String(contentsOf: folder.appendingPathComponent("M.swift"), encoding: .utf8)
            #expect(text.hasPrefix("// The classes of Library.momd, as"))
            let again = try run("Library.momd", "-o", "M.swift", in: folder)
            #expect(again.status == 5 && again.errors.contains("is there already"))
            let older = try run("Library.momd", "--version", "Library", "-o", "M.swift", "--force", in: folder)
            #expect(older.status == 0, "\(older.errors)")
            #expect(try String(contentsOf: folder.appendingPathComponent("M.swift"), encoding: .utf8) != text)
            let missing = try run("None.store", in: folder)
            #expect(missing.status == 3 && missing.errors.contains("None.store"), "\(missing.errors)")
        }
    }
}
