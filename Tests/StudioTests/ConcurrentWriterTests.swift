import CoreData
import Foundation
import TestSupport
import Testing

@Suite("Other programs' writes to the store of a studio", .enabled(if: StudioBuild.isPresent, "\(StudioBuild.absence)"))
struct ConcurrentWriterTests {
    private func set(_ client: StudioClient, _ id: String, _ key: String, _ value: String) throws {
        _ = try client.write("edit/set", #"{"id":"\#(id)","key":"\#(key)","value":"\#(value)"}"#)
    }

    private func title(_ client: StudioClient, _ id: String) throws -> String? {
        try client.read("object", ["id": id])["attributes"].first("name", "title")["value"].text
    }

    /// Changes a book as another program's save does.
    private func save(_ title: String, _ number: Int, in store: URL) throws {
        try RawDatabase(store).execute(
            "UPDATE ZBOOK SET ZTITLE = '\(title)', Z_OPT = Z_OPT + 1 WHERE Z_PK = \(number)")
    }

    @Test("An object that was read and released is read anew, after any other requests in between")
    func readAnew() throws {
        try withTemporaryFolder { folder in
            let store = try StudioLibrary.make(in: folder)
            try withStudio(store, ["--write"]) { client in
                let events = try client.events()
                #expect(try title(client, "Book/1") == "Moby Dick")
                for number in 1...6 {
                    _ = try client.read("rows", ["entity": "Tag", "where": "\(number) == \(number)"])
                }
                try save("by another", 1, in: store)
                _ = try events.next("change")
                #expect(try title(client, "Book/1") == "by another")
                let export = try client.get("export", ["entity": "Book", "format": "csv", "columns": "title"])
                #expect(export.text.contains("by another"))
                try set(client, "Book/2", "title", "own")
                _ = try client.write("edit/undo")
                try save("once more", 1, in: store)
                _ = try events.next("change")
                #expect(try title(client, "Book/1") == "once more")
                try RawDatabase(store).execute("DELETE FROM ZTAG")
                _ = try events.next("change")
                #expect(try client.get("object", ["id": "Tag/1"]).status == 404)
            }
        }
    }

    @Test("A decision covers only the conflicts shown, and an object with the same unique value never goes")
    func decisions() throws {
        try withTemporaryFolder { folder in
            let store = try StudioLibrary.make(in: folder)
            try withStudio(store, ["--write"]) { client in
                try set(client, "Book/1", "isbn", "1846")
                // Nothing was shown yet: there is nothing to decide.
                #expect(try client.post("edit/resolve", #"{"policy":"mine"}"#).status == 422)
                try save("by another", 1, in: store)
                #expect(try client.write("edit/save", status: 409)["conflicts"][0]["id"].text == "Book/1")
                let refused = try client.post("edit/resolve", #"{"policy":"mine"}"#)
                #expect(refused.status == 422, "\(refused.text)")
                #expect(try RawDatabase(store).column("SELECT COUNT(*) FROM ZBOOK").first == .int(3))
                try set(client, "Book/1", "isbn", "1850")
                // A change that came after the conflicts were shown has to be shown, too.
                try save("a second time", 1, in: store)
                #expect(
                    try client.write("edit/resolve", #"{"policy":"mine"}"#, status: 409)["conflicts"][0]["id"].text
                        != nil)
                _ = try client.write("edit/resolve", #"{"policy":"mine"}"#)
                #expect(try RawDatabase(store).column("SELECT ZISBN FROM ZBOOK WHERE Z_PK = 1").first == .text("1850"))
                #expect(try title(client, "Book/1") == "a second time")
            }
        }
    }

    @Test(
        "A file that another program has written as a whole, or replaced, is not written over",
        arguments: [true, false])
    func replaced(isWhole: Bool) throws {
        try withTemporaryFolder { folder in
            let store = try StudioLibrary.make(in: folder, type: isWhole ? NSXMLStoreType : NSSQLiteStoreType)
            try withStudio(store, ["--write"]) { client in
                let id = try client.read("rows", ["entity": "Tag"])["rows"][0]["id"].text ?? ""
                try set(client, id, "name", "mine")
                let other = folder.appendingPathComponent("other")
                let old = try String(contentsOf: store, encoding: .isoLatin1)
                try Data(old.replacingOccurrences(of: ">sea<", with: ">theirs<").data(using: .isoLatin1) ?? Data())
                    .write(to: other)
                let before = try Data(contentsOf: other)
                #expect(rename(other.path, store.path) == 0)
                let refused = try client.post("edit/save")
                #expect(refused.status == 409 && refused.text.contains("replaced"), "\(refused.text)")
                #expect(try Data(contentsOf: store) == before)
                _ = try client.write("edit/discard")
                if isWhole {
                    #expect(try client.read("rows", ["entity": "Tag", "where": "name == 'theirs'"])["total"].int == 1)
                }
            }
        }
    }

    @Test("One value that cannot be read takes no other object along, and is reported in its place")
    func brokenValue() throws {
        try withTemporaryFolder { folder in
            let store = try StudioLibrary.make(in: folder)
            try RawDatabase(store).execute("UPDATE ZBOOK SET ZIDENTIFIER = x'0102' WHERE Z_PK = 2")
            try withStudio(store) { client in
                let rows = try client.read("rows", ["entity": "Book", "columns": "@id,title"])["rows"]
                #expect(rows[0]["cells"][1].text == "Moby Dick")
                #expect(rows[1]["id"].text == "Book/2")
                let object = try client.get("object", ["id": "Book/2"])
                #expect([200, 500].contains(object.status), "\(object.text)")
                #expect((object.status == 200) == (rows[1]["error"].text == nil))
            }
        }
    }

    @Test("A value that is sent as it was shown changes nothing")
    func unchanged() throws {
        try withTemporaryFolder { folder in
            let store = try StudioLibrary.make(in: folder) { context in
                let values: [String: Any] = [
                    "title": "one\r\ntwo", "published": StudioLibrary.date(-19_999_999_999.1234567),
                ]
                _ = try StudioLibrary.made("Book", values, context)
            }
            try withStudio(store, ["--write"]) { client in
                let object = try client.read("object", ["id": "Book/4"])["attributes"]
                let date = object.first("name", "published")["value"].text ?? ""
                try set(client, "Book/4", "published", date)
                try set(client, "Book/4", "title", "one\\ntwo")
                #expect(try client.read("pending")["pending"]["hasChanges"].truth == false)
                // A day before 1582 is the one that is shown afterwards.
                try set(client, "Book/4", "published", "1367-03-24T12:26:40Z")
                try set(client, "Book/4", "title", "one\\nthree")
                let changed = try client.read("object", ["id": "Book/4"])["attributes"]
                #expect(changed.first("name", "published")["value"].text == "1367-03-24T12:26:40Z")
                #expect(changed.first("name", "title")["value"].text == "one\r\nthree")
            }
        }
    }

    @Test("A new object that was undone is gone, and is not an unknown name")
    func undone() throws {
        try withTemporaryFolder { folder in
            try withStudio(try StudioLibrary.make(in: folder), ["--write"]) { client in
                let made = try client.write("edit/make", #"{"entity":"Tag"}"#)["object"]["id"].text ?? ""
                _ = try client.write("edit/undo")
                #expect(try client.get("object", ["id": "\(made)"]).status == 404)
                _ = try client.write("edit/redo")
                #expect(try client.get("object", ["id": "\(made)"]).status == 200)
            }
        }
    }

    @Test("The studio lists unsaved changes when it is ended")
    func unsaved() throws {
        try withTemporaryFolder { folder in
            let process = try StudioProcess(try StudioLibrary.make(in: folder), ["--write"])
            let client = try StudioClient(process)
            try set(client, "Book/1", "title", "not saved")
            let events = try client.events()
            #expect(process.end() == 0)
            #expect(process.errors.hasSuffix("changes of 1 object were not saved\n"), "\(process.errors)")
            #expect(try events.next("end")["message"].text != nil)
        }
    }
}
