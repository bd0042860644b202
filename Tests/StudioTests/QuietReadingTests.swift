import CoreData
import Foundation
import TestSupport
import Testing

@Suite(
    "The studio's reading, stopped and without traces", .enabled(if: StudioBuild.isPresent, "\(StudioBuild.absence)"))
struct QuietReadingTests {
    @Test("A request for rows that takes long is stopped by its name, before it begins and while it runs")
    func stopped() throws {
        try withTemporaryFolder { folder in
            let store = try StudioLibrary.make(in: folder) { context in
                _ = try StudioLibrary.made("Tag", ["name": String(repeating: "a", count: 60)], context)
            }
            try withStudio(store) { client in
                for isBefore in [true, false] {
                    let connection = try LoopbackConnection(client.process.port)
                    if isBefore { _ = try client.write("stop", #"{"work":"true"}"#) }
                    try connection.send(
                        client.reading(
                            "/api/rows", ["entity": "Tag", "where": "name MATCHES '(a+)+b'", "work": "\(isBefore)"]))
                    if !isBefore { _ = try client.write("stop", #"{"work":"false"}"#) }
                    let answer = try connection.answer()
                    #expect(answer.status == 409)
                    #expect(try AnyJSON(answer.body)["error"]["message"].text == "the request was stopped")
                }
                #expect(try client.read("rows", ["entity": "Tag", "work": "next"])["total"].int == 2)
                _ = try client.write("stop", #"{"work":"next"}"#)
                _ = try client.write("stop", "{}")
            }
        }
    }

    @Test("A studio that reads leaves the files of a store that a killed program has left as they are, to the byte")
    func untouched() throws {
        try withTemporaryFolder { folder in
            let (used, left) = (folder.appendingPathComponent("Used"), folder.appendingPathComponent("Left"))
            for folder in [used, left] {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            }
            do {
                let database = try RawDatabase(try StudioLibrary.make(in: used))
                try database.execute("UPDATE ZTAG SET ZNAME = 'late'")
                for name in ["Library.sqlite", "Library.sqlite-wal", "Library.sqlite-shm"] {
                    try FileManager.default.copyItem(
                        at: used.appendingPathComponent(name), to: left.appendingPathComponent(name))
                }
            }
            let before = try FolderContents(left)
            let store = left.appendingPathComponent("Library.sqlite")
            try withStudio(store) { client in
                #expect(try client.read("rows", ["entity": "Tag", "where": "name == 'late'"])["total"].int == 1)
                #expect(try client.read("store")["entities"].items.count == 5)
                #expect(try FolderContents(left).differences(from: before) == [])
                // What another program saves afterwards is seen.
                try RawDatabase(store).execute("UPDATE ZTAG SET ZNAME = 'later'")
                #expect(try client.read("rows", ["entity": "Tag", "where": "name == 'later'"])["total"].int == 1)
            }
        }
    }
}
