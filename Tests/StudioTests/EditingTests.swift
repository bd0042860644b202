import CoreData
import Foundation
import TestSupport
import Testing

@Suite("Changes by the studio", .enabled(if: StudioBuild.isPresent, "\(StudioBuild.absence)"))
struct EditingTests {
    /// A studio that may write, of a fresh library; afterwards nothing may be wrong with the store.
    private func withLibrary(
        history: Bool = false, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (StudioClient, URL) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let store = try StudioLibrary.make(in: folder, history: history)
            try withStudio(store, ["--write"], sourceLocation: sourceLocation) { try body($0, store) }
            let run = try ToolRun(["verify", store.path])
            #expect(
                run.status == 0 && run.output.hasPrefix("nothing is wrong"), "\(run.output)",
                sourceLocation: sourceLocation)
        }
    }

    /// The rows that another program finds in the store.
    private func title(_ number: Int, _ store: URL) throws -> String? {
        let value = try RawDatabase(store).column("SELECT ZTITLE FROM ZBOOK WHERE Z_PK = \(number)").first
        if case .text(let text) = value { return text }
        return nil
    }

    private func set(
        _ client: StudioClient, _ id: String, _ key: String, _ value: String, status: Int = 200,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> AnyJSON {
        try client.write(
            "edit/set", #"{"id":"\#(id)","key":"\#(key)","value":\#(value)}"#, status: status,
            sourceLocation: sourceLocation)
    }

    private func value(_ client: StudioClient, _ id: String, _ key: String) throws -> AnyJSON {
        try client.read("object", ["id": id])["attributes"].first("name", key)["value"]
    }

    // MARK: Values

    @Test("A value is set, seen, undone, redone, saved, and then seen by another program")
    func values() throws {
        try withLibrary { client, store in
            let events = try client.events()
            let set = try set(client, "Book/1", "title", "\"Moby-Dick; or, The Whale\"")
            #expect(set["pending"]["updated"].int == 1 && set["pending"]["canUndo"].truth == true)
            #expect(set["object"]["state"].text == "changed")
            #expect(try events.next("pending") == set["pending"])
            #expect(try value(client, "Book/1", "title").text == "Moby-Dick; or, The Whale")
            let rows = try client.read("rows", ["entity": "Book", "where": "title BEGINSWITH 'Moby-'"])
            #expect(rows["rows"][0]["state"].text == "changed")
            #expect(try title(1, store) == "Moby Dick")
            let undone = try client.write("edit/undo")["pending"]
            #expect(undone["canUndo"].truth == false && undone["canRedo"].truth == true)
            #expect(undone["hasChanges"].truth == false && undone["updated"].int == 0)
            #expect(try value(client, "Book/1", "title").text == "Moby Dick")
            let redone = try client.write("edit/redo")["pending"]
            #expect(redone["updated"].int == 1 && redone["canRedo"].truth == false)
            #expect(
                try client.read("pending")["objects"]
                    == .list([
                        .object([
                            "id": .text("Book/1"), "label": .text("Moby-Dick; or, The Whale"),
                            "state": .text("changed"),
                        ])
                    ]))
            let saved = try client.write("edit/save")
            #expect(saved["pending"]["hasChanges"].truth == false && saved["pending"]["canUndo"].truth == false)
            #expect(saved["ids"] == .object([:]))
            #expect(try title(1, store) == "Moby-Dick; or, The Whale")
            #expect(
                try ToolRun(["count", store.path, "Book", "--where", "title BEGINSWITH 'Moby-Dick;'"]).output == "1\n")
        }
    }

    @Test("Each request is one step of undo")
    func steps() throws {
        try withLibrary { client, _ in
            for title in ["a", "b", "c"] { _ = try set(client, "Book/1", "title", "\"\(title)\"") }
            for title in ["b", "a", "Moby Dick"] {
                _ = try client.write("edit/undo")
                #expect(try value(client, "Book/1", "title").text == title)
            }
            #expect(try client.write("edit/undo")["pending"]["canUndo"].truth == false)
            for title in ["a", "b", "c"] {
                _ = try client.write("edit/redo")
                #expect(try value(client, "Book/1", "title").text == title)
            }
            _ = try client.write("edit/undo")
            #expect(try set(client, "Book/1", "title", "\"d\"")["pending"]["canRedo"].truth == false)
            let none = try client.write("edit/discard")["pending"]
            #expect(
                none["hasChanges"].truth == false && none["canUndo"].truth == false && none["canRedo"].truth == false)
            #expect(try value(client, "Book/1", "title").text == "Moby Dick")
        }
    }

    @Test("Values of every type come back as they were written")
    func types() throws {
        try withLibrary { client, store in
            let cases: [(key: String, value: String, shown: AnyJSON)] = [
                ("year", "\"1999\"", .text("1999")), ("year", "null", .null),
                ("pages", "\"-2147483648\"", .text("-2147483648")),
                ("price", "\"12345.0625\"", .text("12345.0625")),
                ("price", "\"-.5\"", .text("-0.5")), ("published", "\"2024-02-29\"", .text("2024-02-29T00:00:00Z")),
                ("published", "\"2024-02-29T12:30:00.25Z\"", .text("2024-02-29T12:30:00.25Z")),
                ("published", "\"2024-02-29T12:30:00+02:00\"", .text("2024-02-29T10:30:00Z")),
                (
                    "identifier", "\"e621e1f8-c36c-495a-93fc-0c247a3e6e5f\"",
                    .text("E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
                ),
                ("link", "\"https://example.org/a?b=c#d\"", .text("https://example.org/a?b=c#d")),
                ("title", "\" <b>\\\"quoted\\\" 🐋\\n\\u0001\"", .text(" <b>\"quoted\" 🐋\n\u{1}")),
                ("isbn", "\"\"", .text("")),
            ]
            for (key, value, shown) in cases {
                let set = try set(client, "Book/1", key, value)
                #expect(set["object"]["attributes"].first("name", key)["value"] == shown, "\(key) \(value)")
                _ = try client.write("edit/save")
                #expect(try self.value(client, "Book/1", key) == shown, "\(key) \(value) after it was saved")
                // A shown value can be set again, and is then the same.
                guard case .text(let text) = shown, key != "title" else { continue }
                let again = try self.set(client, "Book/1", key, "\"\(text)\"")
                #expect(again["pending"]["hasChanges"].truth == false, "\(key) \(text)")
            }
            for (value, shown) in [("true", true), ("false", false), ("\"true\"", true)] {
                let set = try set(client, "Author/1", "isActive", value)
                #expect(set["object"]["attributes"].first("name", "isActive")["value"] == .truth(shown))
            }
            #expect(
                try set(client, "Author/1", "isActive", "null")["object"]["attributes"].first("name", "isActive")[
                    "value"
                ].isNull)
            _ = store
        }
    }

    @Test("A value of a wrong type is refused beside its field, and nothing is set")
    func wrongValues() throws {
        try withLibrary { client, _ in
            let wrong = [
                ("year", "\"x\""), ("year", "\"\""), ("year", "\"40000\""), ("year", "\"1.5\""), ("year", "true"),
                ("pages", "\"99999999999\""),
                ("price", "\"1.2.3\""), ("price", "\"12abc\""), ("price", "\"NaN\""), ("published", "\"2023-02-29\""),
                ("published", "\"yesterday\""), ("published", "\"2023-01-01T25:00:00Z\""), ("identifier", "\"x\""),
                ("link", "\"\""),
                ("title", "true"), ("title", "null"), ("year", "\"1000\""), ("year", "\"3000\""), ("cover", "\"x\""),
            ]
            for (key, value) in wrong {
                let error = try set(client, "Book/1", key, value, status: 422)["error"]
                #expect(error["key"].text == key, "\(key) \(value)")
                #expect(error["message"].text?.isEmpty == false, "\(key) \(value)")
            }
            _ = try set(client, "Book/1", "titel", "\"x\"", status: 400)
            _ = try set(client, "Book/1", "author", "\"x\"", status: 400)
            _ = try set(client, "Book/99", "title", "\"x\"", status: 404)
            _ = try set(client, "Book/1", "title", "5", status: 400)
            let pending = try client.read("pending")["pending"]
            #expect(pending["hasChanges"].truth == false && pending["canUndo"].truth == false)
            #expect(try value(client, "Book/1", "year").text == "1851")
        }
    }

    // MARK: Links

    @Test("Links are made and taken away from either side")
    func links() throws {
        try withLibrary { client, store in
            func link(_ body: String, status: Int = 200) throws -> AnyJSON {
                try client.write("edit/link", body, status: status)
            }
            func ids(_ object: AnyJSON, _ key: String) -> [String?] {
                object["relationships"].first("name", key)["objects"].items.map { $0["id"].text }
            }
            let moved = try link(#"{"id":"Book/1","key":"author","to":"Author/2"}"#)
            #expect(ids(moved["object"], "author") == ["Author/2"])
            #expect(ids(try client.read("object", ["id": "Author/1"]), "books") == ["Book/2"])
            #expect(ids(try client.read("object", ["id": "Author/2"]), "books") == ["Book/1", "Novel/3"])
            #expect(
                ids(try link(#"{"id":"Author/1","key":"books","add":"Novel/3"}"#)["object"], "books") == [
                    "Book/2", "Novel/3",
                ])
            #expect(
                ids(try link(#"{"id":"Author/1","key":"books","remove":"Book/2"}"#)["object"], "books") == ["Novel/3"])
            #expect(
                ids(try link(#"{"id":"Tag/1","key":"books","add":"Novel/3"}"#)["object"], "books") == [
                    "Book/1", "Book/2", "Novel/3",
                ])
            let shelf = try link(#"{"id":"Shelf/1","key":"items","remove":"Book/1"}"#)["object"]
            #expect(ids(shelf, "items") == ["Novel/3", "Book/2"])
            #expect(
                ids(try link(#"{"id":"Shelf/1","key":"items","add":"Book/1"}"#)["object"], "items") == [
                    "Novel/3", "Book/2", "Book/1",
                ])
            #expect(ids(try link(#"{"id":"Book/1","key":"author","to":null}"#)["object"], "author") == [])
            for body in [
                #"{"id":"Book/1","key":"author","add":"Author/1"}"#, #"{"id":"Author/1","key":"books","to":"Book/1"}"#,
                #"{"id":"Author/1","key":"books"}"#, #"{"id":"Book/1","key":"author"}"#,
                #"{"id":"Author/1","key":"books","add":"Book/1","remove":"Book/2"}"#,
                #"{"id":"Book/1","key":"title","to":"Author/1"}"#, #"{"id":"Book/1","key":"autor","to":"Author/1"}"#,
            ] { _ = try link(body, status: 400) }
            #expect(
                try link(#"{"id":"Book/1","key":"author","to":"Tag/1"}"#, status: 422)["error"]["key"].text == "author")
            _ = try link(#"{"id":"Book/1","key":"author","to":"Author/99"}"#, status: 404)
            _ = try client.write("edit/save")
            #expect(try RawDatabase(store).integer("SELECT count(*) FROM ZBOOK WHERE ZAUTHOR IS NULL") == 2)
            #expect(try RawDatabase(store).integer("SELECT ZAUTHOR FROM ZBOOK WHERE Z_PK = 3") == 1)
        }
    }

    // MARK: Objects

    @Test("A new object has a name of its own until it is saved, and answers to both afterwards")
    func make() throws {
        try withLibrary { client, store in
            let made = try client.write("edit/make", #"{"entity":"Tag"}"#)
            let id = try #require(made["object"]["id"].text)
            #expect(
                id.hasPrefix("Tag/t") && made["object"]["state"].text == "new" && made["pending"]["inserted"].int == 1)
            let second = try #require(try client.write("edit/make", #"{"entity":"Tag"}"#)["object"]["id"].text)
            #expect(second != id && second.hasPrefix("Tag/t"))
            _ = try set(client, id, "name", "\"whales\"")
            _ = try client.write("edit/link", #"{"id":"\#(id)","key":"books","add":"Book/1"}"#)
            #expect(try client.read("rows", ["entity": "Tag"])["total"].int == 3)
            #expect(
                try client.read("rows", ["entity": "Tag", "where": "name == 'whales'"])["rows"][0]["id"].text == id)
            let tags = try client.read("object", ["id": "Book/1"])["relationships"].first("name", "tags")
            #expect(Set(tags["objects"].items.map { $0["id"].text }) == ["Tag/1", id])
            #expect(try client.read("history", ["id": id])["transactions"].items.isEmpty)
            #expect(Set(try client.read("pending")["objects"].items.map { $0["state"].text }).contains("new"))
            let ids = try client.write("edit/save")["ids"]
            #expect(ids.keys == [id, second])
            let now = try #require(ids[id].text)
            #expect(now.wholeMatch(of: /Tag\/\d+/) != nil)
            for name in [id, now] {
                let object = try client.read("object", ["id": name])
                #expect(object["id"].text == now && object["label"].text == "whales" && object["state"].text == "clean")
            }
            #expect(try RawDatabase(store).integer("SELECT count(*) FROM ZTAG") == 3)
            for (body, status) in [(#"{"entity":"Tagg"}"#, 400), ("{}", 400)] {
                _ = try client.write("edit/make", body, status: status)
            }
        }
    }

    @Test("A deletion that is denied says which object it is, and that undo takes it back")
    func deniedDeletion() throws {
        try withTemporaryFolder { folder in
            let store = folder.appendingPathComponent("Library.sqlite")
            let model = StudioLibrary.model()
            model.entitiesByName["Author"]?.relationshipsByName["books"]?.deleteRule = .denyDeleteRule
            try withStore(store, model) { context in
                let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
                author.setValue("Poe", forKey: "name")
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValue("The Raven", forKey: "title")
                book.setValue(author, forKey: "author")
                try context.save()
            }
            try withStudio(store, ["--write"]) { client in
                _ = try client.write("edit/delete", #"{"ids":["Author/1"]}"#)
                let failed = try client.write("edit/save", status: 422)["validation"][0]
                #expect(failed["id"].text == "Author/1" && failed["isDeleted"].truth == true)
                let after = try client.write("edit/undo")["pending"]
                #expect(after["hasChanges"].truth == false)
                #expect(try client.read("object", ["id": "Author/1"])["state"].text == "clean")
            }
        }
    }

    @Test("Deleted objects take their dependents along, come back by undo, and are gone when saved")
    func delete() throws {
        try withLibrary { client, store in
            let deleted = try client.write("edit/delete", #"{"ids":["Author/2","Tag/1"]}"#)["pending"]
            #expect(deleted["deleted"].int == 2 && deleted["canUndo"].truth == true)
            #expect(try client.get("object", ["id": "Author/2"]).status == 404)
            #expect(try client.read("rows", ["entity": "Author"])["total"].int == 1)
            #expect(
                try client.read("object", ["id": "Novel/3"])["relationships"].first("name", "author")["count"].int == 0)
            _ = try client.write("edit/undo")
            #expect(
                try client.read("object", ["id": "Author/2"])["relationships"].first("name", "books")["count"].int == 1)
            #expect(try client.read("rows", ["entity": "Author"])["total"].int == 2)
            _ = try client.write("edit/redo")
            _ = try client.write("edit/delete", #"{"ids":["Author/2"]}"#, status: 404)
            _ = try client.write("edit/delete", #"{"ids":["Book/1","Book/99"]}"#, status: 404)
            #expect(
                try client.read("pending")["pending"]["deleted"].int == 2, "nothing is deleted where one is not there")
            _ = try client.write("edit/save")
            #expect(try RawDatabase(store).integer("SELECT count(*) FROM ZAUTHOR") == 1)
            #expect(try RawDatabase(store).integer("SELECT count(*) FROM ZBOOK WHERE ZAUTHOR IS NULL") == 1)
        }
    }

    // MARK: Invalid values

    @Test("A save that is not valid reports each object, and saves nothing")
    func validation() throws {
        try withLibrary { client, store in
            let id = try #require(try client.write("edit/make", #"{"entity":"Book"}"#)["object"]["id"].text)
            _ = try client.write("edit/make", #"{"entity":"Author"}"#)
            _ = try set(client, "Book/1", "pages", "\"1\"")
            let answer = try client.write("edit/save", status: 422)
            let told = answer["validation"].items
            #expect(told.count == 2 && told.allSatisfy { $0.keys == ["id", "label", "key", "message", "isDeleted"] })
            #expect(answer["validation"].first("id", id)["key"].text == "title")
            #expect(try RawDatabase(store).integer("SELECT ZPAGES FROM ZBOOK WHERE Z_PK = 1") == 635)
            #expect(try client.read("pending")["pending"]["inserted"].int == 2)
            _ = try set(client, id, "title", "\"Omoo\"")
            let one = try client.write("edit/save", status: 422)
            #expect(one["validation"].items.map { $0["key"].text } == ["name"])
            _ = try client.write("edit/undo")
            _ = try client.write("edit/discard")
            _ = try client.write("edit/save")
        }
    }

    @Test("A value that is unique stays so")
    func unique() throws {
        try withLibrary { client, store in
            _ = try set(client, "Book/2", "isbn", "\"1851\"")
            let error = try client.write("edit/save", status: 422)["error"]
            #expect(error["message"].text?.contains("unique") == true)
            #expect(error["details"][0].text?.contains("1851") == true)
            #expect(try RawDatabase(store).integer("SELECT count(*) FROM ZBOOK WHERE ZISBN = '1851'") == 1)
            _ = try set(client, "Book/2", "isbn", "\"1847\"")
            _ = try client.write("edit/save")
            #expect(try RawDatabase(store).integer("SELECT count(*) FROM ZBOOK WHERE ZISBN = '1847'") == 1)
        }
    }

    // MARK: Changes by other programs

    /// Another program's change of a row: a value, and the count that every save raises.
    private func elsewhere(_ store: URL, _ sql: String) throws {
        try RawDatabase(store).execute(sql)
    }

    @Test("Both choices of a conflict act as they say", arguments: ["mine", "store"])
    func conflict(policy: String) throws {
        try withLibrary { client, store in
            _ = try set(client, "Book/1", "title", "\"Mine\"")
            try elsewhere(store, "UPDATE ZBOOK SET ZTITLE = 'Theirs', ZPAGES = 7, Z_OPT = Z_OPT + 1 WHERE Z_PK = 1")
            let answer = try client.write("edit/save", status: 409)
            let conflict = answer["conflicts"][0]
            #expect(answer["conflicts"].items.count == 1 && conflict.keys == ["id", "label", "isDeleted", "values"])
            #expect(conflict["id"].text == "Book/1" && conflict["isDeleted"].truth == false)
            #expect(
                conflict["values"].first("key", "title")
                    == .object([
                        "key": .text("title"), "base": .text("Moby Dick"), "yours": .text("Mine"),
                        "theirs": .text("Theirs"),
                    ]))
            #expect(
                conflict["values"].first("key", "pages")
                    == .object([
                        "key": .text("pages"), "base": .text("635"), "yours": .text("635"), "theirs": .text("7"),
                    ]))
            #expect(conflict["values"].items.count == 2)
            #expect(try title(1, store) == "Theirs")
            // It stays a conflict until the user chooses.
            _ = try client.write("edit/save", status: 409)
            _ = try client.write("edit/resolve", #"{"policy":"both"}"#, status: 400)
            let resolved = try client.write("edit/resolve", #"{"policy":"\#(policy)"}"#)
            #expect(resolved["pending"]["hasChanges"].truth == false)
            #expect(try title(1, store) == (policy == "mine" ? "Mine" : "Theirs"))
            #expect(try RawDatabase(store).integer("SELECT ZPAGES FROM ZBOOK WHERE Z_PK = 1") == 7)
            let object = try client.read("object", ["id": "Book/1"])
            #expect(object["label"].text == (policy == "mine" ? "Mine" : "Theirs") && object["state"].text == "clean")
            #expect(object["attributes"].first("name", "pages")["value"].text == "7")
        }
    }

    @Test("A second studio's deletion of an object that was changed here is a conflict", arguments: ["mine", "store"])
    func deletedElsewhere(policy: String) throws {
        try withLibrary { client, store in
            _ = try set(client, "Tag/1", "name", "\"ocean\"")
            try withStudio(store, ["--write"]) { other in
                _ = try other.write("edit/delete", #"{"ids":["Tag/1"]}"#)
                _ = try other.write("edit/save")
            }
            let answer = try client.write("edit/save", status: 409)
            #expect(answer["conflicts"][0]["id"].text == "Tag/1" && answer["conflicts"][0]["isDeleted"].truth == true)
            let resolved = try client.post("edit/resolve", #"{"policy":"\#(policy)"}"#)
            #expect(resolved.status == 200, "\(resolved.text)")
            let count = try RawDatabase(store).integer("SELECT count(*) FROM ZTAG")
            #expect(count == 0 || (policy == "mine" && count == 1))
            #expect(try client.read("pending")["pending"]["hasChanges"].truth == false)
            #expect(try client.read("rows", ["entity": "Tag"])["total"].int == Int(count ?? -1))
        }
    }

    @Test("Another program's deletion of an object that is deleted here, too, is no conflict that remains")
    func bothDelete() throws {
        try withLibrary { client, store in
            _ = try client.write("edit/delete", #"{"ids":["Shelf/1"]}"#)
            try withStudio(store, ["--write"]) { other in
                _ = try other.write("edit/delete", #"{"ids":["Shelf/1"]}"#)
                _ = try other.write("edit/save")
            }
            if try client.post("edit/save").status != 200 {
                _ = try client.write("edit/resolve", #"{"policy":"store"}"#)
            }
            #expect(try client.read("pending")["pending"]["hasChanges"].truth == false)
            #expect(try client.read("rows", ["entity": "Shelf"])["total"].int == 0)
        }
    }

    @Test("A store that another program writes for long is an error, and can be saved afterwards")
    func busy() throws {
        try withLibrary { client, store in
            _ = try set(client, "Book/1", "title", "\"Mine\"")
            let other = try RawDatabase(store)
            try other.execute("BEGIN IMMEDIATE; UPDATE ZBOOK SET ZPAGES = 9, Z_OPT = Z_OPT + 1 WHERE Z_PK = 2")
            let answer = try client.post("edit/save")
            #expect([409, 503].contains(answer.status), "\(answer.status) \(answer.text)")
            #expect(try AnyJSON(answer.body)["error"]["message"].text?.isEmpty == false)
            try other.execute("COMMIT")
            _ = try client.write("edit/save")
            #expect(try title(1, store) == "Mine")
        }
    }

    @Test("A save of the page has its author in the history")
    func author() throws {
        try withLibrary(history: true) { client, _ in
            _ = try set(client, "Book/1", "title", "\"x\"")
            _ = try client.write("edit/save")
            let newest = try client.read("history")["transactions"][0]
            #expect(newest["author"].text == "coredata studio" && newest["changes"][0]["object"].text == "Book/1")
        }
    }

    // MARK: Live

    @Test("The save of another process is announced, and can be read", arguments: [false, true])
    func live(history: Bool) throws {
        try withTemporaryFolder { folder in
            let store = try StudioLibrary.make(in: folder, history: history)
            try withStudio(store) { client in
                #expect(try client.read("rows", ["entity": "Tag"])["total"].int == 1)
                let generation = try client.read("rows", ["entity": "Shelf"])["generation"].int ?? 0
                // A value that was read before must not be returned again afterwards.
                #expect(try value(client, "Book/1", "title").text == "Moby Dick")
                let events = try client.events()
                try withStudio(store, ["--write"]) { other in
                    for name in ["river", "lake"] {
                        let id = try other.write("edit/make", #"{"entity":"Tag"}"#)["object"]["id"].text ?? ""
                        _ = try set(other, id, "name", "\"\(name)\"")
                        _ = try set(other, "Book/1", "title", "\"\(name)\"")
                        _ = try other.write("edit/save")
                        var change = AnyJSON.null
                        let expected = name == "river" ? 2 : 3
                        repeat { change = try events.next("change") } while change["counts"]["Tag"].int != expected
                        #expect(change["generation"].int ?? 0 > generation)
                        #expect(change["counts"].keys == ["Author", "Book", "Novel", "Tag", "Shelf"])
                        #expect(try client.read("rows", ["entity": "Tag"])["total"].int == expected)
                        #expect(try value(client, "Book/1", "title").text == name)
                        // The studio that saved gets the event, too.
                        #expect(try other.read("rows", ["entity": "Tag"])["total"].int == expected)
                    }
                }
                // A change by another program than this library, which writes no history.
                if history { return }
                try elsewhere(store, "UPDATE ZBOOK SET ZTITLE = 'raw', Z_OPT = Z_OPT + 1 WHERE Z_PK = 1")
                repeat { _ = try events.next("change") } while try value(client, "Book/1", "title").text != "raw"
            }
        }
    }

    @Test("Unsaved changes stay when another process saves")
    func pendingStays() throws {
        try withLibrary { client, store in
            _ = try set(client, "Book/1", "title", "\"Mine\"")
            let events = try client.events()
            try elsewhere(store, "UPDATE ZBOOK SET ZTITLE = 'Other', Z_OPT = Z_OPT + 1 WHERE Z_PK = 2")
            _ = try events.next("change")
            #expect(
                try value(client, "Book/1", "title").text == "Mine" && value(client, "Book/2", "title").text == "Other")
            let undone = try client.write("edit/undo")["pending"]
            #expect(undone["hasChanges"].truth == false)
            _ = try client.write("edit/redo")
            _ = try client.write("edit/save")
            #expect(try title(1, store) == "Mine" && title(2, store) == "Other")
        }
    }

    @Test("Many requests at once are answered one after the other, and all of them")
    func together() throws {
        try withLibrary { client, store in
            let requests = (0..<24).map { number in
                switch number % 3 {
                case 0: client.reading("/api/rows?entity=Book&sort=title")
                case 1: client.writing("/api/edit/set", #"{"id":"Book/1","key":"pages","value":"\#(number)"}"#)
                default: client.reading("/api/object?id=Book/1")
                }
            }
            let connections = try requests.map { request in
                let connection = try LoopbackConnection(client.process.port)
                try connection.send(request)
                return connection
            }
            for connection in connections { #expect(try connection.answer().status == 200) }
            _ = try client.write("edit/save")
            let pages = try RawDatabase(store).integer("SELECT ZPAGES FROM ZBOOK WHERE Z_PK = 1")
            #expect(pages != 635 && (pages ?? 1) % 3 == 1)
        }
    }
}
