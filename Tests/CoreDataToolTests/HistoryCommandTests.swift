import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

@Suite("coredata history and coredata watch")
struct HistoryCommandTests {
    /// Makes a store of two transactions by one author, and one by another.
    private func fill(_ url: URL, keepsHistory: Bool = true) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSPersistentHistoryTrackingKey: keepsHistory])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            context.transactionAuthor = "import"
            context.name = "night"
            let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
            book.setValue("Moby-Dick", forKey: "title")
            try context.save()
            book.setValue("Moby-Dick; or, The Whale", forKey: "title")
            try context.save()
            context.transactionAuthor = "\u{1B}[31mapp"
            context.delete(book)
            try context.save()
        }
        // The last connection's leftovers are no trace of the commands.
        try coordinator.remove(store)
    }

    private static var date: some RegexComponent { #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/# }

    private func text(_ run: ToolRun) -> String {
        run.output.replacing(Self.date, with: "DATE").replacing(#/  (program|process) .*/#, with: "")
    }

    @Test("Transactions are printed with author and changes; an author's escape sequence is not")
    func history() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("L.sqlite")
            try fill(url)
            let before = try FolderContents(folder)
            let run = try ToolRun(["history", url.path])
            #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
            #expect(
                text(run) == """
                    #1  DATE  author import  context night
                      + Book/1
                    #2  DATE  author import  context night
                      ~ Book/1  title
                    #3  DATE  author �[31mapp  context night
                      - Book/1

                    """)
            #expect(try text(ToolRun(["history", url.path, "--since", "2"])).hasPrefix("#3  DATE"))
            #expect(try ToolRun(["history", url.path, "--since", "2999-01-01"]).output.isEmpty)
            #expect(try text(ToolRun(["history", url.path, "--since", "2001-01-01", "-n", "1"])).hasPrefix("#1  DATE"))
            let own = try ToolRun(["history", url.path, "--author", "import", "--json"])
            let lines = own.output.split(separator: "\n").compactMap {
                try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
            }
            #expect(lines.map { $0["transaction"] as? Int } == [1, 2])
            #expect(lines.allSatisfy { $0["author"] as? String == "import" })
            let change = (lines.last?["changes"] as? [[String: Any]])?.first
            #expect(change?["type"] as? String == "update" && change?["properties"] as? [String] == ["title"])
            #expect(try ToolRun.changes(in: folder, since: before) == [])
        }
    }

    @Test("A store without history, and a time that is none, are reported")
    func none() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("L.sqlite")
            try fill(url, keepsHistory: false)
            let run = try ToolRun(["history", url.path])
            #expect(run.status == 1 && run.output.isEmpty)
            #expect(run.errors == "coredata: \(url.path): the store keeps no history\n")
            let since = try ToolRun(["history", url.path, "--since", "yesterday"])
            #expect(since.status == 2 && since.errors.contains("not 'yesterday'"))
        }
    }

    /// Watches while another process saves. Returns the output.
    private func watched(_ url: URL, _ arguments: [String], _ work: () throws -> Void) throws -> String {
        let process = AwaitedProcess()
        process.executableURL = ToolRun.program
        process.arguments = ["watch", url.path] + arguments
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        var said = Data()
        while !String(decoding: said, as: UTF8.self).contains("^C ends\n") {
            let more = errors.fileHandleForReading.availableData
            if more.isEmpty { break }
            said += more
        }
        try work()
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: printed, as: UTF8.self)
    }

    @Test("Another process's saves are printed while it works, with its author")
    func watch() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("L.sqlite")
            try fill(url)
            let printed = try watched(url, ["--limit", "3", "--json"]) {
                let writer = try ChildProgram("writer-child", [url.path, "writer 7", "3", "history"])
                #expect(writer.wait().status == 0)
            }
            let lines = try printed.split(separator: "\n").map {
                try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
            }
            #expect(lines.map { $0?["transaction"] as? Int } == [4, 5, 6])
            #expect(lines.allSatisfy { $0?["author"] as? String == "writer 7" })
        }
    }

    @Test("The numbers of objects are printed for a store without history")
    func watchCounts() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("L.sqlite")
            try fill(url, keepsHistory: false)
            let printed = try watched(url, ["--limit", "1"]) {
                let writer = try ChildProgram("writer-child", [url.path, "writer", "1"])
                #expect(writer.wait().status == 0)
            }
            #expect(printed.replacing(Self.date, with: "DATE") == "DATE  Tag: 0 → 1\n")
        }
    }

    @Test("^C ends the watch with status 0, and leaves the store as it was")
    func interrupt() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("L.sqlite")
            try fill(url)
            let process = AwaitedProcess()
            process.executableURL = ToolRun.program
            process.arguments = ["watch", url.path]
            let errors = Pipe()
            process.standardError = errors
            try process.run()
            #expect(!errors.fileHandleForReading.availableData.isEmpty)
            process.interrupt()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0 && process.terminationReason == .exit)
            #expect(try ToolRun(["count", url.path, "Book"]).output == "0\n")
        }
    }
}
