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
            #expect(LaunchStores.number("ready", in: patient.output) != nil, "\(patient.output)")
            #expect(try !LaunchStores.isOlder(url))

            // The delay is so long that the watchdog decides, however fast the machine is.
            try LaunchStores.copy(template, to: url)
            for _ in 0..<2 {
                let killed = try ChildProgram("launch-child", ["blocking", url.path, "0.05", "3600"]).wait()
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

    @Test("A manager notifies all interested observers when the store is there")
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

    @Test(
        "Pictures: a large one in a row is found, and the commenters' picture is loaded when it is wanted, not before")
    func pictures() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            let model = ModelText.model("entity Photo\n  title string\n  picture data")
            var configuration = CoreDataManager.Configuration()
            configuration.layout = .siblings
            let manager = CoreDataManager(model: model, storeURL: url, configuration: configuration)
            let photo = try await manager.performBackground { context in
                let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
                photo.setValue(Data(count: 150_000), forKey: "picture")
                return try ObjectReference(photo)
            }
            let findings = try ValueSizeLint().check(storeAt: url, model: model).findings
            #expect(findings.map(\.attribute) == ["picture"])
            #expect(findings.map(\.remedy) == [.ownEntity])

            let (pressure, loads) = (MemoryPressure(), Box(0))
            let picture = DeferredValueCache(pressure: pressure).data(named: photo.uri.absoluteString) {
                loads.update { $0 += 1 }
                return try await manager.performBackground(saving: false) { context in
                    try photo.object(in: context).value(forKey: "picture") as? Data ?? Data()
                }
            }
            #expect(picture.ifLoaded == nil && loads.value == 0)
            for _ in 0..<2 { #expect(try await picture.value.count == 150_000) }
            #expect(loads.value == 1)
            pressure.report()
            #expect(try await picture.value.count == 150_000)
            #expect(loads.value == 2)
        }
    }
}
