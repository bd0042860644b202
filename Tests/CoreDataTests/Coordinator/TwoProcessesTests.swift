import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Several processes on one store", .leavesNothingBehind)
struct TwoProcessesTests {
    private func finish(_ children: [ChildProgram], rounds: Int) {
        for child in children {
            let end = child.wait()
            #expect(end.status == 0)
            #expect(end.output.hasPrefix("saved \(rounds) "), "\(end.output)")
        }
    }

    /// Every tag of every writer once, under a key of its own, none above the highest key handed out.
    private func expectTags(_ raw: RawDatabase, writers: Int, rounds: Int) throws {
        let names = (0..<writers).flatMap { writer in (0..<rounds).map { RawDatabase.Value.text("w\(writer) \($0)") } }
        let found = try raw.column("SELECT ZNAME FROM ZTAG")
        #expect(found.count == names.count)
        #expect(Set(found) == Set(names))
        let highest = try raw.integer("SELECT max(Z_PK) FROM ZTAG") ?? 0
        #expect(try raw.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'") ?? 0 >= highest)
        #expect(try raw.integrityCheck() == ["ok"])
    }

    @Test("writers of one row lose no update, and their new rows never share a key")
    func counting() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            context.make("Book", ["title": "counter", "pages": 0])
            try context.save()
        }
        let rounds = 60
        let children = try (0..<3).map {
            try ChildProgram("writer-child", [library.storeURL.path, "w\($0)", "\(rounds)"])
        }
        // This process writes other rows at the same time, without a conflict.
        try context.performAndWait {
            for number in 0..<rounds {
                context.make("Author", ["name": "\(number)"])
                try context.save()
            }
        }
        finish(children, rounds: rounds)
        let raw = try RawDatabase(library.storeURL)
        #expect(try raw.integer("SELECT ZPAGES FROM ZBOOK") == Int64(3 * rounds))
        #expect(try raw.integer("SELECT Z_OPT FROM ZBOOK") == Int64(3 * rounds + 1))
        #expect(try raw.integer("SELECT count(*) FROM ZAUTHOR") == Int64(rounds))
        try expectTags(raw, writers: 3, rounds: rounds)
        let pages = try context.performAndWait { () -> Int? in
            context.reset()
            return (try context.all("Book").first?.value(forKey: "pages") as? NSNumber)?.intValue
        }
        #expect(pages == 3 * rounds)
    }

    @Test("a change of a row that another process has changed is the conflict 133020, and names the object")
    func conflict() throws {
        let library = try Library()
        let context = library.context()
        let child: () throws -> Void = {
            let end = try ChildProgram("writer-child", [library.storeURL.path, "w0", "1"]).wait()
            #expect(end.output == "saved 1 conflicts 0\n")
        }
        try context.performAndWait {
            let counter = context.make("Book", ["title": "counter", "pages": 0])
            let other = context.make("Book", ["title": "other", "pages": 0])
            try context.save()
            try child()
            // A row that only this process has changed goes through.
            other.setValue(5, forKey: "pages")
            try context.save()
            counter.setValue(100, forKey: "pages")
            other.setValue(6, forKey: "pages")
            let error = try #require(throws: NSError.self) { try context.save() }
            #expect(error.domain == NSCocoaErrorDomain)
            #expect(error.code == NSManagedObjectMergeError)
            #expect(error.code == 133_020)
            // Nothing of the save was written.
            let raw = try RawDatabase(library.storeURL)
            #expect(try raw.column("SELECT ZPAGES FROM ZBOOK ORDER BY ZTITLE") == [.int(1), .int(5)])
            context.reset()
            let fresh = try #require(try context.all("Book", "title == 'counter'").first)
            #expect((fresh.value(forKey: "pages") as? NSNumber)?.intValue == 1)
            fresh.setValue(100, forKey: "pages")
            try context.save()
        }
        #expect(
            try RawDatabase(library.storeURL).column("SELECT ZPAGES FROM ZBOOK ORDER BY ZTITLE") == [
                .int(100), .int(5),
            ])
    }

    @Test("processes that make the same store at the same moment make one")
    func creating() throws {
        for _ in 0..<10 {
            let folder = try TemporaryFolder()
            let url = folder.url.appendingPathComponent("Library.sqlite")
            let children = try (0..<3).map { try ChildProgram("writer-child", [url.path, "w\($0)", "5"]) }
            finish(children, rounds: 5)
            let raw = try RawDatabase(url)
            #expect(try raw.integer("SELECT count(*) FROM Z_METADATA") == 1)
            try expectTags(raw, writers: 3, rounds: 5)
        }
    }
}
