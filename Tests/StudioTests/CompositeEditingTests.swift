import CoreData
import Foundation
import TestSupport
import Testing

@Suite(
    "Composite and transient attributes in the studio",
    .enabled(if: StudioBuild.isPresent, "\(StudioBuild.absence)"))
struct CompositeEditingTests {
    private static let list = Data(
        """
        <?xml version="1.0"?><plist version="1.0"><dict><key>colour</key><string>red</string></dict></plist>
        """.utf8)

    /// A house with a composite attribute: city, zip, three kinds of bytes, and a point within the place.
    static func make(in folder: URL) throws -> URL {
        let model = NSManagedObjectModel()
        let entity = NSEntityDescription()
        entity.name = "House"
        func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
            return attribute
        }
        let point = NSCompositeAttributeDescription()
        point.name = "point"
        point.elements = [attribute("x", .doubleAttributeType), attribute("isExact", .booleanAttributeType)]
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        place.elements =
            [attribute("city", .stringAttributeType), attribute("zip", .integer32AttributeType)]
            + ["json", "text", "list", "other"].map { attribute($0, .binaryDataAttributeType) } + [point]
        entity.properties = [attribute("name", .stringAttributeType), place]
        model.entities = [entity]
        let url = folder.appendingPathComponent("Houses.sqlite")
        try withStore(url, model) { context in
            let values: [String: Any] = [
                "city": "Ulm", "zip": 89_073, "json": Data(#"{"a":[1,"two"]}"#.utf8), "text": Data("plain text".utf8),
                "list": list, "other": Data([0, 1, 2, 255]), "point": ["x": 1.5] as [String: Any],
            ]
            context.make("House", ["name": "one", "place": values])
            context.make("House", ["name": "two"])
            try context.save()
        }
        return url
    }

    private func set(
        _ client: StudioClient, _ id: String, _ key: String, _ value: String, status: Int = 200
    ) throws -> AnyJSON {
        try client.write("edit/set", #"{"id":"\#(id)","key":"\#(key)","value":\#(value)}"#, status: status)
    }

    private func element(_ client: StudioClient, _ id: String, _ path: String) throws -> AnyJSON {
        var found = try client.read("object", ["id": id])["attributes"].first("name", "place")
        var name = "place"
        for part in path.split(separator: ".").dropFirst() {
            name += ".\(part)"
            found = found["elements"].first("name", name)
        }
        return found
    }

    @Test("Bytes that hold JSON, text or a property list are shown as what they hold")
    func bytes() throws {
        try withTemporaryFolder { folder in
            try withStudio(try Self.make(in: folder)) { client in
                #expect(try element(client, "House/1", "place.json")["decoded"].text == #"{"a":[1,"two"]}"#)
                #expect(try element(client, "House/1", "place.text")["decoded"].text == "plain text")
                #expect(try element(client, "House/1", "place.list")["decoded"]["colour"].text == "red")
                let other = try element(client, "House/1", "place.other")
                #expect(other["decoded"].isNull && other["bytes"].int == 4 && other["isEditable"].truth == false)
                let saved = try client.get("value", ["id": "House/1", "key": "place.text"])
                #expect(saved.status == 200 && saved.text == "plain text")
            }
        }
    }

    @Test("Elements are set, checked, undone and saved one by one")
    func editing() throws {
        try withTemporaryFolder { folder in
            let store = try Self.make(in: folder)
            try withStudio(store, ["--write"]) { client in
                #expect(try element(client, "House/1", "place.city")["isEditable"].truth == true)
                _ = try set(client, "House/1", "place.city", "\"Bern\"")
                _ = try set(client, "House/1", "place.point.isExact", "true")
                #expect(try element(client, "House/1", "place.point.isExact")["value"].truth == true)
                #expect(try element(client, "House/1", "place.point.x")["text"].text == "1.5")
                let wrong = try set(client, "House/1", "place.zip", "\"none\"", status: 422)
                #expect(wrong["error"]["key"].text == "place.zip")
                _ = try set(client, "House/1", "place", "\"x\"", status: 422)
                _ = try set(client, "House/1", "place.json", "\"x\"", status: 422)
                _ = try set(client, "House/1", "place.none", "\"x\"", status: 400)
                _ = try set(client, "House/2", "place.point.x", "\"2\"")
                _ = try set(client, "House/2", "place.point.x", "null")
                _ = try set(client, "House/1", "place.zip", "\"1\"")
                _ = try client.write("edit/undo")
                #expect(try client.write("edit/save")["pending"]["hasChanges"].truth == false)
            }
            let rows = try ToolRun(
                [
                    "fetch", store.path, "House", "-c", "place.city,place.zip,place.point.isExact,place.point.x", "-f",
                    "csv",
                ])
            #expect(rows.output.hasSuffix("Bern,89073,true,1.5\n,,,\n"), "\(rows.output)\(rows.errors)")
        }
    }

    @Test("An object whose class would make a mandatory transient value is saved without it")
    func transient() throws {
        try withTemporaryFolder { folder in
            let store = folder.appendingPathComponent("Notes.sqlite")
            let model = ModelText.model("entity Note\n  text string!\n  initial string! transient")
            try withStore(store, model) { context in
                context.make("Note", ["text": "one", "initial": "o"])
                try context.save()
            }
            try withStudio(store, ["--write"]) { client in
                _ = try set(client, "Note/1", "text", "\"two\"")
                #expect(try client.write("edit/save")["pending"]["hasChanges"].truth == false)
            }
            #expect(try RawDatabase(store).column("SELECT ZTEXT FROM ZNOTE") == [.text("two")])
        }
    }
}
