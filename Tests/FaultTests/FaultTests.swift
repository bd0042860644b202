import Foundation
import Synchronization
import TestSupport
import Testing

/// Real processes whose calls of the C library fail. With OPENCOREDATA_LONG each call of each operation does, otherwise
/// some of them.
@Suite(
    "Faults of the machine", .serialized,
    .enabled(if: FaultLibrary.obstacle == nil, "\(FaultLibrary.obstacle ?? "")"))
struct FaultTests {
    @Test(
        "a call that fails, falls short or waits: the store is the older or the newer, and the program is told which",
        arguments: FaultOperation.allCases)
    func call(_ operation: FaultOperation) throws {
        let bench = try FaultBench(operation)
        let faults = Self.faults(bench)
        let results = Spread.over(faults) { fault in
            do { return try bench.meet(fault) } catch {
                return FaultBench.Trial(outcome: .missed, problems: ["\(operation), \(fault): \(error)"])
            }
        }
        for result in results {
            for problem in result.problems { Issue.record("\(problem)") }
        }
        #expect(results.contains { $0.outcome != .missed })
        if FaultLibrary.isLong { Self.printTable(operation, faults, results) }
    }

    /// All faults that the operation can meet, or a few of them.
    private static func faults(_ bench: FaultBench) -> [Fault] {
        var numbers = SplitMix(state: 20_261_127)
        var all: [Fault] = []
        for (call, kinds) in Fault.kinds {
            guard let count = bench.counts[call], count > 0 else { continue }
            for kind in kinds {
                // An operation has thousands of allocations.
                let samples =
                    !FaultLibrary.isLong ? 1 : kind == "delay" ? 5 : call == "allocation" ? min(count, 400) : nil
                let chosen =
                    samples.map { (0..<$0).map { _ in .random(in: 1...count, using: &numbers) } } ?? Array(1...count)
                all += chosen.map { Fault(call: call, kind: kind, number: $0) }
            }
        }
        return FaultLibrary.isLong ? all : Array(all.shuffled(using: &numbers).prefix(8))
    }

    private static func printTable(_ operation: FaultOperation, _ faults: [Fault], _ results: [FaultBench.Trial]) {
        var text = "faults of \(operation):"
        for (call, kinds) in Fault.kinds {
            for kind in kinds {
                let some = zip(faults, results).filter { $0.0.call == call && $0.0.kind == kind }.map(\.1)
                if some.isEmpty { continue }
                let outcomes = FaultBench.Outcome.allCases.map { outcome in
                    "\(some.count { $0.outcome == outcome }) \(outcome)"
                }
                let problems = some.count { !$0.problems.isEmpty }
                let name = "\(call) \(Int32(kind).map { String(cString: strerror($0)) } ?? kind)"
                text += "\n  \(name): \(outcomes.joined(separator: ", ")), \(problems) wrong"
            }
        }
        print(text)
    }
}

/// Work that several threads share.
enum Spread {
    static func over<Item: Sendable, Result: Sendable>(
        _ items: [Item], _ body: @escaping @Sendable (Item) -> Result
    ) -> [Result] {
        let results = Mutex([Int: Result]())
        let next = Mutex(0)
        let group = DispatchGroup()
        for _ in 0..<min(items.count, 2) {
            Thread.detachNewThread(in: group) {
                while true {
                    let place = next.withLock { number in
                        defer { number += 1 }
                        return number
                    }
                    guard place < items.count else { return }
                    let result = body(items[place])
                    results.withLock { $0[place] = result }
                }
            }
        }
        group.wait()
        return results.withLock { found in items.indices.compactMap { found[$0] } }
    }
}
