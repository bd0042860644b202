/// How much of the reference the built module has.
public struct CoverageReport {
    /// A symbol that is not there.
    public struct Missing {
        public let entry: APIEntry
        public let symbol: APISymbol
        /// The capability that it waits for; nil where no note names one.
        public let waitsFor: String?
    }

    /// Counts of symbols, plain and weighted. Symbols of one entry share its weight.
    public struct Tally: Sendable {
        public fileprivate(set) var present = 0
        public fileprivate(set) var total = 0
        public fileprivate(set) var outOfScope = 0
        public fileprivate(set) var presentProjects = 0.0
        public fileprivate(set) var projects = 0.0
        public fileprivate(set) var presentUses = 0.0
        public fileprivate(set) var uses = 0.0

        /// Percent of the uses that the surveyed projects make of the symbols in scope.
        public var percentOfUses: Double { Self.percent(presentUses, uses) }
        /// Percent, where each symbol weighs as many as projects use it.
        public var percentOfProjects: Double { Self.percent(presentProjects, projects) }
        /// Percent of the symbols in scope.
        public var percentOfSymbols: Double { Self.percent(Double(present), Double(total)) }

        private static func percent(_ part: Double, _ whole: Double) -> Double { whole == 0 ? 100 : part / whole * 100 }

        fileprivate mutating func count(_ entry: APIEntry, isPresent: Bool, sharedBy symbols: Int) {
            let share = 1 / Double(symbols)
            total += 1
            projects += share * Double(entry.projects)
            uses += share * Double(entry.uses)
            guard isPresent else { return }
            present += 1
            presentProjects += share * Double(entry.projects)
            presentUses += share * Double(entry.uses)
        }
    }

    /// The groups in the reference's order, with their tallies.
    public private(set) var groups: [(name: String, tally: Tally)] = []
    public private(set) var overall = Tally()
    public private(set) var missing: [Missing] = []
    public private(set) var present: [APISymbol] = []
    /// What will not be there, with the reason.
    public private(set) var outOfScope: [(entry: APIEntry, symbols: Int, reason: String)] = []

    public init(_ entries: [APIEntry], in graph: SymbolGraph, notes: CoverageNotes) {
        var seen: Set<APISymbol> = []
        for entry in entries {
            var symbols: [APISymbol]?
            var capability: String?
            var reason: String?
            for verdict in notes.verdicts(for: entry) {
                switch verdict {
                case .symbols(let given): symbols = symbols ?? given
                case .waits(let name): capability = capability ?? name
                case .out(let text): reason = reason ?? text
                }
            }
            let named = symbols ?? SymbolText.symbols(in: entry.text, owner: entry.owner)
            // What was named before counts once; a type's own line comes first.
            let wanted = named.filter { seen.insert($0).inserted }
            if let reason {
                tally(entry.group) { $0.outOfScope += wanted.count }
                outOfScope.append((entry, wanted.count, reason))
                continue
            }
            for symbol in wanted {
                let isPresent = graph.contains(symbol)
                tally(entry.group) { $0.count(entry, isPresent: isPresent, sharedBy: wanted.count) }
                if isPresent { present.append(symbol) }
                if !isPresent { missing.append(Missing(entry: entry, symbol: symbol, waitsFor: capability)) }
            }
        }
    }

    private mutating func tally(_ group: String, _ change: (inout Tally) -> Void) {
        change(&overall)
        if groups.last?.name != group { groups.append((group, Tally())) }
        change(&groups[groups.count - 1].tally)
    }
}

extension CoverageReport {
    /// The report as text: a table by class, the overall figures, what is missing by capability, what is out of scope.
    public var text: String {
        var lines = [Self.row("class", "symbols", "projects", "uses")]
        for (name, tally) in groups { lines.append(Self.row(name, tally)) }
        lines.append(Self.row("overall", overall))
        lines.append("")
        lines.append("projects: each symbol weighs as many as surveyed projects use it; uses: as often as they use it.")
        lines.append("Out of scope, not counted: \(overall.outOfScope) symbols.")
        for (capability, symbols) in missingByCapability {
            lines.append("\nmissing, \(capability):")
            for symbol in symbols {
                lines.append("  \(symbol.symbol)  [\(symbol.entry.projects)/\(symbol.entry.uses)]")
            }
        }
        lines.append("\nout of scope:")
        for (entry, symbols, reason) in outOfScope where symbols > 0 {
            lines.append("  \(entry.group): \(entry.text.prefix(90)) (\(symbols)): \(reason)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The most used first; what waits for nothing is the first group.
    private var missingByCapability: [(String, [Missing])] {
        let byName = Dictionary(grouping: missing) { $0.waitsFor.map { "waits for \($0)" } ?? "waits for nothing" }
        return byName.map { name, symbols in
            (name, symbols.enumerated().sorted { Self.rank($0) > Self.rank($1) }.map(\.element))
        }.sorted { Self.rank($0) > Self.rank($1) }
    }

    private static func rank(_ item: (offset: Int, element: Missing)) -> (Int, Int, Int) {
        (item.element.entry.projects, item.element.entry.uses, -item.offset)
    }

    private static func rank(_ group: (String, [Missing])) -> (Int, Int, String) {
        (group.0 == "waits for nothing" ? 1 : 0, group.1.reduce(0) { $0 + $1.entry.projects }, group.0)
    }

    private static func row(_ name: String, _ tally: Tally) -> String {
        row(
            name, "\(tally.present)/\(tally.total)", percent(tally.percentOfProjects, of: tally.projects),
            percent(tally.percentOfUses, of: tally.uses))
    }

    private static func percent(_ value: Double, of whole: Double) -> String {
        whole == 0 ? "–" : "\((value * 10).rounded() / 10) %"
    }

    private static func row(_ name: String, _ columns: String...) -> String {
        let name = name.count > 48 ? String(name.prefix(47)) + "…" : name
        return columns.reduce(name + String(repeating: " ", count: 48 - name.count)) { line, column in
            line + String(repeating: " ", count: max(1, 11 - column.count)) + column
        }
    }
}
