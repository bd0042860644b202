import CBaseline
import Foundation
import Synchronization

/// Counts the instructions of each work beside those of plain C, under callgrind: figures that no other work on the
/// machine changes.
///
/// Only the thread that does the work is counted. Work of the store in the background, such as copying its -wal,
/// happens at other places each time.
struct InstructionsReport {
    let works: [Work]

    static let books = 1_000
    /// The numbers of books between which growth is counted.
    static let growthSizes = [10_000, 100_000]
    /// How many percent the instructions for one object may grow more than plain C's, or than those of sorting.
    static let growthTolerance = 5.0
    /// How many percent a ratio may be above the one that is kept.
    static let tolerance = 2.0
    /// How often a work is counted that would be refused or renewed; the least counts. Sets of objects are ordered by
    /// addresses, which differ from process to process: by 1.7 % of the instructions where 1,000 objects move.
    static let counts = 3

    /// Prints a table of every work.
    ///
    /// A work that takes fewer instructions than it did holds as well: a change that makes one faster fails no check.
    /// The table asks for its figure to be renewed.
    ///
    /// - Returns: whether no work takes more instructions than it did.
    func run(renewing: Bool) throws -> Bool {
        var kept = try KeptFigures(KeptFigures.instructions)
        let templates = try TemplateStore()
        defer { templates.remove() }
        let program = try countedProgram(templates)
        let starts = try templates.starts(of: works, with: SourceData(authors: Self.books / 100, books: Self.books))
        let limits = works.map { work in
            renewing
                ? -Double.infinity : kept[work.rawValue].map { $0.value * (1 + ($0.tolerance ?? Self.tolerance) / 100) }
        }
        // Other work on the machine does not change the counts.
        let counted = Mutex<[Int: Result<(c: Double, coreData: Double), any Error>]>([:])
        DispatchQueue.concurrentPerform(iterations: works.count) { place in
            let work = works[place]
            func instructions(of contender: Contender) throws -> Double {
                try templates.withStore(copiedFrom: starts[work.start] ?? templates.empty) {
                    try count(contender, work, books: Self.books, store: $0, by: program)
                }
            }
            let result = Result {
                let plainC = max(try instructions(of: .c), 1)
                var coreData = try instructions(of: .coreData)
                for _ in 1..<Self.counts where coreData / plainC > limits[place] ?? .infinity {
                    coreData = min(coreData, try instructions(of: .coreData))
                }
                return (c: plainC, coreData: coreData)
            }
            counted.withLock { $0[place] = result }
        }
        let figures = try counted.withLock { counted in try works.indices.compactMap { try counted[$0]?.get() } }
        var holds = true
        var rows = [
            ["instructions, \(Self.books) books", "C, thousands", "Core Data", "ratio", "kept", "%", "verdict"]
        ]
        for (work, (plainC, coreData)) in zip(works, figures) {
            let figure = kept[work.rawValue]
            let tolerance = figure?.tolerance ?? Self.tolerance
            let ratio = coreData / plainC
            let difference = figure.map { (ratio / $0.value - 1) * 100 }
            holds = holds && difference.map { $0 <= tolerance } ?? false
            let verdict: String
            switch difference {
            case .none: verdict = "not kept"
            case .some(tolerance.nextUp...): verdict = "BROKEN"
            case .some(..<(-tolerance)): verdict = "better, renew"
            case .some: verdict = "holds"
            }
            rows.append([
                work.title, (plainC / 1e3).printed(0), (coreData / 1e3).printed(0), ratio.printed(3),
                figure?.value.printed(3) ?? "none", difference?.printed(1) ?? "",
                verdict,
            ])
            kept.renew(work.rawValue, ratio)
        }
        printTable(rows)
        if renewing {
            try kept.write(to: KeptFigures.instructions, order: Work.allCases.map(\.rawValue), decimals: 3)
        }
        return holds
    }

    /// Prints how the instructions for one object grow from each size to the next, beside plain C's.
    ///
    /// - Returns: whether none grow more than plain C's, or than those of sorting where C's grow less.
    func runGrowth(sizes: [Int]) throws -> Bool {
        var counted: [Int: [Work: (c: Double, coreData: Double)]] = [:]
        for books in sizes {
            // The stores of a size go before those of the next are made.
            let templates = try TemplateStore()
            defer { templates.remove() }
            let program = try countedProgram(templates)
            let starts = try templates.starts(of: works, with: SourceData(authors: max(books / 100, 1), books: books))
            for work in works {
                func instructions(of contender: Contender) throws -> Double {
                    try templates.withStore(copiedFrom: starts[work.start] ?? templates.empty) {
                        try count(contender, work, books: books, store: $0, by: program)
                    } / Double(work.objects(amongBooks: books))
                }
                counted[books, default: [:]][work] = try (instructions(of: .c), instructions(of: .coreData))
            }
        }
        var holds = true
        var rows = [
            ["instructions for one object", "from", "to", "C", "Core Data", "ratio", "C, times", "Core Data, times"]
                + ["n log n", "beyond both, %", "verdict"]
        ]
        for (small, large) in zip(sizes, sizes.dropFirst()) {
            let sorting = log(Double(large)) / log(Double(small))
            for work in works {
                guard let before = counted[small]?[work], let after = counted[large]?[work] else { continue }
                let (c, coreData) = (after.c / before.c, after.coreData / before.coreData)
                let beyond = (coreData / max(c, sorting) - 1) * 100
                let isHeld = beyond <= Self.growthTolerance
                holds = holds && isHeld
                rows.append([
                    work.title, String(small), String(large), after.c.printed(0), after.coreData.printed(0),
                    (after.coreData / after.c).printed(2), c.printed(2), coreData.printed(2), sorting.printed(2),
                    beyond.printed(1), isHeld ? "holds" : "BROKEN",
                ])
            }
        }
        printTable(rows)
        return holds
    }

    /// This program as callgrind takes it.
    private func countedProgram(_ templates: TemplateStore) throws -> URL {
        guard baseline_can_count() != 0 else {
            throw BenchmarkFailure(
                description: "valgrind's headers were missing when this was built; bin/setup --valgrind")
        }
        // Valgrind refuses the debugging information that Swift writes.
        let program = templates.folder.appendingPathComponent("bench")
        _ = try ChildProcess.output(
            of: ChildProcess.env, ["strip", "--strip-debug", "-o", program.path, ChildProcess.executable.path])
        return program
    }

    /// The instructions of one contender's work.
    private func count(
        _ contender: Contender, _ work: Work, books: Int, store: URL, by program: URL
    ) throws -> Double {
        let file = store.appendingPathExtension("callgrind")
        defer { try? FileManager.default.removeItem(at: file) }
        _ = try ChildProcess.output(
            of: ChildProcess.env,
            [
                "valgrind", "--quiet", "--tool=callgrind", "--instr-atstart=no", "--collect-atstart=no",
                "--callgrind-out-file=\(file.path)", program.path, "child", contender.rawValue,
                work.rawValue, store.path, String(max(books / 100, 1)), String(books),
            ],
            // The order of sets and dictionaries is part of the work.
            environment: ["SWIFT_DETERMINISTIC_HASHING": "1"])
        let text = try String(contentsOf: file, encoding: .utf8)
        guard let line = text.split(separator: "\n").last(where: { $0.hasPrefix("totals:") }),
            let total = line.split(separator: " ").last.flatMap({ Double($0) }), total > 0
        else { throw BenchmarkFailure(description: "callgrind counted nothing in \(work.title)") }
        return total
    }
}
