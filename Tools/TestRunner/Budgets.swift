import Foundation

/// The processor time that each suite may take: the lines of `Tests/budgets.tsv`.
///
/// A machine that other programs use takes more processor time for the same work. Seconds are therefore counted in
/// units of a fixed work, which the runner does before each process that it starts.
struct Budgets {
    /// What a suite takes when it runs alone in a process.
    struct Row {
        var processor: Double
        var clock: Double
        var peak: Int
        /// How many times as much the suite may take with other samples.
        var times = 1.0
    }

    var rows: [String: Row] = [:]
    /// The seconds of the fixed work on the machine of the figures, when they were measured.
    var fixedWork = 0.0

    private static let mark = "# fixed work\t"

    init() {}

    init(file: String) throws {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return }
        for line in text.split(separator: "\n") {
            if line.hasPrefix(Self.mark) { fixedWork = Double(line.dropFirst(Self.mark.count)) ?? 0 }
            if line.hasPrefix("#") { continue }
            let fields = line.split(separator: "\t")
            guard (4...5).contains(fields.count), let processor = Double(fields[1]), let clock = Double(fields[2]),
                let peak = Int(fields[3]), let times = Double(fields.count == 5 ? fields[4] : "1")
            else { throw RunnerError("\(file): “\(line)” is not suite, processor seconds, seconds, MB, times") }
            rows[String(fields[0])] = Row(processor: processor, clock: clock, peak: peak, times: times)
        }
    }

    var text: String {
        let total = rows.values.reduce(0) { $0 + $1.processor }
        let head = """
            # What each suite takes alone in a process, as bin/test --times --renew writes it. A run fails if a suite takes
            # 30 % and a second more processor time. The last column is set by hand: how many times as much a suite may
            # take that plays samples, which differ from commit to commit.
            # suite\tprocessor seconds\tseconds\tMB of the largest process\ttimes
            # sum\t\(Self.decimal(total))
            \(Self.mark)\(String(format: "%.4f", fixedWork))

            """
        return head
            + rows.sorted { $0.key < $1.key }.map {
                "\($0.key)\t\(Self.decimal($0.value.processor))\t\(Self.decimal($0.value.clock))\t\($0.value.peak)"
                    + ($0.value.times == 1 ? "\n" : "\t\(Self.decimal($0.value.times))\n")
            }.joined()
    }

    static func decimal(_ value: Double) -> String { String(format: "%.1f", value) }

    /// What a process takes that runs no test. Budgets do not count it.
    static let emptyProcess = 0.7

    /// The processor time that some suites may take together in one process, where the fixed work takes so long: 30 %
    /// and a second more than their budgets.
    func limit(_ suites: [Suite], fixedWork now: Double) -> Double {
        let usual = suites.reduce(0) { $0 + (rows[$1.name].map { $0.processor * $0.times } ?? 0) }
        let slower = fixedWork > 0 ? max(1, now / fixedWork) : 1
        return (usual * 1.3 + 1 + Self.emptyProcess) * slower
    }

    /// Does the fixed work once. Returns the seconds of processor time that it took.
    static func doFixedWork() -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = now()
        var words: [String: Int] = [:]
        var state: UInt64 = 1
        for _ in 0..<8_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1
            words["word \(state >> 50)", default: 0] += 1
        }
        precondition(!words.isEmpty)
        return now() - start
    }
}
