import CBaseline
import Foundation

/// Measures migrations: in place beside the SQL that would do, by a policy beside a C program that goes row by row.
struct MigrationReport {
    let sizes: [Int]
    let rounds: Int

    static let columns = 12
    /// How many times the time of the smallest store the largest one may take, when nothing is to be done per row.
    /// Times of some milliseconds differ by that much from run to run.
    static let instantBar = 2.0
    /// How many times the time of plain SQL a rewritten table may take.
    static let rewriteBar = 1.3
    /// How many times the time of a C program a policy may take, and how much memory.
    static let policyBar = 2.5
    static let memoryBar = 150.0

    /// The part of the whole time that may pass from cancelling to the error.
    static let cancelBar = 0.25
    /// The least number of events in a second.
    static let eventsBar = 10.0

    /// Figures of articles about Apple's framework: rows, seconds.
    static let articles = [(rows: 1_200, seconds: 120.0), (rows: 4_800, seconds: 540.0)]

    /// - Returns: whether the bars hold.
    func run() throws -> Bool {
        let templates = try TemplateStore()
        defer { templates.remove() }
        var stores: [(size: Int, store: URL)] = []
        for size in sizes {
            let data = SourceData(authors: 1_000, books: size)
            stores.append((size, try templates.filled(with: data, name: "books-\(size)")))
        }
        var holds = try addColumns(stores, templates)
        if let largest = stores.last {
            holds = try rewrite(largest.size, largest.store, templates) && holds
            holds = try follow(largest.size, largest.store, templates) && holds
            holds = try copyByPolicy(largest.size, largest.store, templates) && holds
        }
        try compareWithArticles(templates)
        return holds
    }

    private func addColumns(_ stores: [(size: Int, store: URL)], _ templates: TemplateStore) throws -> Bool {
        var rows = [["books", "12 × ALTER TABLE in C, ms", "Core Data, ms", "open without change, ms"]]
        var migrations: [Double] = []
        for (size, store) in stores {
            let seconds = try medians(["alter", "migrate", "open"], store, templates).mapValues { $0.seconds }
            migrations.append(seconds["migrate"] ?? 0)
            rows.append(
                [String(size)] + ["alter", "migrate", "open"].map { ((seconds[$0] ?? 0) * 1_000).printed(1) })
        }
        print("adding \(Self.columns) optional attributes to Book, \(rounds) rounds, medians\n")
        printTable(rows)
        let ratio = (migrations.last ?? 0) / max(migrations.first ?? 1, 1e-6)
        let holds = ratio <= Self.instantBar
        print("\nlargest beside smallest: \(ratio.printed(2)), bar \(Self.instantBar) \(verdict(holds))\n")
        return holds
    }

    private func rewrite(_ size: Int, _ store: URL, _ templates: TemplateStore) throws -> Bool {
        let measured = try medians(["rewrite-sql", "rewrite"], store, templates)
        let (sql, ours) = (measured["rewrite-sql"] ?? Measurement(), measured["rewrite"] ?? Measurement())
        let holds = ratio(ours, sql) <= Self.rewriteBar
        print("another type of an attribute: the table of \(size) books is rewritten\n")
        printTable([
            ["", "plain SQL, s", "Core Data, s", "plain SQL, CPU s", "Core Data, CPU s", "ratio", "bar", "verdict"],
            ["rewrite"] + times(sql, ours) + [
                ratio(ours, sql).printed(2), Self.rewriteBar.printed(1), verdict(holds),
            ],
        ])
        print("")
        return holds
    }

    private func follow(_ size: Int, _ store: URL, _ templates: TemplateStore) throws -> Bool {
        let measured = try medians(["follow", "cancel"], store, templates)
        let (whole, cancelled) = (measured["follow"] ?? Measurement(), measured["cancel"] ?? Measurement())
        let part = cancelled.seconds / max(whole.seconds, 1e-6)
        // A migration that ends before ten events were due has fewer.
        let events = whole.seconds < 1 ? max(whole.checksum, Self.eventsBar) : whole.checksum
        let (isTold, isQuick) = (events >= Self.eventsBar, part <= Self.cancelBar)
        print("the same migration of \(size) books followed, and cancelled when a third is done\n")
        printTable([
            [
                "whole, s", "events a second", "bar", "verdict", "cancelled in, s", "part of the whole", "bar",
                "verdict",
            ],
            [
                whole.seconds.printed(2), events.printed(0), Self.eventsBar.printed(0), verdict(isTold),
                cancelled.seconds.printed(3), part.printed(2), Self.cancelBar.printed(2), verdict(isQuick),
            ],
        ])
        print("")
        return isTold && isQuick
    }

    private func copyByPolicy(_ size: Int, _ store: URL, _ templates: TemplateStore) throws -> Bool {
        let measured = try medians(["copy-rows", "policy"], store, templates)
        let (inC, ours) = (measured["copy-rows"] ?? Measurement(), measured["policy"] ?? Measurement())
        let peak = ours.residentPerBook / 1e6
        let isFast = ratio(ours, inC) <= Self.policyBar
        let isSmall = peak < Self.memoryBar
        print("a policy for each of \(size) books with their authors, beside a C program that copies row by row\n")
        printTable([
            [
                "", "C, s", "Core Data, s", "C, CPU s", "Core Data, CPU s", "ratio", "bar", "verdict", "peak MB", "bar",
                "verdict",
            ],
            ["policy"] + times(inC, ours) + [
                ratio(ours, inC).printed(2), Self.policyBar.printed(1), verdict(isFast), peak.printed(1),
                Self.memoryBar.printed(0), verdict(isSmall),
            ],
        ])
        print("")
        return isFast && isSmall
    }

    private func compareWithArticles(_ templates: TemplateStore) throws {
        var rows = [["rows", "as articles measured elsewhere, s", "a policy here, s"]]
        for article in Self.articles {
            let data = SourceData(authors: 1_000, books: article.rows)
            let store = try templates.filled(with: data, name: "article-\(article.rows)")
            let measured = try medians(["policy"], store, templates)
            rows.append(
                [
                    String(article.rows), article.seconds.printed(0),
                    (measured["policy"]?.seconds ?? 0).printed(2),
                ])
        }
        print("migrations by a mapping model that articles complain about, and the same number of books here\n")
        printTable(rows)
    }

    /// The ratio by processor time: on a busy machine the time by the clock grows by chance.
    private func ratio(_ ours: Measurement, _ theirs: Measurement) -> Double {
        ours.cpuSeconds / max(theirs.cpuSeconds, 1e-6)
    }

    private func times(_ theirs: Measurement, _ ours: Measurement) -> [String] {
        [theirs.seconds, ours.seconds, theirs.cpuSeconds, ours.cpuSeconds].map { $0.printed(2) }
    }

    private func verdict(_ holds: Bool) -> String { holds ? "holds" : "BROKEN" }

    /// Each step in child processes of its own, in random order.
    private func medians(
        _ steps: [String], _ store: URL, _ templates: TemplateStore
    ) throws -> [String: Measurement] {
        var measured: [String: [Measurement]] = [:]
        for _ in 1...rounds {
            for step in steps.shuffled() {
                let measurement = try templates.withStore(copiedFrom: store) { store in
                    try ChildProcess.run(["child-migration", step, store.path])
                }
                measured[step, default: []].append(measurement)
            }
        }
        return measured.mapValues { all in
            var result = Measurement()
            result.seconds = all.map(\.seconds).median
            result.cpuSeconds = all.map(\.cpuSeconds).median
            result.residentPerBook = all.map(\.residentPerBook).median
            result.checksum = all.map(\.checksum).median
            return result
        }
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
        case "rewrite-sql":
            return try PlainC.measurement(of: baseline_rewrite_table(store))
        case "rewrite":
            return try Library.open(store, model: BookModel.make(pagesType: .doubleAttributeType), migrating: true)
        case "follow":
            return try CancelledMigration.follow(store, to: BookModel.make(pagesType: .doubleAttributeType))
        case "cancel":
            return try CancelledMigration.cancel(store, to: BookModel.make(pagesType: .doubleAttributeType))
        case "copy-rows":
            let copy = store + ".new"
            defer { try? FileManager.default.removeItem(atPath: copy) }
            return try PlainC.measurement(of: baseline_copy_rows(store, copy))
        case "policy":
            return try MappingReport.measure("policy", store: store, count: 0)
        default:
            throw BenchmarkFailure(description: "unknown step \(step)")
        }
    }
}
