import CoreData
import CoreDataManager
import Foundation

/// Measures what a user feels while the library works: how long the main queue does not answer while a table is rewritten at
/// launch, when the first screen is there, and what saving many objects without waiting costs the main queue.
struct LaunchReport {
    let books: Int
    let rounds: Int

    /// Objects that are changed and saved at once.
    static let changes = 10_000
    /// The longest stalls, and the time to the first screen, in milliseconds.
    static let migrationBar = 8.0
    static let firstScreenBar = 50.0
    static let saveBar = 16.0

    /// What one child process found, in seconds.
    struct Finding {
        var stall = 0.0
        var firstScreen = 0.0
        var whole = 0.0

        var line: String { "\(stall) \(firstScreen) \(whole)" }

        init() {}

        init?(line: Substring) {
            let numbers = line.split(separator: " ").compactMap { Double($0) }
            guard numbers.count == 3 else { return nil }
            (stall, firstScreen, whole) = (numbers[0], numbers[1], numbers[2])
        }
    }

    /// - Returns: whether the bars hold.
    func run() throws -> Bool {
        let templates = try TemplateStore()
        defer { templates.remove() }
        let store = try templates.filled(with: SourceData(authors: 1_000, books: books), name: "books")
        let launches = try findings("child-launch", store, templates)
        let saves = try findings("child-save", store, templates)
        print("\(books) books, \(rounds) rounds, medians; the table of books is rewritten at launch\n")
        var holds = true
        func row(_ name: String, _ values: [Double], _ bar: Double) -> [String] {
            let milliseconds = values.map { $0 * 1_000 }
            let isHeld = milliseconds.median < bar
            holds = holds && isHeld
            return [
                name, milliseconds.median.printed(1), (milliseconds.max() ?? 0).printed(1), bar.printed(0),
                isHeld ? "holds" : "BROKEN",
            ]
        }
        printTable([
            ["", "median ms", "longest ms", "bar", "verdict"],
            row("longest stall of the main queue during the launch", launches.map(\.stall), Self.migrationBar),
            row("first turn of the main queue, for a first screen", launches.map(\.firstScreen), Self.firstScreenBar),
            row("longest stall while \(Self.changes) changed objects are saved", saves.map(\.stall), Self.saveBar),
        ])
        print(
            "\nready after \(launches.map(\.whole).median.printed(2)) s; the save was on the disk after ",
            terminator: "")
        print("\(saves.map(\.whole).median.printed(2)) s")
        return holds
    }

    private func findings(_ step: String, _ store: URL, _ templates: TemplateStore) throws -> [Finding] {
        try (0..<rounds).map { _ in
            try templates.withStore(copiedFrom: store) { store in
                // A user's data has long been on the disk; the launch must not pay for writing the copy.
                try FileHandle(forUpdating: store).synchronize()
                let text = try ChildProcess.output([step, store.path])
                guard let finding = text.split(separator: "\n").last.flatMap(Finding.init) else {
                    throw BenchmarkFailure(description: "\(step) printed: \(text)")
                }
                return finding
            }
        }
    }

    // MARK: In the child processes

    /// Runs one step on the main queue and ends the process.
    static func runChild(_ step: String, store: String) -> Never {
        Task { @MainActor in
            do {
                let url = URL(fileURLWithPath: store)
                print(try await step == "child-launch" ? launch(url).line : save(url).line)
                exit(0)
            } catch {
                print(error)
                exit(1)
            }
        }
        dispatchMain()
    }

    @MainActor
    private static func launch(_ store: URL) async throws -> Finding {
        let probe = LaunchProbe()
        probe.start()
        let manager = CoreDataManager(model: BookModel.make(pagesType: .doubleAttributeType), storeURL: store)
        let outcome = await withCheckedContinuation { continuation in
            manager.launch(progressScreen: { _ in }, completion: { continuation.resume(returning: $0) })
            DispatchQueue.main.async { probe.markFirstScreen() }
        }
        try outcome.get()
        probe.markReady()
        let report = probe.stop()
        var finding = Finding()
        finding.stall = report.longestStall
        finding.firstScreen = report.timeToFirstScreen ?? .infinity
        finding.whole = report.timeToReady ?? .infinity
        return finding
    }

    @MainActor
    private static func save(_ store: URL) async throws -> Finding {
        let manager = CoreDataManager(model: BookModel.make(), storeURL: store)
        try await manager.launch()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.fetchLimit = changes
        let books = try manager.mainContext.fetch(request)
        for book in books { book.setValue(7, forKey: "pages") }
        await Task.yield()
        let probe = LaunchProbe()
        probe.start()
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        probe.resetStalls()
        let start = probe.elapsed
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            do {
                try manager.save(wait: false) { continuation.resume(with: $0) }
            } catch {
                // The completion hears of it.
            }
        }
        var finding = Finding()
        finding.whole = probe.elapsed - start
        finding.stall = probe.stop().longestStall
        guard books.count == changes, !manager.mainContext.hasChanges else {
            throw BenchmarkFailure(description: "\(books.count) books were changed")
        }
        return finding
    }
}
