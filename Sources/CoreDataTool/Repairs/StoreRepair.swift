import CoreData

/// Verifies a copy of a store and repairs it, until no finding is left that can be repaired.
final class StoreRepair {
    private let store: ResolvedStore
    /// The repaired findings, with the actions.
    private(set) var repaired: [(finding: StoreFinding, action: String)] = []
    /// The findings that remain.
    private(set) var left: [StoreFinding] = []
    /// A repair may show, or cause, findings that were not there before, so the store is checked again.
    private static let passes = 4

    /// - Parameter store: a store that no other process uses.
    init(_ store: ResolvedStore) { self.store = store }

    func run() throws {
        left = try found()
        // A finding that one pass could not repair cannot be repaired by the next ones, either.
        var tried: Set<String> = []
        for _ in 0..<Self.passes {
            let open = left.filter { $0.repair != nil && !tried.contains(Self.key($0)) }
            // A derived value is often right as soon as its source is.
            let others = open.filter { $0.kind != .derived }
            let findings = others.isEmpty ? open : others
            if findings.isEmpty { return }
            let done = try RepairPass(store).repair(findings)
            tried.formUnion(findings.map(Self.key))
            left = try found()
            let keys = Set(left.map(Self.key))
            for (place, finding) in findings.enumerated() where !keys.contains(Self.key(finding)) {
                repaired.append((finding, done[place] ?? Self.consequence))
            }
            for finding in open where finding.kind == .derived && !others.isEmpty && !keys.contains(Self.key(finding)) {
                repaired.append((finding, Self.consequence))
            }
        }
    }

    private static let consequence = "as it should be now"

    /// The key that distinguishes findings. For a derived value the computed value is not part of it.
    private static func key(_ finding: StoreFinding) -> String {
        finding.kind == .derived ? "\(finding.object ?? "").\(finding.property ?? "")" : finding.line
    }

    private func found() throws -> [StoreFinding] {
        try Interruption.check()
        let context = try store.context()
        var findings: [StoreFinding] = []
        try context.performAndWait {
            var verification = StoreVerification(store: store, context: context) { findings.append($0) }
            _ = try verification.run()
        }
        return findings
    }
}
