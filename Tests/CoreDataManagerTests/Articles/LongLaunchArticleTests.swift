import CoreData
import CoreDataManager
import Foundation
import TestSupport
import Testing

/// The Japanese article of July 2011: twelve columns more, two hundred rows, thirty seconds on the main thread, and a
/// program that was killed with 0x8badf00d as soon as it was updated.
@Suite("Article: 起動時間が長いとアプリが強制終了する", .serialized)
struct LongLaunchArticleTests {
    @Test("A launch adds the twelve columns in place, for any number of rows, and needs no screen")
    func situation() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Sample.sqlite")
            try NoteModel.makeStore(at: url, notes: 200)
            let forecast = try await CoreDataManager(model: NoteModel.second(), storeURL: url).forecast()
            #expect(forecast.isInstant == true)
            // The grace delay is the article's launch limit: a launch that long would be a failure anyway.
            var configuration = CoreDataManager.Configuration()
            configuration.graceDelay = 20
            let manager = CoreDataManager(model: NoteModel.second(), storeURL: url, configuration: configuration)
            try await confirmation(expectedCount: 0) { asked in
                let outcome = await withCheckedContinuation { continuation in
                    manager.launch(progressScreen: { _ in asked() }, completion: { continuation.resume(returning: $0) })
                }
                try outcome.get()
            }
            #expect(try NoteModel.texts(inStoreAt: url, model: NoteModel.second()).count == 200)
        }
    }

    @Test("The failure: a migration as slow as the phone's, waited for at the start, and the program is killed")
    func failure() throws {
        try withTemporaryFolder { (folder: URL) throws in
            let url = folder.appendingPathComponent("Sample.sqlite")
            try LaunchStores.make(at: url, books: 200)
            let end = try ChildProgram("launch-child", ["blocking", url.path, "0.5", "30"]).wait()
            #expect(end.wasKilled)
            #expect(end.output == "begin\n")
            #expect(try LaunchStores.isOlder(url))
        }
    }

    @Test("The remedy: the same slow migration with its own screen ends, and the program continues")
    func remedy() throws {
        try withTemporaryFolder { (folder: URL) throws in
            let url = folder.appendingPathComponent("Sample.sqlite")
            try LaunchStores.make(at: url, books: 200)
            let end = try ChildProgram("launch-child", ["managed", url.path, "2", "2.2"]).wait()
            #expect(!end.wasKilled, "\(end.output)")
            #expect(end.output.contains("screen\n"))
            #expect(end.output.hasSuffix("done\n"))
            #expect(try !LaunchStores.isOlder(url))
        }
    }
}
