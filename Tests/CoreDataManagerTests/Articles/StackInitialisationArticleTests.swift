import CoreData
import CoreDataManager
import Foundation
import TestSupport
import Testing

/// The Russian article: a large store, a changed schema, and a stack that is opened on the main thread, the three that
/// make a program which its system kills at every start.
@Suite("Article: А вы точно инициализируете стек Core Data правильно?", .serialized)
struct StackInitialisationArticleTests {
    private static let books = 40_000

    private func withStore(_ body: (URL, URL) throws -> Void) throws {
        try withTemporaryFolder { (folder: URL) throws in
            let template = folder.appendingPathComponent("template.sqlite")
            try LaunchStores.make(at: template, books: Self.books)
            try body(template, folder.appendingPathComponent("n.sqlite"))
        }
    }

    @Test(
        "The failure: opened on the main thread under a watchdog the program is killed, at every start, and never shown"
    )
    func failure() throws {
        try withStore { template, url in
            try LaunchStores.copy(template, to: url)
            let patient = try ChildProgram("launch-child", ["blocking", url.path, "3600", "0"]).wait()
            let length = try #require(LaunchStores.number("ready", in: patient.output), "\(patient.output)")
            #expect(try !LaunchStores.isOlder(url))

            try LaunchStores.copy(template, to: url)
            for _ in 0..<2 {
                let killed = try ChildProgram("launch-child", ["blocking", url.path, "\(length / 4)", "0"]).wait()
                #expect(killed.wasKilled, "\(killed.output)")
                #expect(!killed.output.contains("first"))
                #expect(try LaunchStores.isOlder(url), "a cut-off migration leaves the store as it was")
            }
        }
    }

    @Test(
        "The remedy: away from the main thread the same migration shows a screen, and the watchdog has nothing to bite")
    func remedy() throws {
        try withStore { template, url in
            try LaunchStores.copy(template, to: url)
            // Longer than the watchdog waits: the delay is the phone's.
            let end = try ChildProgram("launch-child", ["managed", url.path, "2", "2.5"]).wait()
            #expect(!end.wasKilled, "\(end.output)")
            #expect(end.output.contains("screen\n"))
            let first = try #require(LaunchStores.number("first", in: end.output))
            let ready = try #require(LaunchStores.number("ready", in: end.output))
            let stall = try #require(LaunchStores.number("stall", in: end.output))
            #expect(first < 2)
            #expect(ready >= 2.5)
            #expect(stall < 2)
            #expect(try !LaunchStores.isOlder(url))
        }
    }

    @Test("A commenter's wish: everyone who is interested is notified when the store is there")
    func notification() async throws {
        try await withTemporaryFolder { folder in
            let manager = CoreDataManager(model: NoteModel.first(), storeURL: folder.appendingPathComponent("n.sqlite"))
            await confirmation(expectedCount: 1) { ready in
                let token = NotificationCenter.default.addObserver(
                    forName: CoreDataManager.stateDidChangeNotification, object: manager, queue: nil
                ) { notification in
                    if (notification.userInfo?[CoreDataManager.stateKey] as? LaunchState)?.isReady == true { ready() }
                }
                await withCheckedContinuation { continuation in
                    manager.launch { _ in continuation.resume() }
                }
                await drainMain()
                NotificationCenter.default.removeObserver(token)
            }
        }
    }

    @Test("Pictures: the thresholds of the article are a lint, and the commenters' picture is loaded when it is wanted")
    func pictures() async throws {
        let lint = ValueSizeLint()
        #expect(lint.rowLimit == 102_400)
        #expect(lint.tableLimit == 1_048_576)
        let picture = DeferredValueCache().data(named: "picture") { Data(count: 3) }
        #expect(picture.ifLoaded == nil)
        #expect(try await picture.value.count == 3)
        picture.drop()
        #expect(try await picture.value.count == 3)
    }
}
