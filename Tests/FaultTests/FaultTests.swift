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
        arguments: FaultLibrary.operations)
    func call(_ operation: FaultOperation) throws {
        let fixture = try FaultFixture(operation)
        let faults = Self.faults(fixture)
        let results = Spread.over(faults) { fault in
            do { return try fixture.meet(fault) } catch {
                return FaultFixture.Trial(outcome: .missed, problems: ["\(operation), \(fault): \(error)"])
            }
        }
        for result in results {
            for problem in result.problems { Issue.record("\(problem)") }
        }
        #expect(results.contains { $0.outcome != .missed })
        if FaultLibrary.isLong { print(Fault.table("\(operation)", Fault.kinds, faults, results)) }
    }

    /// All faults that the operation can meet, or a few of them.
    private static func faults(_ fixture: FaultFixture) -> [Fault] {
        var numbers = SplitMix(state: 20_261_127)
        let all = Fault.all(Fault.kinds, fixture.counts, using: &numbers) { call, kind, count in
            if !FaultLibrary.isLong { return 1 }
            // An operation has thousands of allocations.
            return kind == "delay" ? 5 : call == "allocation" ? min(count, 400) : nil
        }
        let most = FaultLibrary.isLong ? FaultLibrary.most : 8
        return most < all.count ? Array(all.shuffled(using: &numbers).prefix(most)) : all
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
