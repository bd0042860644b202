import CoreData

/// Measures batch requests: their time, and how much memory the process ever took, which must not follow the rows.
struct BatchReport {
    let sizes: [Int]
    let rounds: Int

    /// How many times the memory of the smallest size the largest one may take. Both have filled the page caches of the
    /// two connections, which hold 32 MB each.
    static let memoryBar = 1.25

    enum Step: String, CaseIterable {
        case insertByDictionary = "insert-dictionary"
        case insertByObject = "insert-object"
        case insertWithHistory = "insert-history"
        case update
        case delete

        var title: String {
            switch self {
            case .insertByDictionary: "insert, dictionary handler"
            case .insertByObject: "insert, object handler"
            case .insertWithHistory: "insert, dictionary handler, history"
            case .update: "update two attributes"
            case .delete: "delete all"
            }
        }

        var startsEmpty: Bool { self != .update && self != .delete }
    }

    /// - Returns: whether the bar holds.
    func run() throws -> Bool {
        let templates = try TemplateStore()
        defer { templates.remove() }
        var samples: [Step: [[Measurement]]] = [:]
        for size in sizes {
            let filled = try templates.filled(with: SourceData(authors: 1_000, books: size), name: "books-\(size)")
            for step in Step.allCases {
                let measured = try (1...rounds).map { _ in
                    try templates.withStore(copiedFrom: step.startsEmpty ? templates.empty : filled) { store in
                        try ChildProcess.run(["child-batch", step.rawValue, store.path, String(size)])
                    }
                }
                samples[step, default: []].append(measured)
            }
            try FileManager.default.removeItem(at: filled)
        }
        var holds = true
        let times = sizes.map { "\($0) rows, s" }
        let memory = sizes.map { "\($0) rows, peak MB" }
        var rows = [["batch"] + times + memory + ["ratio", "bar", "verdict"]]
        for step in Step.allCases {
            let measured = samples[step] ?? []
            let peaks = measured.map { $0.map(\.residentPerBook).median / 1e6 }
            let ratio = (peaks.last ?? 0) / max(peaks.first ?? 1, 1)
            holds = holds && ratio <= Self.memoryBar
            rows.append(
                [step.title] + measured.map { $0.map(\.seconds).median.printed(2) } + peaks.map { $0.printed(1) }
                    + [ratio.printed(2), Self.memoryBar.printed(1), ratio <= Self.memoryBar ? "holds" : "BROKEN"])
        }
        print("batch requests, \(rounds) rounds, medians; peak = highest resident set of the process\n")
        printTable(rows)
        return holds
    }

    /// One step in a child process.
    static func measure(_ step: String, store: String, count: Int) throws -> Measurement {
        guard let step = Step(rawValue: step) else { throw BenchmarkFailure(description: "unknown step \(step)") }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BookModel.make())
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: store),
            options: [NSPersistentHistoryTrackingKey: step == .insertWithHistory])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        var measurement = Measurement()
        try context.performAndWait {
            let request = request(step, count)
            let start = Stopwatch()
            try context.execute(request)
            start.stop(into: &measurement)
        }
        measurement.count = count
        measurement.residentPerBook = Double(Memory.highestResidentBytes)
        return measurement
    }

    private static func request(_ step: Step, _ count: Int) -> NSPersistentStoreRequest {
        var made = 0
        switch step {
        case .insertByDictionary, .insertWithHistory:
            return NSBatchInsertRequest(entityName: "Book") { (dictionary: NSMutableDictionary) in
                if made == count { return true }
                made += 1
                dictionary["title"] = "The book with the number \(made)"
                dictionary["isbn"] = "isbn-\(made)"
                dictionary["pages"] = made % 900
                dictionary["price"] = Double(made % 5_000) / 100
                dictionary["published"] = Date(timeIntervalSinceReferenceDate: Double(made))
                dictionary["rating"] = Float(made % 50) / 10
                return false
            }
        case .insertByObject:
            return NSBatchInsertRequest(entityName: "Book") { (object: NSManagedObject) in
                guard made < count, let book = object as? Book else { return true }
                made += 1
                book.fill(with: made, title: "The book with the number \(made)", isbn: "isbn-\(made)")
                return false
            }
        case .update:
            let request = NSBatchUpdateRequest(entityName: "Book")
            request.propertiesToUpdate = [
                "pages": NSExpression(format: "pages + 1"), "note": "of a batch",
            ]
            return request
        case .delete:
            return NSBatchDeleteRequest(fetchRequest: NSFetchRequest<Book>(entityName: "Book"))
        }
    }
}
