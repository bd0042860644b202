/// Which symbols of a list a module declares with the listed signature.
///
/// A line of the list is `symbol<tab>declaration`. A symbol is the path of its page: names in small letters with `/`
/// between them, and a suffix such as `-4i37e` or `-swift.struct` where two pages would have one path.
public struct SignatureReport {
    /// What the report says of a symbol.
    enum Verdict {
        /// There, with the listed signature.
        case declared
        /// There under this name, with another signature: the declarations.
        case otherwise([String])
        case missing
        /// Not there, for a reason of the notes.
        case excused(String)
    }

    /// A symbol of the list.
    struct Entry {
        let symbol: String
        let declaration: String
        let signature: Signature
        /// The path of the type that has it.
        let owner: String
        /// The kind that the symbol's suffix names, such as `struct`.
        let kind: String?
    }

    private(set) var verdicts: [(entry: Entry, verdict: Verdict)] = []
    /// Patterns of the notes that fit no symbol which is missing.
    private(set) var idlePatterns: [String] = []

    public init(_ list: String, in declared: DeclaredSignatures, notes: SignatureNotes) {
        var used: Set<String> = []
        var counts: [String: Int] = [:]
        for entry in list.split(separator: "\n").dropFirst().compactMap({ Self.entry(String($0)) }) {
            var verdict = Self.verdict(entry, in: declared, seen: &counts)
            if case .declared = verdict {
            } else {
                for rule in notes.rules {
                    for pattern in rule.patterns where SignatureNotes.fits(pattern, entry.symbol) {
                        used.insert(pattern)
                        verdict = .excused(rule.reason)
                    }
                }
            }
            verdicts.append((entry, verdict))
        }
        idlePatterns = notes.rules.flatMap(\.patterns).filter { !used.contains($0) }
    }

    /// - Returns: Nil for a line that names a group of pages.
    private static func entry(_ line: String) -> Entry? {
        let fields = line.split(separator: "\t").map(String.init)
        guard fields.count == 2, let signature = Signature(fields[1]) else { return nil }
        let path = fields[0].split(separator: "/")
        let owner = path.dropLast().map { $0.replacing(/-(swift\.[a-z.]+|[0-9a-z]{3,6})$/, with: "") }
        let kind = path.last?.firstMatch(of: /-swift\.([a-z.]+)$/).map { String($0.1) }
        return Entry(
            symbol: fields[0], declaration: fields[1], signature: signature, owner: owner.joined(separator: "/"),
            kind: kind)
    }

    /// Lines with one signature differ by constraints, which the list does not have: each needs a declaration.
    private static func verdict(
        _ entry: Entry, in declared: DeclaredSignatures, seen counts: inout [String: Int]
    ) -> Verdict {
        let members = declared.members(of: entry.owner)
        let equal = members.filter { $0.signature == entry.signature && hasKind($0, entry) }
        let key = "\(entry.owner) \(entry.signature)"
        counts[key, default: 0] += 1
        if equal.count >= counts[key]! || declared.isDerived(entry.signature, of: entry.owner) { return .declared }
        let alike = members.filter {
            $0.signature.name == entry.signature.name && ($0.signature.kind == entry.signature.kind)
                && ($0.signature.labels == entry.signature.labels || entry.signature.kind != "init")
                && $0.signature != entry.signature
        }
        return alike.isEmpty ? .missing : .otherwise(alike.map(\.text))
    }

    private static func hasKind(_ declaration: DeclaredSignatures.Declaration, _ entry: Entry) -> Bool {
        guard entry.signature.kind == "type", let kind = entry.kind else { return true }
        return declaration.typeKind == kind
    }

    /// Whether the module declares everything that no note excuses, and the notes excuse nothing else.
    public var isWhole: Bool {
        idlePatterns.isEmpty
            && verdicts.allSatisfy {
                switch $0.verdict {
                case .declared, .excused: true
                case .otherwise, .missing: false
                }
            }
    }

    /// The report as text: a line for each symbol. What differs comes last.
    public var text: String {
        var declared: [String] = []
        var excused: [(reason: String, symbols: [String])] = []
        var missing: [String] = []
        var otherwise: [String] = []
        for (entry, verdict) in verdicts {
            switch verdict {
            case .declared: declared.append("  \(entry.symbol)")
            case .excused(let reason):
                if excused.last?.reason != reason, !excused.contains(where: { $0.reason == reason }) {
                    excused.append((reason, []))
                }
                excused.firstIndex { $0.reason == reason }.map { excused[$0].symbols.append("  \(entry.symbol)") }
            case .missing: missing.append("  \(entry.symbol): \(entry.declaration)")
            case .otherwise(let texts):
                otherwise.append("  \(entry.symbol): \(entry.declaration)")
                otherwise += texts.map { "      here: \($0.replacing("\n", with: " "))" }
            }
        }
        let differing = otherwise.count { !$0.hasPrefix("   ") }
        var lines = ["declared: \(declared.count)"] + declared
        for (reason, symbols) in excused { lines += ["", "out of scope, \(reason): \(symbols.count)"] + symbols }
        if !idlePatterns.isEmpty { lines += ["", "notes that excuse nothing:"] + idlePatterns.map { "  \($0)" } }
        lines += ["", "declared otherwise: \(differing)"] + otherwise
        lines += ["", "missing: \(missing.count)"] + missing
        return lines.joined(separator: "\n") + "\n"
    }
}
