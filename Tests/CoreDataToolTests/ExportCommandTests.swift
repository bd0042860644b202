import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

@Suite("coredata export and import")
struct ExportCommandTests {
    /// Has the values that are hard to keep.
    private static func exactModel() -> NSManagedObjectModel {
        let (thing, part) = (NSEntityDescription(), NSEntityDescription())
        (thing.name, part.name) = ("Thing", "Part")
        thing.managedObjectClassName = "Elsewhere.Thing"
        func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
            return attribute
        }
        let external = attribute("external", .binaryDataAttributeType)
        external.allowsExternalBinaryDataStorage = true
        let unknown = attribute("unknown", .transformableAttributeType)
        (unknown.valueTransformerName, unknown.attributeValueClassName) = ("ElsewhereTransformer", "Elsewhere.Value")
        let mandatory = attribute("mandatory", .stringAttributeType)
        (mandatory.isOptional, mandatory.defaultValue) = (false, "a default")
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        place.elements = [attribute("x", .doubleAttributeType), attribute("at", .dateAttributeType)]
        let (parts, things) = (NSRelationshipDescription(), NSRelationshipDescription())
        (parts.name, parts.destinationEntity, parts.isOrdered) = ("parts", part, true)
        (things.name, things.destinationEntity, things.isOrdered) = ("things", thing, true)
        (parts.maxCount, things.maxCount) = (0, 0)
        (parts.inverseRelationship, things.inverseRelationship) = (things, parts)
        thing.properties = [
            attribute("double", .doubleAttributeType), attribute("float", .floatAttributeType),
            attribute("date", .dateAttributeType), attribute("decimal", .decimalAttributeType),
            attribute("text", .stringAttributeType), attribute("truth", .booleanAttributeType),
            attribute("small", .integer16AttributeType), attribute("large", .integer64AttributeType),
            attribute("uuid", .UUIDAttributeType), attribute("uri", .URIAttributeType), external, unknown, mandatory,
            place, parts,
        ]
        part.properties = [things]
        let model = NSManagedObjectModel()
        model.entities = [thing, part]
        return model
    }

    private static let uuid = "6F9619FF-8B86-D011-B42D-00CF4FC964FF"

    /// A store with such values, some objects gone, and orders of its own on both sides.
    private static func fill(_ url: URL, text: String) throws {
        try withStore(url, exactModel().plain()) { context in
            func new(_ name: String) -> NSManagedObject {
                NSEntityDescription.insertNewObject(forEntityName: name, into: context)
            }
            let things = (0..<3).map { _ in new("Thing") }
            let parts = (0..<3).map { _ in new("Part") }
            try context.obtainPermanentIDs(for: things + parts, numbers: [2, 5, 900_000_000, 1, 2, 3])
            things[0].setValuesForKeys([
                "double": 0.1 + 0.2, "float": Float(0.1), "date": Date(timeIntervalSinceReferenceDate: 726_000_000.1),
                "decimal": NSDecimalNumber(string: "1234567.8901"),
                "text": text, "truth": true, "small": -32_768, "large": Int.min,
                "uuid": UUID(uuidString: uuid) as Any, "uri": URL(string: "x:y?z=%20") as Any,
                "external": Data(repeating: 7, count: 200_000), "unknown": Data([0, 1, 255]), "mandatory": "m",
                "place": ["x": -1.5, "at": Date(timeIntervalSinceReferenceDate: 1e-9)],
            ])
            things[1].setValuesForKeys(["double": Double.infinity, "float": -Float.infinity, "mandatory": "m"])
            things[1].setValue(NSOrderedSet(array: [parts[2], parts[0]]), forKey: "parts")
            things[2].setValuesForKeys(["double": Double.leastNonzeroMagnitude, "text": "", "mandatory": ""])
            things[2].setValue(NSOrderedSet(array: [parts[1], parts[2], parts[0]]), forKey: "parts")
            parts[0].setValue(NSOrderedSet(array: [things[2], things[1]]), forKey: "things")
            let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
            var metadata = store.metadata ?? [:]
            metadata["Mine"] = ["list": [1, Data([9])]]
            context.persistentStoreCoordinator?.setMetadata(metadata, for: store)
            try context.save()
        }
    }

    /// The store as it would be after its program had opened it: its model has the program's names.
    private static func made(
        in folder: URL, text: String = "a\u{0}\"\\\n\u{1F40B}e\u{301}"
    ) throws -> (store: URL, model: URL) {
        let (store, model) = (folder.appendingPathComponent("Exact.sqlite"), folder.appendingPathComponent("Exact.mom"))
        try fill(store, text: text)
        try exactModel().archive().write(to: model)
        return (store, model)
    }

    @Test("An object is a line, with values that lose nothing and members in their order")
    func lines() throws {
        try withTemporaryFolder { folder in
            let (store, model) = try Self.made(in: folder)
            let run = try ToolRun(["export", store.path, "--model", model.path])
            #expect(run.status == 0, "\(run.errors)")
            var lines = run.output.split(separator: "\n").map(String.init)
            let head = try #require(
                try JSONSerialization.jsonObject(with: Data(lines.removeFirst().utf8)) as? [String: Any])
            #expect(head["@coredata"] as? Int == 1)
            #expect(head["objects"] as? [String: Int] == ["Part": 3, "Thing": 3])
            let external = Data(repeating: 7, count: 200_000).base64EncodedString()
            #expect(
                lines == [
                    #"{"@id":"Part/1","things":["Thing/900000000","Thing/5"]}"#,
                    #"{"@id":"Part/2","things":["Thing/900000000"]}"#,
                    #"{"@id":"Part/3","things":["Thing/5","Thing/900000000"]}"#,
                    #"{"@id":"Thing/2","date":726000000.1,"decimal":"1234567.8901","#
                        + #""double":0.30000000000000004,"external":"\#(external)","float":0.1,"#
                        + #""large":-9223372036854775808,"mandatory":"m","place":{"at":1e-09,"x":-1.5},"#
                        + #""small":-32768,"text":"a\u0000\"\\\n🐋é","truth":true,"unknown":"AAH/","#
                        + #""uri":"x:y?z=%20","uuid":"\#(Self.uuid)"}"#,
                    #"{"@id":"Thing/5","double":"inf","float":"-inf","mandatory":"m","parts":["Part/3","Part/1"]}"#,
                    #"{"@id":"Thing/900000000","double":5e-324,"mandatory":"","text":"","#
                        + #""parts":["Part/2","Part/3","Part/1"]}"#,
                ])
        }
    }

    @Test(
        "An imported store is equal, with ids, UUID, metadata and the model's own names", arguments: ["sqlite", "xml"])
    func roundTrip(_ type: String) throws {
        try withTemporaryFolder { folder in
            let (store, model) = try Self.made(in: folder, text: "a\"\\\n\t\u{1F40B}e\u{301} ")
            let before = try Data(contentsOf: store)
            let file = folder.appendingPathComponent("Export.jsonl")
            let copy = folder.appendingPathComponent("Copy.\(type)")
            let export = try ToolRun(["export", store.path, "-o", file.path, "--model", model.path, "--json"])
            #expect(export.status == 0, "\(export.errors)")
            #expect((try export.json() as? [String: Any])?["objects"] as? Int == 6)
            let run = try ToolRun(["import", copy.path, "--json"], input: String(contentsOf: file, encoding: .utf8))
            #expect(run.status == 0, "\(run.errors)")
            let said = try #require(try run.json() as? [String: Any])
            #expect(said["entities"] as? [String: Int] == ["Part": 3, "Thing": 3])
            #expect(said["keepsIDs"] as? Bool == (type == "sqlite"))
            let kind = type == "sqlite" ? NSSQLiteStoreType : NSXMLStoreType
            let old = try StoreWalk(store, type: NSSQLiteStoreType, Self.exactModel())
            let new = try StoreWalk(copy, type: kind, Self.exactModel())
            #expect(old.objects.count == 6)
            #expect(old.shape(Self.exactModel()) == new.shape(Self.exactModel()))
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                type: NSPersistentStore.StoreType(rawValue: kind), at: copy)
            let identifier = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: store)
            #expect(metadata[NSStoreUUIDKey] as? String == identifier[NSStoreUUIDKey] as? String)
            #expect((metadata["Mine"] as? [String: [Any]])?["list"]?.last as? Data == Data([9]))
            if type == "sqlite" {
                #expect(old.differences(from: new) == [])
                let kept = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: copy)
                #expect(kept.isEqual(Self.exactModel()))
                #expect(kept.entitiesByName["Thing"]?.managedObjectClassName == "Elsewhere.Thing")
                // Later objects come behind the highest number.
                try withStore(copy, kept) { context in
                    let part = NSEntityDescription.insertNewObject(forEntityName: "Part", into: context)
                    try context.save()
                    #expect(part.objectID.uriRepresentation().lastPathComponent == "p4")
                }
            }
            #expect(try Data(contentsOf: store) == before)
        }
    }

    @Test("Values that XML cannot hold are listed, and nothing is made", arguments: ["import", "convert"])
    func unfit(_ command: String) throws {
        try withTemporaryFolder { folder in
            let (store, model) = try Self.made(in: folder)
            let copy = folder.appendingPathComponent("Copy.xml")
            let run =
                command == "convert"
                ? try ToolRun(["convert", store.path, copy.path, "-m", model.path])
                : try ToolRun(
                    ["import", copy.path], input: ToolRun(["export", store.path, "-m", model.path]).output)
            #expect(run.status == 5)
            #expect(
                run.errors == """
                    coredata: \(copy.path): XML cannot hold 1 value; nothing was written
                      “Thing.text” of Thing/2 has a control character

                    """)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(!names.contains { $0.contains("Copy") })
        }
    }

    /// The lines of a small export, to be changed.
    private static func small(in folder: URL) throws -> [String] {
        let store = folder.appendingPathComponent("Small.sqlite")
        try withStore(store, LibraryModel.make()) { context in
            let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
            let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
            author.setValue("A", forKey: "name")
            book.setValue(author, forKey: "author")
            try context.save()
        }
        let run = try ToolRun(["export", store.path])
        try #require(run.status == 0, "\(run.errors)")
        return run.output.split(separator: "\n").map(String.init)
    }

    @Test("A line with a mistake is named with its column, and nothing is made")
    func mistakes() throws {
        try withTemporaryFolder { folder in
            let lines = try Self.small(in: folder)
            #expect(
                Array(lines.dropFirst()) == [
                    #"{"@id":"Author/1","name":"A","books":["Book/1"]}"#,
                    #"{"@id":"Book/1","copies":1,"author":"Author/1"}"#,
                ])
            let copy = folder.appendingPathComponent("Copy.sqlite")
            let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            let cases: [(author: String, book: String, problem: String)] = [
                (#"{"@id":"Author/1","name":1}"#, lines[2], "line 2, column 26: a text is expected, not a number"),
                (#"{"@id":"Author/1","name":"A"#, lines[2], "line 2, column 28: a text has no end"),
                (#"{"@id":"Autor/1"}"#, lines[2], "column 8: the model has no entity 'Autor'; is 'Author' meant?"),
                (#"{"@id":"Author/1","nam":"A"}"#, lines[2], "no property 'nam' that a store keeps; is 'name' meant?"),
                (lines[1], lines[1], "line 3, column 8: 'Author/1' is there twice"),
                (lines[1], "", "line 2: 0 objects of 'Book' where the first line says 1: the export is not whole"),
                (lines[1], #"{"@id":"Book/1","copies":1.5}"#, "line 3, column 26: 1.5 is no whole number of 64 bits"),
                (lines[1], #"{"@id":"Book/1","copies":3000000000}"#, "3000000000 is too large for 32 bits"),
                (lines[1], #"{"@id":"Book/1","cover":"&"}"#, "line 3, column 25: this is no base 64"),
                (lines[1], #"{"@id":"Book/1","author":["Author/1"]}"#, "the name of an object is expected, not a list"),
                (#"{"@id":"Author/1"}"#, #"{"@id":"Book/1","é":"\ud800"}"#, "half of a character is missing"),
                (lines[1], #"["Book/1"]"#, "line 3, column 1: an object is expected, not a list"),
                (lines[1], #"{"@id":"Book/1"} {}"#, "line 3, column 18: something stands behind the value"),
            ]
            for (author, book, problem) in cases {
                let run = try ToolRun(["import", copy.path], input: [lines[0], author, book].joined(separator: "\n"))
                #expect(run.status == 3, "\(problem)")
                #expect(run.errors.contains(problem), "\(problem): \(run.errors)")
                #expect(run.output == "")
            }
            for input in ["", "{}\n", "no JSON", lines[0].replacing(#""@coredata":1"#, with: #""@coredata":2"#)] {
                let run = try ToolRun(["import", copy.path], input: input)
                #expect(run.status == 3, "\(run.errors)")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == before)
        }
    }

    @Test("Links that lead nowhere are left out and reported; those that contradict each other are refused")
    func links() throws {
        try withTemporaryFolder { folder in
            let lines = try Self.small(in: folder)
            let copy = folder.appendingPathComponent("Copy.sqlite")
            let torn = [lines[0], #"{"@id":"Author/1","name":"A"}"#, #"{"@id":"Book/1","author":"Author/9"}"#]
            let run = try ToolRun(["import", copy.path, "--json"], input: torn.joined(separator: "\n"))
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.errors.contains("1 link to objects that are not there was left out: Book/1.author leads to"))
            #expect((try run.json() as? [String: Any])?["danglingLinks"] as? Int == 1)
            let other = folder.appendingPathComponent("Other.sqlite")
            let against = [
                lines[0].replacing(#""Author":1"#, with: #""Author":2"#), lines[1], #"{"@id":"Author/2","name":"B"}"#,
                #"{"@id":"Book/1","author":"Author/2"}"#,
            ]
            let refused = try ToolRun(["import", other.path], input: against.joined(separator: "\n"))
            #expect(refused.status == 3)
            #expect(refused.errors.contains("line 2, column 30: 'books' has an object whose 'author' leads to another"))
            #expect(!FileManager.default.fileExists(atPath: other.path))
        }
    }

    @Test("An existing file, folder or link stays")
    func existing() throws {
        try withTemporaryFolder { folder in
            let input = try Self.small(in: folder).joined(separator: "\n")
            let file = folder.appendingPathComponent("There.sqlite")
            try Data("mine".utf8).write(to: file)
            let run = try ToolRun(["import", file.path], input: input)
            #expect(run.status == 5)
            #expect(run.errors == "coredata: \(file.path): there is something already; it stays as it is\n")
            #expect(try Data(contentsOf: file) == Data("mine".utf8))
            let link = folder.appendingPathComponent("Link.sqlite")
            try FileManager.default.createSymbolicLink(
                at: link, withDestinationURL: folder.appendingPathComponent("Nowhere"))
            for path in [folder.path, link.path] {
                #expect(try ToolRun(["import", path], input: input).status == 5, "\(path)")
            }
            #expect(try ToolRun(["import", folder.path + "/None/S.sqlite"], input: input).status == 3)
            let small = folder.appendingPathComponent("Small.sqlite").path
            #expect(try ToolRun(["export", small, "-o", file.path]).status == 5)
            #expect(try Data(contentsOf: file) == Data("mine".utf8))
        }
    }

    @Test("An import that is ended makes no store; after ^C nothing is left, and the next one begins anew")
    func ended() throws {
        try withTemporaryFolder { folder in
            let (count, name) = (6_000, String(repeating: "t", count: 100))
            let head = try Self.small(in: folder)[0]
                .replacing(#""Author":1,"Book":1"#, with: #""Tag":\#(count)"#)
            let lines = head + "\n" + (1...count).map { #"{"@id":"Tag/\#($0)","name":"\#(name)"}"# + "\n" }.joined()
            let copy = folder.appendingPathComponent("Copy.sqlite")
            let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            for (signal, status) in [(SIGKILL, SIGKILL), (SIGINT, 130)] {
                let (process, input) = (AwaitedProcess(), Pipe())
                process.executableURL = ToolRun.program
                process.arguments = ["import", copy.path]
                process.standardInput = input
                process.standardError = FileHandle.nullDevice
                try process.run()
                // A pipe holds less than this: when all is written the program has read most of it.
                input.fileHandleForWriting.write(Data(lines.utf8))
                kill(process.processIdentifier, signal)
                process.waitUntilExit()
                #expect(process.terminationStatus == status)
                #expect(!FileManager.default.fileExists(atPath: copy.path))
                try input.fileHandleForWriting.close()
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == before)
            let run = try ToolRun(["import", copy.path], input: lines)
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.output == "imported \(count) objects of 1 entity into \(copy.path)\n")
        }
    }

    @Test("Wrong use, and a file that is no store or no export, is one line and a status")
    func wrongUse() throws {
        try withTemporaryFolder { folder in
            let text = folder.appendingPathComponent("T.txt")
            try Data("mine\n".utf8).write(to: text)
            let copy = folder.appendingPathComponent("C.sqlite").path
            let cases: [(arguments: [String], status: Int32, line: String)] = [
                (["export"], 2, "STORE is missing"),
                (["export", text.path, "--json"], 2, "'--json' needs '--output'"),
                (["export", text.path], 3, "\(text.path): this is no Core Data store"),
                (["export", folder.path], 3, "\(folder.path): this is a folder"),
                (["export", copy], 3, "\(copy): no such file or directory"),
                (["import", copy, text.path], 3, "\(text.path): line 1, column 1: a value is expected"),
                (["import", copy, folder.path], 3, "\(folder.path): this is a folder"),
                (["import", copy, copy], 3, "\(copy): no such file or directory"),
                (["import", copy, text.path, "-t", "csv"], 2, "'--type' is one of"),
                (["import", "postgresql://localhost/x"], 2, "import makes files"),
                (["convert", text.path, copy, "-t", "postgresql"], 2, "a store in PostgreSQL has an address such as"),
                (["convert", text.path, copy], 3, "\(text.path): this is no Core Data store"),
            ]
            for (arguments, status, line) in cases {
                let run = try ToolRun(arguments)
                #expect(run.status == status, "\(arguments)")
                #expect(run.errors.split(separator: "\n").first?.contains(line) == true, "\(run.errors)")
                #expect(run.output == "")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["T.txt"])
        }
    }

    @Test("A line on a terminal says how far an export is, and is taken away at the end")
    func terminal() throws {
        try withTemporaryFolder { folder in
            let head = try Self.small(in: folder)[0].replacing(#""Author":1,"Book":1"#, with: #""Tag":150"#)
            let lines = head + "\n" + (1...150).map { #"{"@id":"Tag/\#($0)"}"# + "\n" }.joined()
            let store = folder.appendingPathComponent("Tags.sqlite")
            try #require(try ToolRun(["import", store.path], input: lines).status == 0)
            let (process, output) = (AwaitedProcess(), Pipe())
            process.executableURL = URL(fileURLWithPath: "/usr/bin/script")
            let file = folder.appendingPathComponent("e.jsonl").path
            process.arguments = ["-qec", "'\(ToolRun.program.path)' export '\(store.path)' -o '\(file)'", "/dev/null"]
            process.standardOutput = output
            process.standardInput = FileHandle.nullDevice
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            let erased = "\r\u{1B}[K"
            #expect(
                text == erased + "exporting Tag: 100 of 150 objects (66 %)" + erased
                    + "exported 150 objects of 1 entity to \(file)\r\n")
        }
    }

    @Test("A closed pipe ends an export with the status that says so")
    func closedPipe() throws {
        try withTemporaryFolder { folder in
            let (store, _) = try Self.made(in: folder)
            let process = AwaitedProcess()
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            let script = #""$0" export "$1" | true; exit ${PIPESTATUS[0]}"#
            process.arguments = ["-c", script, ToolRun.program.path, store.path]
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 6)
        }
    }

    @Test("A store that another process writes is exported as it was saved")
    func written() throws {
        try withTemporaryFolder { folder in
            let lines = try Self.small(in: folder)
            let store = folder.appendingPathComponent("Small.sqlite")
            try withStore(store, LibraryModel.make()) { context in
                let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
                try context.save()
                context.delete(tag)
                let run = try ToolRun(["export", store.path])
                #expect(run.status == 0, "\(run.errors)")
                let printed: [String] = run.output.split(separator: "\n").map(String.init)
                #expect(printed.dropFirst() == lines.dropFirst() + [#"{"@id":"Tag/1"}"#])
            }
        }
    }
}
