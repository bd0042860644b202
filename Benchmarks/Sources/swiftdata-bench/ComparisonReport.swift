import CBaseline
import Foundation

/// Runs the works of models beside those of `@NSManaged` objects, and compares them with the bars. The order of the two
/// sides is another one in each round.
struct ComparisonReport {
    var books = 100_000
    var rounds = 5
    /// The numbers of insertions between which growth is measured.
    var sizes = [10_000, 100_000]
    /// How many books are enumerated.
    var enumerated = 1_000_000
    /// The rows of the table that are measured, by the names of their bars; nil for all.
    var names: Set<String>?

    /// The names of the bars, in the order of the table.
    static let barNames =
        ComparedWork.ratios.map(\.work.rawValue)
        + [
            "translation", "appends", "growth", "bytes-beyond-object", "peak.enumerate", "container", "stall",
            "compile",
        ]
    static let classes = 50

    private let bars: KeptFigures

    init() throws { bars = try KeptFigures(KeptFigures.models) }

    /// One row of the table: figures of both sides, and what has the bar.
    private struct Row {
        let name: String
        let title: String
        /// Of the rounds, for the models and for the objects; empty where a side does not do the work.
        let models: [Double]
        let objects: [Double]
        let unit: String
        /// What the bar is for, in each round.
        let figures: [Double]
    }

    /// - Returns: whether every bar holds.
    func run() throws -> Bool {
        let templates = try TemplateStore { _ = try ModelWorks.container($0) }
        defer { templates.remove() }
        var rows = try ratios(templates)
        rows += try [translation(templates), appends(templates), growth(templates), bytes(templates)].compactMap { $0 }
        rows += try [peak(templates), container(templates), stall(templates), compile(templates)].compactMap { $0 }
        var holds = true
        var table = [["\(books) books, \(rounds) rounds", "models", "objects", "", "bar is for", "rounds", "bar", ""]]
        for row in rows {
            let bar = bars[row.name]?.value ?? 0
            let isKept = row.figures.median <= bar
            holds = holds && isKept
            func cell(_ values: [Double]) -> String { values.isEmpty ? "" : values.median.printed(3) }
            table.append([
                row.title, cell(row.models), cell(row.objects), row.unit, row.figures.median.printed(2),
                Spread(row.figures).printed(2), bar.printed(2), isKept ? "holds" : "BROKEN",
            ])
        }
        print("models of SwiftData beside objects of @NSManaged classes; medians, and the bar for the median\n")
        printTable(table)
        return holds
    }

    private func isMeasured(_ name: String) -> Bool { names?.contains(name) ?? true }

    // MARK: Ratios of processor time

    private func ratios(_ templates: TemplateStore) throws -> [Row] {
        let wanted = ComparedWork.ratios.filter { isMeasured($0.work.rawValue) }
        if wanted.isEmpty { return [] }
        let data = SourceData(authors: max(books / 100, 1), books: books)
        let filled = try templates.filled(with: data, name: "filled")
        var starts: [ComparedWork.Start: URL] = [.empty: templates.empty, .filled: filled]
        if wanted.contains(where: { $0.work.start == .history }) {
            let store = try templates.copy(of: filled, name: "history.sqlite")
            try ObjectWorks.makeHistory(of: store)
            try templates.checkpoint(store)
            starts[.history] = store
        }
        var samples: [ComparedWork: [Side: [Measurement]]] = [:]
        for _ in 1...rounds {
            for (work, title) in wanted {
                for side in Side.allCases.shuffled() {
                    samples[work, default: [:]][side, default: []].append(
                        try measure(side, work, books: books, from: starts[work.start] ?? filled, templates))
                }
                let sums = Side.allCases.compactMap { samples[work]?[$0]?.last }
                guard sums[0].count == sums[1].count, abs(sums[0].checksum - sums[1].checksum) < 1 else {
                    throw BenchmarkFailure(description: "\(title): \(sums[0].checksum) and \(sums[1].checksum)")
                }
            }
        }
        return wanted.map { work, title in
            let models = samples[work]?[.models]?.map(\.cpuSeconds) ?? []
            let objects = samples[work]?[.objects]?.map(\.cpuSeconds) ?? []
            return Row(
                name: work.rawValue, title: title, models: models, objects: objects, unit: "CPU s",
                figures: zip(models, objects).map { $0 / max($1, 1e-9) })
        }
    }

    /// One work in a process of its own, on a copy of a store.
    private func measure(
        _ side: Side, _ work: ComparedWork, books: Int, from store: URL, _ templates: TemplateStore
    ) throws -> Measurement {
        try templates.withStore(copiedFrom: store) { store in
            try ChildProcess.run(["child", side.rawValue, work.rawValue, store.path, String(books)])
        }
    }

    /// What a fetch by `#Predicate` takes beyond one by a format: translation, and the fetch of models around it.
    private func translation(_ templates: TemplateStore) throws -> Row? {
        guard isMeasured("translation") else { return nil }
        let filled = try templates.filled(with: SourceData(authors: max(books / 100, 1), books: books), name: "counted")
        var times: [Side: [Double]] = [:]
        for _ in 1...rounds {
            for side in Side.allCases.shuffled() {
                let measured = try measure(side, .countByRange, books: books, from: filled, templates)
                times[side, default: []].append(measured.cpuSeconds / Double(ComparedWork.translations) * 1e6)
            }
        }
        let (models, objects) = (times[.models] ?? [], times[.objects] ?? [])
        return Row(
            name: "translation", title: "count by #Predicate, by format", models: models, objects: objects,
            unit: "µs", figures: zip(models, objects).map { $0 - $1 })
    }

    // MARK: Growth

    private func appends(_ templates: TemplateStore) throws -> Row? {
        guard isMeasured("appends") else { return nil }
        let count = ComparedWork.manyMembers
        var (few, many): ([Double], [Double]) = ([], [])
        for _ in 1...rounds {
            let thousands = try measure(.models, .appendThousands, books: count, from: templates.empty, templates)
            few.append(thousands.cpuSeconds / Double(count / ComparedWork.fewMembers))
            many.append(try measure(.models, .append, books: count, from: templates.empty, templates).cpuSeconds)
        }
        return Row(
            name: "appends", title: "\(count) appends beside \(ComparedWork.fewMembers)", models: many, objects: [],
            unit: "CPU s", figures: zip(many, few).map { $0 / max($1, 1e-9) })
    }

    /// How the processor time for one insertion grows, beside the growth of the other side.
    private func growth(_ templates: TemplateStore) throws -> Row? {
        guard isMeasured("growth"), let few = sizes.first, let many = sizes.last else { return nil }
        var grown: [Side: [Double]] = [:]
        for _ in 1...rounds {
            for side in Side.allCases.shuffled() {
                func seconds(_ count: Int) throws -> Double {
                    try measure(side, .insertGenerated, books: count, from: templates.empty, templates).cpuSeconds
                        / Double(count)
                }
                grown[side, default: []].append(try seconds(many) / max(seconds(few), 1e-12))
            }
        }
        let (models, objects) = (grown[.models] ?? [], grown[.objects] ?? [])
        return Row(
            name: "growth", title: "insertions from \(few) to \(many)", models: models, objects: objects,
            unit: "times", figures: zip(models, objects).map { $0 / max($1, 1e-9) })
    }

    // MARK: Memory

    private func bytes(_ templates: TemplateStore) throws -> Row? {
        let name = "bytes-beyond-object"
        guard isMeasured(name) else { return nil }
        let filled = try templates.filled(with: SourceData(authors: max(books / 100, 1), books: books), name: "bytes")
        func bytes(_ side: Side) throws -> Double {
            try measure(side, .readAll, books: books, from: filled, templates).bytesPerBook
        }
        let (models, objects) = (try bytes(.models), try bytes(.objects))
        return Row(
            name: name, title: "a fetched model beyond its object", models: [models], objects: [objects],
            unit: "bytes", figures: [models - objects])
    }

    private func peak(_ templates: TemplateStore) throws -> Row? {
        let name = "peak.enumerate"
        guard isMeasured(name) else { return nil }
        let filled = try templates.filled(with: SourceData(authors: 1_000, books: enumerated), name: "enumerated")
        defer { try? FileManager.default.removeItem(at: filled) }
        let measured = try measure(.models, .enumerate, books: enumerated, from: filled, templates)
        guard measured.count == enumerated else {
            throw BenchmarkFailure(description: "\(measured.count) books were enumerated")
        }
        let megabytes = [measured.peakBytes / 1e6]
        return Row(
            name: name, title: "enumerate \(enumerated), peak", models: megabytes, objects: [], unit: "MB",
            figures: megabytes)
    }

    // MARK: Launch

    /// A container for many classes over a new store, the first one of its process.
    private func container(_ templates: TemplateStore) throws -> Row? {
        guard isMeasured("container") else { return nil }
        let milliseconds = try (1...rounds).map { round in
            let store = templates.folder.appendingPathComponent("classes-\(round).store")
            return try ChildProcess.run(
                ["child", Side.models.rawValue, ComparedWork.container.rawValue, store.path, "1"]
            ).cpuSeconds * 1_000
        }
        return Row(
            name: "container", title: "container of \(ManyModels.types.count) models, first time", models: milliseconds,
            objects: [], unit: "CPU ms", figures: milliseconds)
    }

    // MARK: By the clock

    private func stall(_ templates: TemplateStore) throws -> Row? {
        guard isMeasured("stall") else { return nil }
        let filled = try templates.filled(
            with: SourceData(authors: 100, books: ComparedWork.changes), name: "stall")
        var stalls: [Side: [Double]] = [:]
        for _ in 1...rounds {
            for side in Side.allCases.shuffled() {
                let measured = try measure(side, .stall, books: ComparedWork.changes, from: filled, templates)
                stalls[side, default: []].append(measured.highLatency * 1_000)
            }
        }
        let (models, objects) = (stalls[.models] ?? [], stalls[.objects] ?? [])
        return Row(
            name: "stall", title: "stall of main, \(ComparedWork.changes) saved by an actor", models: models,
            objects: objects, unit: "ms", figures: zip(models, objects).map { $0 / max($1, 1e-9) })
    }

    // MARK: Compiling

    private func compile(_ templates: TemplateStore) throws -> Row? {
        guard isMeasured("compile") else { return nil }
        let classes = try CompiledClasses(
            classes: Self.classes, in: templates.folder.appendingPathComponent("classes"))
        var seconds: [Side: [Double]] = [:]
        for _ in 1...min(rounds, 3) {
            for side in Side.allCases.shuffled() { seconds[side, default: []].append(try classes.compile(side)) }
        }
        let (models, observable) = (seconds[.models] ?? [], seconds[.objects] ?? [])
        return Row(
            name: "compile", title: "compile \(Self.classes) models, @Observable classes", models: models,
            objects: observable, unit: "CPU s", figures: zip(models, observable).map { $0 / max($1, 1e-9) })
    }
}
