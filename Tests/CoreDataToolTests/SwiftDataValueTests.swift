import CoreData
import Foundation
import TestSupport
import Testing

@Suite("coredata: values of SwiftData")
struct SwiftDataValueTests {
    private let folder: TemporaryFolder

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

    init() throws {
        folder = try TemporaryFolder()
        let model = ModelText.model("entity Trip\n  name string\n  notes data")
        let trip = try #require(model.entitiesByName["Trip"])
        let names = Self.element("names", .transformableAttributeType)
        names.valueTransformerName = NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue
        let cases: [String: Any] = ["EnumType": true, "enum": ["sea", "road"]]
        trip.properties += [
            names,
            Self.composite(
                "home",
                [
                    Self.element("city", .stringAttributeType), Self.element("tags", .binaryDataAttributeType),
                    Self.composite("grade", [Self.element("grade", .integer64AttributeType)], ["EnumType": true]),
                ]),
            Self.composite("kind", [Self.element("kind", .stringAttributeType)], ["EnumType": true]),
            Self.composite(
                "way", [Self.element("sea", .stringAttributeType), Self.element("road", .binaryDataAttributeType)],
                cases),
        ]
        try withStore(folder.url.appendingPathComponent("Trips.store"), model) { context in
            let home: [String: Any] = [
                "city": "Ulm", "tags": Data(#"["old",{"n":1.5}]"#.utf8), "grade": ["grade": 2] as [String: Any],
            ]
            context.make(
                "Trip",
                [
                    "name": "a", "home": home, "kind": ["kind": "near"] as [String: Any],
                    "way": ["sea": "sea"] as [String: Any], "notes": Data(#"{"a":[true]}"#.utf8),
                    "names": ["x", "y"] as NSArray,
                ])
            context.make(
                "Trip",
                [
                    "name": "b", "home": ["tags": Data("[no".utf8)] as [String: Any],
                    "way": ["road": Data(#"{"_0":7}"#.utf8)] as [String: Any], "notes": Data("[no".utf8),
                ])
            try context.save()
        }
    }

    private func run(_ arguments: String...) throws -> ToolRun { try ToolRun(arguments, in: folder.url) }

    @Test("A table and CSV show the case, the raw value, the fields and the JSON")
    func tables() throws {
        let run = try run("fetch", "Trips.store", "Trip", "-s", "name", "-c", "home,kind,way,names,notes")
        let lines = run.output.split(separator: "\n").map { line in
            line.split(separator: " ").joined(separator: " ")
        }
        #expect(
            lines == [
                "home kind way names notes",
                #"city: Ulm, grade: 2, tags: ["old",{"n":1.5}] near sea ["x","y"] {"a":[true]}"#,
                #"tags: 3 bytes road({"_0":7}) 3 bytes"#,
            ], "\(run.output)\(run.errors)")
        let csv = try self.run("fetch", "Trips.store", "Trip", "-n", "1", "-s", "name", "-c", "kind,way", "-f", "csv")
        #expect(csv.output == "kind,way\nnear,sea\n", "\(csv.errors)")
        let shown = try self.run("show", "Trips.store", "Trip/2")
        #expect(shown.output.contains(#"way    road({"_0":7})"#), "\(shown.output)")
    }

    @Test("JSON has the case or the raw value, and JSON within structures; an export keeps the elements as they are")
    func json() throws {
        let run = try run("fetch", "Trips.store", "Trip", "-s", "name", "-c", "home,kind,way,notes", "-f", "ndjson")
        #expect(
            run.output == """
                {"home":{"city":"Ulm","grade":2,"tags":["old",{"n":1.5}]},"kind":"near","way":"sea",\
                "notes":"eyJhIjpbdHJ1ZV19"}
                {"home":{"tags":"W25v"},"kind":null,"way":{"road":{"_0":7}},"notes":"W25v"}

                """, "\(run.output)\(run.errors)")
        let exported = try self.run("export", "Trips.store").output
        #expect(exported.contains(#""kind":{"kind":"near"}"#) && exported.contains(#""way":{"sea":"sea"}"#))
        let elements = try self.run("fetch", "Trips.store", "Trip", "-w", "kind.kind == 'near'", "-c", "home.city")
        #expect(elements.output == "home.city\nUlm\n", "\(elements.errors)")
    }
}
