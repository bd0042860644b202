import CoreData
import CoreDataManager
import Foundation

/// Measures what a user feels while the library works: how long the main queue does not answer while a table is
/// rewritten at launch, when the first screen is there, and what saving many objects without waiting costs the main
/// queue.
///
/// The first screen is counted from before the program's process is made: loading the program, making the manager,
/// beginning the launch, and drawing a screen of text after that, while the migration already runs. The progress screen
/// is counted from the end of the grace delay.
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
        var progressScreen = 0.0
        var whole = 0.0

        var line: String { "\(stall) \(firstScreen) \(progressScreen) \(whole)" }

        init() {}

        init?(line: Substring) {
            let numbers = line.split(separator: " ").compactMap { Double($0) }
            guard numbers.count == 4 else { return nil }
            (stall, firstScreen, progressScreen, whole) = (numbers[0], numbers[1], numbers[2], numbers[3])
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
            row("first screen, from the start of the process", launches.map(\.firstScreen), Self.firstScreenBar),
            row(
                "progress screen, from the end of the grace delay", launches.map(\.progressScreen), Self.firstScreenBar),
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
                let text = try ChildProcess.output([step, store.path, String(DispatchTime.now().uptimeNanoseconds)])
                guard let finding = text.split(separator: "\n").last.flatMap(Finding.init) else {
                    throw BenchmarkFailure(description: "\(step) printed: \(text)")
                }
                return finding
            }
        }
    }

    // MARK: In the child processes

    /// Runs one step on the main queue and ends the process.
    ///
    /// - Parameter start: when the parent began to make this process, by the clock that both have in common.
    static func runChild(_ step: String, store: String, start: DispatchTime) -> Never {
        Task { @MainActor in
            do {
                let url = URL(fileURLWithPath: store)
                print(try await step == "child-launch" ? launch(url, start).line : save(url).line)
                exit(0)
            } catch {
                print(error)
                exit(1)
            }
        }
        dispatchMain()
    }

    @MainActor
    private static func launch(_ store: URL, _ start: DispatchTime) async throws -> Finding {
        var finding = Finding()
        let probe = LaunchProbe()
        probe.start()
        let manager = CoreDataManager(model: BookModel.make(pagesType: .doubleAttributeType), storeURL: store)
        let screens = Screens(grace: manager.configuration.graceDelay)
        let outcome = await withCheckedContinuation { continuation in
            screens.begun = .now()
            manager.launch(display: screens) { continuation.resume(returning: $0) }
            // The function that begins the launch returns, and the main queue's next turn draws.
            DispatchQueue.main.async { screens.drawFirst() }
        }
        try outcome.get()
        probe.markReady()
        let report = probe.stop()
        guard let first = screens.first, let progress = screens.progress else {
            throw BenchmarkFailure(description: "the migration ended before its screen")
        }
        finding.stall = report.longestStall
        finding.firstScreen = seconds(from: start, to: first)
        finding.progressScreen = seconds(from: screens.begun, to: progress) - screens.grace
        finding.whole = report.timeToReady ?? .infinity
        return finding
    }

    private static func seconds(from start: DispatchTime, to end: DispatchTime) -> Double {
        (Double(end.uptimeNanoseconds) - Double(start.uptimeNanoseconds)) / 1e9
    }

    /// Draws on a terminal of 80 times 24 characters, by writing to the parent's pipe.
    @MainActor
    private final class Screens: LaunchDisplay {
        let grace: TimeInterval
        var begun = DispatchTime.now()
        private(set) var first: DispatchTime?
        private(set) var progress: DispatchTime?
        private let terminal = TerminalDisplay(columns: 80) { FileHandle.standardOutput.write(Data($0.utf8)) }

        init(grace: TimeInterval) { self.grace = grace }

        func drawFirst() {
            let line = "|" + String(repeating: " ", count: 78) + "|\n"
            FileHandle.standardOutput.write(Data(String(repeating: line, count: 24).utf8))
            first = .now()
        }

        func begin(_ migration: any MigrationProgressReporting, message: String) {
            terminal.begin(migration, message: message)
            progress = .now()
        }

        func update(_ status: MigrationStatus, text: String) { terminal.update(status, text: text) }

        func end(message: String, failure: LaunchFailure?) { terminal.end(message: message, failure: failure) }
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
                // The completion handler gets the error, too.
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
