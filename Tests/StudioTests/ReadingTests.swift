import CoreData
import Foundation
import TestSupport
import Testing

@Suite("The studio's account of a store", .enabled(if: StudioBuild.isPresent, "\(StudioBuild.absence)"))
struct ReadingTests {
    private static let errorKeys: Set = ["message", "details", "position", "length", "key"]

    /// The error of an answer that has to be one.
    private func failure(
        _ client: StudioClient, _ name: String, _ query: KeyValuePairs<String, String>, status: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> AnyJSON {
        let answer = try client.get(name, query)
        #expect(answer.status == status, "\(name) \(query): \(answer.text)", sourceLocation: sourceLocation)
        let error = try AnyJSON(answer.body)["error"]
        #expect(error.keys == Self.errorKeys, sourceLocation: sourceLocation)
        return error
    }

    // MARK: The library

    @Test(
        "Every answer about a store of any kind has its shape",
        arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
    func kinds(type: String) throws {
        try withTemporaryFolder { folder in
            let store = try StudioLibrary.make(in: folder, type: type)
            let before = try FolderContents(folder)
            try withStudio(store) { client in
                try Everything(client, store).look()
                let overview = try client.read("store")
                #expect(overview["kind"].text == type)
                #expect(overview["version"].text == (type == NSSQLiteStoreType ? nil : "Library"))
                let counts = overview["entities"].items.map { "\($0["name"].text ?? "") \($0["count"].int ?? -1)" }
                #expect(counts == ["Author 2", "Book 3", "Novel 1", "Shelf 1", "Tag 1"])
                let novel = overview["entities"].first("name", "Novel")
                #expect(
                    novel["parent"].text == "Book"
                        && novel["attributes"].first("name", "title")["isOptional"].truth == false)
                #expect(novel["constraints"] == .list([]) || novel["constraints"][0][0].text == "isbn")
                #expect(overview["entities"].first("name", "Book")["constraints"][0][0].text == "isbn")
                let books = overview["entities"].first("name", "Author")["relationships"].first("name", "books")
                #expect(
                    books["isToMany"].truth == true && books["inverse"].text == "author"
                        && books["destination"].text == "Book")
            }
            #expect(try ToolRun.changes(in: folder, since: before) == [])
        }
    }

    @Test("Names with commas, percent signs and a minus in front are escaped in lists")
    func oddNames() throws {
        try withTemporaryFolder { folder in
            let store = folder.appendingPathComponent("Odd.sqlite")
            let thing = NSEntityDescription()
            thing.name = "Thing"
            thing.properties = ["a,b", "-c", "50%2C", "d"].map { name in
                let attribute = NSAttributeDescription()
                attribute.name = name
                attribute.attributeType = .integer64AttributeType
                return attribute
            }
            let model = NSManagedObjectModel()
            model.entities = [thing]
            try withStore(store, model) { context in
                for number in 1...2 {
                    let made = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
                    for name in ["a,b", "-c", "50%2C", "d"] { made.setValue(number, forKey: name) }
                }
                try context.save()
            }
            try withStudio(store) { client in
                let answer = try client.read(
                    "rows", ["entity": "Thing", "columns": "a%2Cb,%2Dc,50%252C,d", "sort": "-%2Dc,a%2Cb,d"])
                #expect(answer["columns"].items.map { $0["title"].text } == ["a,b", "-c", "50%2C", "d"])
                #expect(answer["rows"].items.map { $0["cells"][0].text } == ["2", "1"])
                let sums = try client.read("aggregate", ["entity": "Thing", "values": "sum:a%2Cb", "group": "%2Dc"])
                #expect(sums["rows"].items.map { $0[1].text } == ["1", "2"])
            }
        }
    }

    @Test("A table has columns, an order, a part of the rows, and cells of every kind")
    func rows() throws {
        try withTemporaryFolder { folder in
            try withStudio(try StudioLibrary.make(in: folder)) { client in
                let columns = "title,year,author,author.name,tags,tags.@count,cover,price,published"
                let answer = try client.read(
                    "rows", ["entity": "Book", "sort": "-year,title", "columns": columns])
                #expect(
                    answer["columns"].items.map { $0["kind"].text } == [
                        "attribute", "attribute", "object", "attribute", "objects", "count", "attribute", "attribute",
                        "attribute",
                    ])
                #expect(
                    answer["columns"].items.map { $0["isNumber"].truth } == [
                        false, true, false, false, false, true, false, true, false,
                    ])
                #expect(answer["total"].int == 3 && answer["rows"].items.count == 3)
                let whale = answer["rows"][0]
                #expect(
                    whale["id"].text == "Book/1" && whale["entity"].text == "Book" && whale["state"].text == "clean")
                #expect(whale["cells"][0] == .text("Moby Dick") && whale["cells"][1] == .text("1851"))
                #expect(whale["cells"][2] == .object(["id": .text("Author/1"), "label": .text("Melville")]))
                #expect(whale["cells"][3] == .text("Melville"))
                #expect(whale["cells"][4] == .object(["count": .number(1)]) && whale["cells"][5] == .text("1"))
                #expect(whale["cells"][6] == .object(["bytes": .number(Double(StudioLibrary.image.count))]))
                #expect(whale["cells"][7].text?.hasPrefix("12.5") == true)
                #expect(answer["rows"][2]["entity"].text == "Novel" && answer["rows"][2]["cells"][1].isNull)
                let part = try client.read(
                    "rows", ["entity": "Book", "sort": "title", "columns": "title", "offset": "1", "limit": "1"])
                #expect(part["total"].int == 3 && part["offset"].int == 1 && part["rows"].items.count == 1)
                #expect(part["rows"][0]["cells"] == .list([.text("The Raven")]))
                let beyond = try client.read("rows", ["entity": "Book", "offset": "\(Int.max)", "limit": "500"])
                #expect(beyond["total"].int == 3 && beyond["rows"].items.isEmpty)
                #expect(try client.read("rows", ["entity": "Book", "subentities": "0"])["total"].int == 2)
                let found = try client.read(
                    "rows", ["entity": "Book", "where": "author.name BEGINSWITH 'Mel' AND ANY tags.name == 'sea'"])
                #expect(found["total"].int == 2)
                let plus = try client.answer(to: client.reading("/api/rows?entity=Book&where=title+==+'Moby+Dick'"))
                #expect(try AnyJSON(plus.body)["total"].int == 1)
            }
        }
    }

    @Test("A long text is cut in a table, and whole on the object's page")
    func longText() throws {
        try withTemporaryFolder { folder in
            let long = String(repeating: "é🐋", count: 5_000)
            let store = try StudioLibrary.make(in: folder) { context in
                _ = try StudioLibrary.made("Tag", ["name": long], context)
                _ = try StudioLibrary.made("Tag", ["name": String(repeating: "x", count: 50_000)], context)
            }
            try withStudio(store, ["--write"]) { client in
                let rows = try client.read("rows", ["entity": "Tag", "columns": "name"])["rows"]
                let cell = try #require(rows[1]["cells"][0].text)
                #expect(cell.count == 300 && cell.hasSuffix("…") && long.hasPrefix(cell.dropLast()))
                let name = try client.read("object", ["id": "Tag/2"])["attributes"].first("name", "name")
                #expect(name["value"].text == long || name["isCut"].truth == true)
                let cut = try client.read("object", ["id": "Tag/3"])["attributes"].first("name", "name")
                #expect(cut["isCut"].truth == true && cut["isEditable"].truth == false)
                let whole = try client.get("value", ["id": "Tag/3", "key": "name"])
                #expect(whole.body.count == 50_000)
            }
        }
    }

    @Test("An object's page has values, links both ways, and the bytes of its image")
    func object() throws {
        try withTemporaryFolder { folder in
            try withStudio(try StudioLibrary.make(in: folder)) { client in
                let whale = try client.read("object", ["id": "Book/1"])
                #expect(whale["label"].text == "Moby Dick" && whale["entity"].text == "Book")
                #expect(whale["uri"].text?.hasPrefix("x-coredata://") == true)
                #expect(try client.read("object", ["id": whale["uri"].text ?? ""]) == whale)
                let published = whale["attributes"].first("name", "published")
                #expect(
                    published["value"].text == "2001-01-02T00:00:00.5Z" && published["type"].text == "Date",
                    "\(published)")
                let cover = whale["attributes"].first("name", "cover")
                #expect(cover["bytes"].int == StudioLibrary.image.count && cover["isImage"].truth == true)
                let author = whale["relationships"].first("name", "author")
                #expect(
                    author["objects"][0]
                        == .object([
                            "id": .text("Author/1"), "label": .text("Melville"), "isMissing": .truth(false),
                        ]))
                let bytes = try client.get("value", ["id": "Book/1", "key": "cover"])
                #expect(bytes.body == StudioLibrary.image && bytes.header("Content-Type") == "image/png")
                // The order of an ordered relationship is the store's.
                let items = try client.read("members", ["id": "Shelf/1", "key": "items", "offset": "1", "limit": "1"])
                #expect(items["count"].int == 3 && items["objects"].items.map { $0["id"].text } == ["Book/1"])
                let active = try client.read("object", ["id": "Author/2"])["attributes"].first("name", "isActive")
                #expect(active["value"] == .truth(false))
            }
        }
    }

    @Test("An unknown name is an error that suggests the nearest name")
    func unknown() throws {
        try withTemporaryFolder { folder in
            try withStudio(try StudioLibrary.make(in: folder)) { client in
                for name in ["rows", "aggregate", "export"] {
                    let error = try failure(
                        client, name, ["entity": "Bok", "values": "count", "format": "csv"], status: 400)
                    #expect(
                        error["message"].text?.contains("Book") == true
                            || error["details"][0].text?.contains("Book") == true)
                }
                for query: KeyValuePairs<String, String> in [
                    [:], ["entity": ""], ["entity": "Book", "limit": "0"], ["entity": "Book", "limit": "501"],
                    ["entity": "Book", "limit": "x"], ["entity": "Book", "offset": "-1"],
                    ["entity": "Book", "offset": "99999999999999999999"], ["entity": "Book", "sort": "titel"],
                    ["entity": "Book", "sort": "tags"], ["entity": "Book", "sort": "author"],
                    ["entity": "Book", "columns": "titel"], ["entity": "Book", "columns": "tags.name"],
                    ["entity": "Book", "columns": "title.x"],
                ] { _ = try failure(client, "rows", query, status: 400) }
                let nearest = try failure(client, "rows", ["entity": "Book", "sort": "-titel"], status: 400)
                #expect(
                    nearest["message"].text?.contains("'title'") == true
                        || nearest["details"][0].text?.contains("'title'") == true)
                for id in ["Book/99", "Tag/2"] { _ = try failure(client, "object", ["id": id], status: 404) }
                for id in [
                    "Bok/1", "Book", "Book/", "/1", "Book/1/2", "Book/x", "Book/-1", "Tag/9223372036854775807",
                    "x-coredata://x/Book/p1", "\u{1F433}",
                ] {
                    let answer = try client.get("object", ["id": id])
                    #expect([400, 404].contains(answer.status), "\(id): \(answer.status) \(answer.text)")
                }
                _ = try failure(client, "members", ["id": "Author/1", "key": "title"], status: 400)
                _ = try failure(client, "members", ["id": "Author/1", "key": "boks"], status: 400)
                _ = try failure(client, "value", ["id": "Book/1", "key": "covr"], status: 400)
                _ = try failure(client, "value", ["id": "Book/2", "key": "cover"], status: 404)
                _ = try failure(client, "nothing", [:], status: 404)
                for values in ["", "sum", "count:title,nope", "sum:title", "avg:nope", "sum:author"] {
                    _ = try failure(client, "aggregate", ["entity": "Book", "values": values], status: 400)
                }
                _ = try failure(client, "export", ["entity": "Book", "format": "pdf"], status: 400)
                _ = try failure(client, "export", ["entity": "Book"], status: 400)
                _ = try failure(client, "compare", ["from": "a", "to": "b"], status: 400)
                _ = try failure(client, "forecast", ["to": "b"], status: 400)
            }
        }
    }

    @Test("The place of a mistake in a predicate is counted as the page counts")
    func mistakes() throws {
        try withTemporaryFolder { folder in
            try withStudio(try StudioLibrary.make(in: folder)) { client in
                let cases: [(format: String, mistake: String?)] = [
                    ("title == 'x'", nil), ("", nil), ("  ", nil), ("title = 'é' AND year > 3", nil),
                    ("titel == 'x'", "titel"), ("title == 'a' AND naem == 'x'", "naem"),
                    ("title == '🐋🐋' AND titel == 'x'", "titel"), ("author.nam == 'x'", "nam"),
                    ("title == ", ""), ("title == 'x", "'x"), ("title ==== 3", nil), ("(title == 'x'", ""),
                ]
                for (format, mistake) in cases {
                    let check = try client.read("check", ["entity": "Book", "where": format])
                    let rows = try client.get("rows", ["entity": "Book", "where": format])
                    let isRight = check["isRight"].truth == true
                    #expect(isRight == (rows.status == 200), "\(format): \(rows.text)")
                    if isRight {
                        #expect(mistake == nil && check.keys == ["isRight"], "\(format)")
                        continue
                    }
                    #expect(check.keys == ["isRight", "message", "details", "position", "length"])
                    let error = try AnyJSON(rows.body)["error"]
                    #expect(error["position"] == check["position"] && error["length"] == check["length"])
                    #expect(check["message"].text?.isEmpty == false && check["message"].text?.contains("\n") == false)
                    guard let mistake, let start = check["position"].int, let length = check["length"].int else {
                        continue
                    }
                    let units = Array(format.utf16)
                    try #require(start >= 0 && start <= units.count, "\(format) \(start) \(length)")
                    let marked = String(decoding: units[start..<min(units.count, start + length)], as: UTF16.self)
                    #expect(
                        mistake.isEmpty || marked.contains(mistake) || mistake.contains(marked), "\(format): \(marked)")
                }
                for format in ["titel == 'x'", "title == 'x' AND titel == 3"] {
                    let check = try client.read("check", ["entity": "Book", "where": format])
                    let start = format.distance(
                        from: format.startIndex, to: try #require(format.range(of: "titel")).lowerBound)
                    #expect(check["position"].int == start && check["length"].int == 5, "\(check)")
                    #expect(
                        check["message"].text?.contains("title") == true
                            || check["details"][0].text?.contains("title") == true)
                }
            }
        }
    }

    @Test("Sums are those of the rows, and exports have the shown rows")
    func results() throws {
        try withTemporaryFolder { folder in
            try withStudio(try StudioLibrary.make(in: folder)) { client in
                let groups = try client.read(
                    "aggregate",
                    ["entity": "Book", "group": "author.name", "values": "count,sum:year,avg:year,min:year,max:title"])
                #expect(groups["columns"].items.count == 6 && groups["isCut"].truth == false)
                let melville = groups["rows"].items.first { $0[0].text == "Melville" } ?? .null
                #expect(melville[1].text == "2" && melville[2].text == "3697" && melville[4].text == "1846")
                let csv = try client.get(
                    "export",
                    ["entity": "Book", "columns": "title,year", "sort": "title", "where": "year > 0", "format": "csv"])
                #expect(
                    csv.text.replacingOccurrences(of: "\r\n", with: "\n") == "title,year\nMoby Dick,1851\nTypee,1846\n")
                #expect(csv.header("Content-Type") == "text/csv; charset=utf-8")
                #expect(csv.header("Content-Disposition") == "attachment; filename*=UTF-8''Book.csv")
                let json = try client.get("export", ["entity": "Book", "columns": "title", "format": "json"])
                #expect(try AnyJSON(json.body).items.map { $0["title"].text } == ["Moby Dick", "Typee", "The Raven"])
                let error = try client.get("export", ["entity": "Book", "where": "titel == 1", "format": "json"])
                #expect(error.status == 400)
            }
        }
    }

    @Test("History is the newest first, in parts, and of one object")
    func history() throws {
        try withTemporaryFolder { folder in
            let store = try StudioLibrary.make(in: folder, history: true) { context in
                for number in 0..<7 {
                    try context.save()
                    let book = try #require(try context.all("Book", "isbn == '1846'").first)
                    book.setValue(number, forKey: "pages")
                }
                for number in 0..<250 { _ = try StudioLibrary.made("Tag", ["name": "tag \(number)"], context) }
            }
            try withStudio(store) { client in
                let all = try client.read("history")
                let numbers = all["transactions"].items.compactMap { $0["transaction"].int }
                #expect(numbers.count == 8 && numbers == numbers.sorted(by: >) && all["next"].isNull)
                #expect(all["transactions"][0]["author"].text == "the test")
                #expect(all["transactions"][0]["changeCount"].int == 251)
                #expect(all["transactions"][0]["changes"].items.count == 200)
                #expect(try client.read("changes", ["transaction": "\(numbers[0])"])["changes"].items.count == 200)
                let rest = try client.read("changes", ["transaction": "\(numbers[0])", "offset": "200"])["changes"]
                #expect(rest.items.count == 51 && rest[0].keys == all["transactions"][0]["changes"][0].keys)
                #expect(try client.get("changes", ["transaction": "9999"]).status == 404)
                #expect(try client.get("changes").status == 400)
                var (read, next): ([Int], Int?) = ([], nil)
                repeat {
                    let part =
                        try next.map { try client.read("history", ["limit": "3", "before": "\($0)"]) }
                        ?? client.read("history", ["limit": "3"])
                    read += part["transactions"].items.compactMap { $0["transaction"].int }
                    next = part["next"].int
                } while next != nil && read.count < 20
                #expect(read == numbers)
                let own = try client.read("history", ["id": "Book/2"])
                #expect(own["transactions"].items.count == 8)
                #expect(
                    own["transactions"].items.allSatisfy { $0["changes"].items.map { $0["object"].text } == ["Book/2"] }
                )
                #expect(own["transactions"][0]["changes"][0]["properties"] == .list([.text("pages")]))
                #expect(try client.read("history", ["id": "Book/1"])["transactions"].items.count == 1)
            }
        }
        try withTemporaryFolder { folder in
            try withStudio(try StudioLibrary.make(in: folder)) { client in
                let none = try client.read("history")
                #expect(
                    none["keepsHistory"].truth == false && none["transactions"].items.isEmpty && none["next"].isNull)
            }
        }
    }

    // MARK: Real stores

    @Test(
        "Real stores are shown as they are, and stay so", .enabled(if: Corpus.isPresent, "\(Corpus.absence)"),
        arguments: Sample.slice(
            [
                "MatthewHunt84__MetaCocktailsSwiftData/@history/cocktails-2025-03-29-b1b50c.store",
                "log2timeline__plaso/test_data/ios/NoteStore.sqlite",
                "alemar11__CoreDataPlus/Tests/Resources/SampleModel2/Fixtures/SampleModel2_V2.sqlite",
                "sergd2005__ResourcesManager/@history/resources-2024-07-28-4517a27.store",
            ], oneIn: 4))
    func corpus(path: String) throws {
        try withTemporaryFolder { folder in
            let store = try Corpus.copyStore(path, to: folder)
            let before = try FolderContents(folder)
            try withStudio(store) { client in try Everything(client, store).look() }
            #expect(try ToolRun.changes(in: folder, since: before) == [])
        }
    }
}

/// Requests everything that a store has, and compares it with the output of the commands.
private struct Everything {
    let client: StudioClient
    let store: URL

    init(_ client: StudioClient, _ store: URL) { (self.client, self.store) = (client, store) }

    func look() throws {
        let overview = try client.read("store")
        #expect(
            overview.keys == [
                "store", "kind", "identifier", "isWritable", "keepsHistory", "mirror", "version", "versions",
                "entities",
            ])
        for entity in overview["entities"].items { try look(at: entity) }
        for entity in overview["entities"].items.prefix(3) {
            let count = try ToolRun(["count", store.path, try #require(entity["name"].text)])
            #expect(count.output == "\(entity["count"].int ?? -1)\n", "\(count.errors)")
        }
        let model = try ToolRun(["model", "show", store.path, "--json"])
        if model.status == 0 {
            #expect(try client.read("model")["entities"] == AnyJSON(Data(model.output.utf8))["entities"])
        }
        let diagram = try client.get("diagram")
        if diagram.status != 503 {
            #expect(diagram.status == 200 && diagram.header("Content-Type") == "image/svg+xml")
            #expect(diagram.text.contains("<svg") && !diagram.text.contains("<script"))
        }
        let history = try client.read("history", ["limit": "5"])
        #expect(history.keys == ["keepsHistory", "transactions", "next"])
        #expect(history["keepsHistory"] == overview["keepsHistory"])
        let pending = try client.read("pending")
        #expect(pending["pending"].keys == ["inserted", "updated", "deleted", "hasChanges", "canUndo", "canRedo"])
    }

    private func look(at entity: AnyJSON) throws {
        #expect(
            entity.keys == [
                "name", "parent", "isAbstract", "count", "attributes", "relationships", "fetchedProperties", "indexes",
                "constraints",
            ])
        for attribute in entity["attributes"].items {
            #expect(
                attribute.keys == [
                    "name", "type", "isOptional", "isDerived", "isTransient", "isExternal", "isNumber", "elements",
                ])
        }
        for relationship in entity["relationships"].items {
            #expect(
                relationship.keys == [
                    "name", "destination", "isToMany", "isOrdered", "isOptional", "inverse", "deleteRule",
                ])
        }
        let name = try #require(entity["name"].text)
        let total = try #require(entity["count"].int)
        let rows = try client.read("rows", ["entity": name, "limit": "20"])
        #expect(rows.keys == ["total", "offset", "generation", "columns", "rows"])
        #expect(rows["total"].int == total && rows["rows"].items.count == min(total, 20))
        let sum = try client.read("aggregate", ["entity": name, "values": "count"])
        #expect(sum["rows"] == .list([.list([.text("\(total)")])]), "\(name)")
        let json = try client.get("export", ["entity": name, "format": "json"])
        #expect(try AnyJSON(json.body).items.count == total, "\(name)")
        for row in rows["rows"].items {
            #expect(row.keys == ["id", "entity", "state", "cells"])
            #expect(row["cells"].items.count == rows["columns"].items.count)
        }
        for row in rows["rows"].items.prefix(3) { try look(at: try #require(row["id"].text), row["entity"].text) }
        for column in rows["columns"].items where column["isSortable"].truth == true {
            let sorted = try client.read(
                "rows", ["entity": name, "sort": "-\(column["title"].text ?? "")", "limit": "2"])
            #expect(sorted["total"].int == total)
        }
    }

    private func look(at id: String, _ entity: String?) throws {
        let object = try client.read("object", ["id": id])
        #expect(object.keys == ["id", "uri", "entity", "label", "state", "attributes", "relationships"])
        #expect(object["id"].text == id && object["entity"].text == entity)
        for attribute in object["attributes"].items {
            let keys: Set = ["name", "type", "isOptional", "isEditable", "value", "text", "isImage", "isCut"]
            #expect(attribute.keys.subtracting(["bytes", "decoded", "elements"]) == keys)
            guard let bytes = attribute["bytes"].int, let key = attribute["name"].text else { continue }
            let value = try client.get("value", ["id": id, "key": key])
            #expect(value.status == 200 && value.body.count == bytes)
        }
        for relationship in object["relationships"].items {
            #expect(
                relationship.keys == [
                    "name", "destination", "isToMany", "isOrdered", "isOptional", "isEditable", "count", "objects",
                ])
            let members = try client.read("members", ["id": id, "key": relationship["name"].text ?? "", "limit": "50"])
            #expect(members["count"] == relationship["count"] && members["objects"] == relationship["objects"])
            for other in relationship["objects"].items.prefix(2) where other["isMissing"].truth == false {
                #expect(try client.get("object", ["id": other["id"].text ?? ""]).status == 200)
            }
        }
    }
}
