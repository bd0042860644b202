import CoreData

/// Looks at a copy of a store and mends it, until nothing is left that can be.
final class StoreRepair {
    private let store: OpenedStore
    /// What was mended, and how.
    private(set) var mended: [(finding: StoreFinding, action: String)] = []
    /// What is still wrong.
    private(set) var left: [StoreFinding] = []
    /// What is mended may bring to light, or bring about, what was not to be seen before.
    private static let passes = 4

    /// - Parameter store: a store that nobody else uses.
    init(_ store: OpenedStore) { self.store = store }

    func run() throws {
        left = try found()
        for _ in 0..<Self.passes {
            let findings = left.filter { $0.mend != nil }
            if findings.isEmpty { return }
            let done = try StoreMender(store).mend(findings)
            if done.isEmpty { return }
            left = try found()
            let lines = Set(left.map(\.line))
            for (place, finding) in findings.enumerated() {
                if let action = done[place], !lines.contains(finding.line) { mended.append((finding, action)) }
            }
        }
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
