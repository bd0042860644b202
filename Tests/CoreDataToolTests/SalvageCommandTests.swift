import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

@Suite("coredata salvage")
struct SalvageCommandTests {
    private func withDamagedStore(_ damage: (URL) throws -> Void, _ look: (URL, URL) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let url = try DamagedStore.make(in: folder)
            try damage(url)
            try look(url, folder.appendingPathComponent("New.sqlite"))
        }
    }

    @Test("A whole store is brought out, and the new one is whole")
    func whole() throws {
        try withDamagedStore { _ in
        } _: { url, new in
            let before = try FolderContents(url.deletingLastPathComponent())
            let run = try ToolRun(["salvage", url.path, "-o", new.path])
            #expect(run.status == 0 && run.errors.isEmpty, "\(run.output)\(run.errors)")
            #expect(run.output.hasSuffix("made \(new.path): 9 rows, 3 links, nothing was wrong\n"), "\(run.output)")
            let changes = try FolderContents(url.deletingLastPathComponent()).differences(from: before)
            #expect(changes.allSatisfy { $0.contains("New") } && !changes.isEmpty, "\(changes)")
            let verified = try ToolRun(["verify", new.path])
            #expect(verified.status == 0, "\(verified.output)")
        }
    }

    @Test("Losses are listed line by line, and as JSON; the status is 1")
    func lost() throws {
        try withDamagedStore { url in
            try DamagedStore.damage(
                url, "UPDATE ZTHING SET ZAUTHOR = 99 WHERE Z_PK = 1; UPDATE ZTHING SET ZPAGES = 'x' WHERE Z_PK = 2")
        } _: { url, new in
            let run = try ToolRun(["salvage", url.path, "--output", new.path])
            #expect(run.status == 1)
            #expect(run.output.contains("Book/1.author: leads to Author 99, which was not found; it is nil now\n"))
            #expect(run.output.contains("Book/2.pages: 'x' is no value of its type; it is nil now\n"), "\(run.output)")
            let other = new.path + ".other"
            let json = try ToolRun(["salvage", url.path, "-o", other, "--json"])
            let report = try #require(try json.json() as? [String: Any])
            let findings = try #require(report["findings"] as? [[String: Any]])
            #expect(json.status == 1 && findings.map { $0["kind"] as? String } == ["value", "link"])
            let books = (report["entities"] as? [[String: Any]])?.first { $0["name"] as? String == "Book" }
            #expect(books?["rows"] as? Int == 3 && books?["lostValues"] as? Int == 2 && books?["lostRows"] as? Int == 0)
        }
    }

    @Test("A store whose first page is lost needs no more than a model, and verify finds the new one whole")
    func noFirstPage() throws {
        try withDamagedStore { url in
            try RawDatabase(url).execute("PRAGMA wal_checkpoint(TRUNCATE)")
            var bytes = try Data(contentsOf: url)
            bytes.replaceSubrange(0..<4096, with: Data(count: 4096))
            try bytes.write(to: url)
        } _: { url, new in
            for command in ["info", "verify"] {
                let run = try ToolRun([command, url.path])
                #expect(run.status == 3 && run.errors.contains("try 'coredata salvage'"), "\(run.errors)")
            }
            let model = url.deletingLastPathComponent().appendingPathComponent("Model.mom").path
            let run = try ToolRun(["salvage", url.path, "-o", new.path, "--model", model])
            #expect(run.status == 1 && run.output.contains("9 rows, 3 links"), "\(run.output)\(run.errors)")
            let verified = try ToolRun(["verify", new.path])
            #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
        }
    }

    @Test("Nothing is written over anything, and a wrong use says so")
    func refusals() throws {
        try withDamagedStore { _ in
        } _: { url, new in
            #expect(try ToolRun(["salvage", url.path]).status == 2)
            #expect(try ToolRun(["salvage", "postgresql://localhost/x", "-o", new.path]).status == 2)
            #expect(try ToolRun(["salvage", url.path, "-o", url.path]).status == 5)
            #expect(try ToolRun(["salvage", new.path, "-o", new.path + ".x"]).status == 3)
            let left = try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)
            #expect(!left.contains { $0.contains("New") || $0.contains("draft") }, "\(left)")
        }
    }
}
