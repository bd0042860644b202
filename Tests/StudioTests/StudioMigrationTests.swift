import CoreData
import Foundation
import TestSupport
import Testing

@Suite("Migrations that the studio runs", .enabled(if: StudioBuild.isPresent, "\(StudioBuild.absence)"))
struct StudioMigrationTests {
    private static let eventKeys: Set = [
        "state", "fraction", "stage", "entity", "rows", "rowsTotal", "secondsLeft", "message",
    ]

    /// The events of a migration, up to the one that ends it.
    private func states(_ events: EventStream) throws -> [AnyJSON] {
        var states: [AnyJSON] = []
        repeat { states.append(try events.next("migration")) } while states.last?["state"].text == "running"
        return states
    }

    @Test("Versions are listed and compared, and a forecast names the obstacles")
    func forecast() throws {
        try withTemporaryFolder { folder in
            let (store, model) = try StudioVersions.make(in: folder, notes: 100)
            let before = try FolderContents(folder)
            try withStudio(store, ["--model", model.path]) { client in
                let overview = try client.read("store")
                #expect(overview["version"].text == "Notes")
                #expect(overview["versions"].items.map { $0["name"].text } == ["Notes", "Notes 2", "Notes 3"])
                #expect(overview["versions"].items.map { $0["isStore"].truth } == [true, false, false])
                #expect(overview["versions"].items.map { $0["isCurrent"].truth } == [false, true, false])
                let model = try client.read("model", ["version": "Notes 2"])
                #expect(model["entities"][0]["attributes"].items.contains { $0["name"].text == "rank" })
                #expect(try client.get("diagram", ["version": "Notes 3"]).text.contains("must"))
                let difference = try client.get("compare", ["from": "Notes", "to": "Notes 2"])
                #expect(difference.status == 200 && difference.text.contains("rank"))
                let clear = try client.read("forecast", ["to": "Notes 2"])
                #expect(clear.keys == ["from", "to", "isClear", "problems", "forecast"])
                #expect(
                    clear["from"].text == "Notes" && clear["isClear"].truth == true && clear["problems"].items.isEmpty)
                let blocked = try client.read("forecast", ["to": "Notes 3"])
                #expect(
                    blocked["isClear"].truth == false
                        && blocked["problems"].items.contains { $0.text?.contains("must") == true })
                let own = try client.read("forecast", ["to": "Notes"])
                #expect(own["isClear"].truth == true && own["problems"].items.isEmpty)
                for name in ["model", "diagram"] { #expect(try client.get(name, ["version": "Note 2"]).status == 400) }
                #expect(try client.get("forecast", ["to": "Note 2"]).status == 400)
                #expect(try client.get("compare", ["from": "Notes", "to": "x"]).status == 400)
            }
            #expect(try ToolRun.changes(in: folder, since: before) == [])
        }
    }

    @Test("A store is migrated while its events are heard, and is then of the new version")
    func migrate() throws {
        try withTemporaryFolder { folder in
            let (store, model) = try StudioVersions.make(in: folder, notes: 20_000)
            try withStudio(store, ["--model", model.path, "--write"]) { client in
                let events = try client.events()
                _ = try client.write("migrate", #"{"to":"Notes 9"}"#, status: 400)
                _ = try client.write("migrate", #"{"to":"Notes 3"}"#, status: 409)
                _ = try client.write("migrate", #"{"to":"Notes"}"#, status: 409)
                _ = try client.write("edit/set", #"{"id":"Note/1","key":"text","value":"changed"}"#)
                _ = try client.write("migrate", #"{"to":"Notes 2"}"#, status: 409)
                _ = try client.write("edit/save")
                _ = try client.write("migrate", #"{"to":"Notes 2"}"#, status: 202)
                let states = try states(events)
                #expect(states.last?["state"].text == "done" && states.last?["fraction"] == .number(1), "\(states)")
                #expect(states.allSatisfy { Self.eventKeys.isSuperset(of: $0.keys) })
                #expect(try client.read("store")["version"].text == "Notes 2")
                let rows = try client.read("rows", ["entity": "Note", "columns": "text,rank", "limit": "1"])
                #expect(
                    rows["total"].int == 20_000 && rows["rows"][0]["cells"] == .list([.text("changed"), .text("7")]))
                _ = try client.write("edit/set", #"{"id":"Note/2","key":"rank","value":"8"}"#)
                _ = try client.write("edit/save")
                _ = try client.write("migrate", #"{"to":"Notes 2"}"#, status: 409)
                _ = try client.write("migrate/cancel")
            }
            #expect(try ToolRun(["count", store.path, "Note", "--where", "rank == 8"]).output == "1\n")
            #expect(try ToolRun(["verify", store.path]).status == 0)
        }
    }

    @Test("A migration that is cancelled leaves the store as it was, and the studio open")
    func cancel() throws {
        try withTemporaryFolder { folder in
            let (store, model) = try StudioVersions.make(in: folder, notes: 200_000)
            try withStudio(store, ["--model", model.path, "--write"]) { client in
                let events = try client.events()
                _ = try client.write("migrate", #"{"to":"Notes 2"}"#, status: 202)
                _ = try client.write("migrate/cancel")
                let last = try #require(try states(events).last)
                // A fast machine may be done before.
                #expect(["cancelled", "done"].contains(last["state"].text))
                let isDone = last["state"].text == "done"
                #expect(try client.read("store")["version"].text == (isDone ? "Notes 2" : "Notes"))
                #expect(try client.read("rows", ["entity": "Note"])["total"].int == 200_000)
            }
            #expect(try ToolRun(["verify", store.path]).status == 0)
        }
    }

    @Test("A store that another program has open is not migrated")
    func busy() throws {
        try withTemporaryFolder { folder in
            let (store, model) = try StudioVersions.make(in: folder, notes: 10)
            try withStudio(store, ["--model", model.path, "--write"]) { client in
                try withStudio(store) { _ in
                    let error = try client.write("migrate", #"{"to":"Notes 2"}"#, status: 409)["error"]
                    #expect(error["message"].text?.isEmpty == false)
                }
                #expect(try client.read("rows", ["entity": "Note"])["total"].int == 10)
            }
        }
    }

    @Test(
        "Real stores are migrated to each later version", .enabled(if: Corpus.isPresent, "\(Corpus.absence)"),
        arguments: ["CoreDataMigration_Example 2", "CoreDataMigration_Example 3"])
    func corpus(version: String) throws {
        let root = "wibosco__CoreDataMigration-Example/"
        try withTemporaryFolder { folder in
            let store = try Corpus.copyStore(
                root + "CoreDataMigration-ExampleTests/Resources/SQLite/CoreDataMigration_Example_1.sqlite", to: folder)
            let model = Corpus.url(
                root + "CoreDataMigration-Example/CoreData/Model/CoreDataMigration_Example.xcdatamodeld")
            try withStudio(store, ["--model", model.path, "--write"]) { client in
                let overview = try client.read("store")
                #expect(
                    overview["version"].text == "CoreDataMigration_Example" && overview["versions"].items.count == 4)
                let forecast = try client.read("forecast", ["to": version])
                let events = try client.events()
                let answer = try client.post("migrate", "{\"to\":\"\(version)\"}")
                #expect((answer.status == 202) == (forecast["isClear"].truth == true), "\(forecast) \(answer.text)")
                guard answer.status == 202 else { return }
                #expect(try states(events).last?["state"].text == "done")
                #expect(try client.read("store")["version"].text == version)
                #expect(try client.read("rows", ["entity": "Post"])["total"].int == 1001)
            }
            #expect(try ToolRun(["count", store.path, "Post"]).output == "1001\n")
        }
    }
}
