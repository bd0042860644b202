import CoreData
import CoreDataManager
import Foundation
import SwiftData

/// What SwiftData does here with stores, predicates and migrations.
@main
enum SwiftDataDemo {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("swiftdata-demo: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        switch arguments {
        case [], ["--quick"]:
            let folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("opencoredata-demo-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try useStore(folder.appendingPathComponent("trips.store"))
            try leadUnknownVersion(folder.appendingPathComponent("diary.store"))
            try await launch(
                folder.appendingPathComponent("large.store"), entries: arguments.isEmpty ? 200_000 : 20_000)
        case _ where arguments.count == 1 && !arguments[0].hasPrefix("-"):
            try show(URL(fileURLWithPath: arguments[0]))
        default:
            say("usage: swiftdata-demo [--quick | STORE]")
            exit(arguments == ["--help"] ? 0 : 64)
        }
    }

    // MARK: A store of Apple's form

    /// Opens the store with its classes, fetches by predicates, and changes it.
    private static func useStore(_ url: URL) throws {
        title("1. A store as Apple's SwiftData makes it, opened with its @Model classes")
        try AppleStore.make(at: url)
        let before = try hashes(of: url)
        let context = ModelContext(try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: url)))
        for line in before { say("   \(line)") }
        say(try hashes(of: url) == before ? "   The classes have these hashes: no migration." : "   It was migrated.")
        for trip in try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.start)])) {
            let towns = trip.stops.map(\.town).joined(separator: ", ")
            say("   \(trip.name): \(trip.kind), with \(trip.guide?.name ?? "no guide"), in \(towns); \(trip.tags)")
        }

        title("2. Five predicates that compile, and stop Apple's SwiftData at run time")
        for (text, predicate) in try StoppingPredicates.all(in: context) {
            let descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)])
            let names = try context.fetch(descriptor).map(\.name).joined(separator: ", ")
            say("   #Predicate { \(text) } finds \(names)")
            for condition in try context.explanation(of: descriptor).conditions {
                // The text of a condition without SQL has addresses of key paths.
                let text = condition.untranslatedPart.map { "no SQL for \($0)" } ?? condition.text
                say("      decided by the \(condition.decider): \(text)")
            }
        }

        title("3. A change, and what the program `coredata` reads of it")
        let ridge = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Ridge" }))[0]
        ridge.kind = .train
        ridge.base?.beds = 7
        ridge.stops.append(Stop(town: "Wengen"))
        context.author = "demo"
        try context.save()
        let columns = "name,kind,base,tags,guide.name,stops.@count"
        try coredata(url, "fetch", "Trip", "--where", "name == \"Ridge\"", "--columns", columns)
        try coredata(url, "history", "--author", "demo")
    }

    private static func hashes(of url: URL) throws -> [String] {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
        let all = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        return all.map { "version hash of \($0): \($1.base64EncodedString().prefix(16))…" }.sorted()
    }

    // MARK: Another version

    /// Opens a store that is of no version of the plan: refused, then led to the nearest one.
    private static func leadUnknownVersion(_ url: URL) throws {
        title("4. A store that is of no version of the migration plan")
        try make(url, DiaryBetween.self) {
            $0.insert(DiaryBetween.Entry(text: "Over the pass", steps: 30_000, weather: "rain"))
        }
        var configuration = ModelConfiguration(url: url)
        do {
            _ = try open(configuration)
            throw DemoFailure("the store was not refused")
        } catch let error as SwiftDataError {
            say("   refused: \((error.reason ?? "").replacing(". ", with: ".\n            "))")
        }
        configuration.unknownVersions = .inferToNearest
        let entries = try ModelContext(open(configuration)).fetch(FetchDescriptor<DiaryV2.Entry>())
        for entry in entries {
            say("   led on: \"\(entry.story)\", \(entry.steps) steps, \(entry.weather ?? "no weather")")
        }
    }

    private static func open(_ configuration: ModelConfiguration) throws -> ModelContainer {
        try ModelContainer(
            for: Schema(versionedSchema: DiaryV2.self), migrationPlan: DiaryPlan.self, configurations: [configuration])
    }

    private static func make(
        _ url: URL, _ version: any VersionedSchema.Type, _ fill: (ModelContext) throws -> Void
    ) throws {
        let schema = Schema(versionedSchema: version)
        let context = ModelContext(try ModelContainer(for: schema, configurations: ModelConfiguration(url: url)))
        try fill(context)
        try context.save()
    }

    // MARK: A launch

    /// Opens a large store of the first version away from the main thread, which shows the progress.
    @MainActor
    private static func launch(_ url: URL, entries: Int) async throws {
        title("5. A launch that migrates \(entries) models")
        try fill(url, entries: entries)
        let probe = LaunchProbe()
        probe.start()
        let opening = ModelContainer.opening(
            for: Schema(versionedSchema: DiaryV2.self), migrationPlan: DiaryPlan.self,
            configurations: [ModelConfiguration(url: url)])
        let screen = ProgressScreen(opening)
        let container = try await withCheckedThrowingContinuation { continuation in
            opening.begin(
                progressScreen: { migration in
                    probe.markFirstScreen()
                    screen.show(migration)
                },
                completion: { continuation.resume(with: $0) })
        }
        probe.markReady()
        screen.end()
        let report = probe.stop()
        if let screen = report.timeToFirstScreen { say("   a progress bar after \(milliseconds(screen))") }
        say("   ready after \(milliseconds(report.timeToReady ?? 0))")
        say("   longest stall of the main thread: \(milliseconds(report.longestStall))")
        let context = ModelContext(container)
        let keys = NSFetchRequest<NSDictionary>(entityName: "Entry")
        keys.resultType = .dictionaryResultType
        keys.propertiesToFetch = ["key"]
        keys.returnsDistinctResults = true
        let count = try context.fetchCount(FetchDescriptor<DiaryV2.Entry>())
        let different = try context.managedObjectContext.fetch(keys).count
        say("   \(count) models have \(different) different values of the new property `key: UUID = UUID()`")
    }

    /// A batch of rows, by the managed objects beneath.
    private static func fill(_ url: URL, entries: Int) throws {
        try make(url, DiaryV1.self) { context in
            var number = 0
            let batch = NSBatchInsertRequest(entityName: "Entry") { (row: NSMutableDictionary) in
                row["text"] = "Day \(number)"
                row["steps"] = number % 40_000
                number += 1
                return number > entries
            }
            try context.managedObjectContext.execute(batch)
        }
    }

    // MARK: A store of the user

    /// Shows a store of any program: its classes, and some rows of each entity.
    private static func show(_ url: URL) throws {
        let model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(
            at: url, options: [NSReadOnlyPersistentStoreOption: true])
        try coredata(url, "info")
        title("Its classes")
        try coredata(url, "model", "swift")
        for entity in model.entities.filter({ !$0.isAbstract }).compactMap(\.name).sorted() {
            title(entity)
            try coredata(url, "fetch", entity, "--limit", "3")
        }
    }
}
