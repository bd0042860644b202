import CBaseline
import Foundation

/// Measures how long it takes to open a store whose model gained twelve optional attributes.
struct MigrationReport {
    let sizes: [Int]
    let rounds: Int

    static let columns = 12

    func run() throws {
        let templates = try TemplateStore()
        defer { templates.remove() }
        var rows = [["books", "12 × ALTER TABLE in C, ms", "Core Data, ms", "open without change, ms"]]
        for size in sizes {
            let data = SourceData(authors: 1_000, books: size)
            let filled = try templates.filled(with: data, name: "books-\(size)")
            var seconds: [String: [Double]] = [:]
            for _ in 1...rounds {
                for step in ["alter", "migrate", "open"].shuffled() {
                    let measurement = try templates.withStore(copiedFrom: filled) { store in
                        try ChildProcess.run(["child-migration", step, store.path])
                    }
                    seconds[step, default: []].append(measurement.seconds)
                }
            }
            rows.append(
                [String(size)]
                    + ["alter", "migrate", "open"].map { ((seconds[$0] ?? []).median * 1_000).printed(1) })
            try FileManager.default.removeItem(at: filled)
        }
        print("adding \(Self.columns) optional attributes to Book, \(rounds) rounds, medians\n")
        printTable(rows)
    }

    /// One step in a child process.
    static func measure(_ step: String, store: String) throws -> Measurement {
        switch step {
        case "alter":
            return try PlainC.measurement(of: baseline_add_columns(store, Int32(columns)))
        case "migrate":
            return try Library.open(store, model: BookModel.make(extraAttributes: columns), migrating: true)
        case "open":
            return try Library.open(store, model: BookModel.make(), migrating: false)
        default:
            throw BenchmarkFailure(description: "unknown step \(step)")
        }
    }
}
