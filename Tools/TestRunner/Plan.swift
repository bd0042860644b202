/// Divides suites among processes.
enum Plan {
    /// How much processor time a process gets at the most, unless one suite alone takes more. Starting one costs a part
    /// of a second, and a server where a suite needs one.
    private static let share = 60.0

    /// The jobs, the longest first.
    static func jobs(_ suites: [Suite], _ budgets: Budgets) -> [Job] {
        var jobs: [(suites: [Suite], clock: Double)] = []
        let groups = Dictionary(grouping: suites) { "\($0.module) \($0.library)" }
        for group in groups.values {
            var open: (suites: [Suite], processor: Double, clock: Double) = ([], 0, 0)
            func row(_ suite: Suite) -> Budgets.Row {
                budgets.rows[suite.name] ?? Budgets.Row(processor: 1, clock: 1, peak: 0)
            }
            for suite in group.sorted(by: { (row($0).processor, $0.name) > (row($1).processor, $1.name) }) {
                if !open.suites.isEmpty, open.processor + row(suite).processor > share {
                    jobs.append((open.suites, open.clock))
                    open = ([], 0, 0)
                }
                open.suites.append(suite)
                open.processor += row(suite).processor
                open.clock += row(suite).clock
            }
            if !open.suites.isEmpty { jobs.append((open.suites, open.clock)) }
        }
        jobs.sort { ($0.clock, $0.suites[0].name) > ($1.clock, $1.suites[0].name) }
        return jobs.enumerated().map { Job(number: $0.offset + 1, suites: $0.element.suites) }
    }

    /// One job for each suite.
    static func single(_ suites: [Suite]) -> [Job] {
        suites.enumerated().map { Job(number: $0.offset + 1, suites: [$0.element]) }
    }
}
