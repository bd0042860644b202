import CoreData

/// Measures migrations by a mapping model: their time, and how much memory the process ever took, which must not follow
/// the rows.
struct MappingReport {
    let sizes: [Int]
    let rounds: Int

    enum Step: String, CaseIterable {
        case expressions
        case policy

        var title: String {
            switch self {
            case .expressions: "value expressions"
            case .policy: "a policy for every book"
            }
        }
    }

    func run() throws {
        let templates = try TemplateStore()
        defer { templates.remove() }
        var samples: [Step: [[Measurement]]] = [:]
        for size in sizes {
            let filled = try templates.filled(with: SourceData(authors: 1_000, books: size), name: "books-\(size)")
            for step in Step.allCases {
                let measured = try (1...rounds).map { _ in
                    try templates.withStore(copiedFrom: filled) { store in
                        try ChildProcess.run(["child-mapping", step.rawValue, store.path, String(size)])
                    }
                }
                samples[step, default: []].append(measured)
            }
            try FileManager.default.removeItem(at: filled)
        }
        var rows = [["migration"] + sizes.map { "\($0) books, s" } + sizes.map { "\($0) books, peak MB" }]
        for step in Step.allCases {
            let measured = samples[step] ?? []
            rows.append(
                [step.title] + measured.map { $0.map(\.seconds).median.printed(2) }
                    + measured.map { ($0.map(\.residentPerBook).median / 1e6).printed(1) })
        }
        print("migrating by a mapping model, \(rounds) rounds, medians; peak = highest resident set of the process\n")
        printTable(rows)
    }

    /// One migration in a child process.
    static func measure(_ step: String, store: String, count: Int) throws -> Measurement {
        defer {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store + ".new" + suffix) }
        }
        guard let step = Step(rawValue: step) else { throw BenchmarkFailure(description: "unknown step \(step)") }
        let (older, newer) = (BookModel.make(), BookModel.make(extraAttributes: 2))
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: older, destinationModel: newer)
        if step == .policy {
            let books = mapping.entityMappings.first { $0.destinationEntityName == "Book" }
            books?.entityMigrationPolicyClassName = NSStringFromClass(BookPolicy.self)
        }
        let manager = NSMigrationManager(sourceModel: older, destinationModel: newer)
        manager.usesStoreSpecificMigrationManager = false
        var measurement = Measurement()
        let start = Stopwatch()
        try manager.migrateStore(
            from: URL(fileURLWithPath: store), sourceType: NSSQLiteStoreType, options: nil, with: mapping,
            toDestinationURL: URL(fileURLWithPath: store + ".new"), destinationType: NSSQLiteStoreType,
            destinationOptions: [NSSQLitePragmasOption: ["synchronous": "OFF"]])
        start.stop(into: &measurement)
        measurement.count = count
        measurement.residentPerBook = Double(Memory.highestResidentBytes)
        return measurement
    }
}

/// Makes one of the new attributes of two old ones.
final class BookPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        let title = sInstance.value(forKey: "title") as? String ?? ""
        let pages = sInstance.value(forKey: "pages") as? Int64 ?? 0
        made.first?.setValue("\(title), \(pages)", forKey: "extra1")
    }
}
