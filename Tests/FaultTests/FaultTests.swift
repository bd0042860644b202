import Foundation
import Synchronization
import TestSupport
import Testing

/// Real processes whose calls of the C library fail. With `bin/test --long` each call of each operation does. Otherwise
/// some do in each operation, and seeds one after the other choose all kinds of calls.
@Suite(
    "Faults of the machine", .serialized, .onDisk,
    .enabled(if: FaultLibrary.obstacle == nil, "\(FaultLibrary.obstacle ?? "")"))
struct FaultTests {
    @Test(
        "a call that fails, falls short or waits: the store is the older or the newer, and the result is right",
        arguments: FaultLibrary.operations)
    func call(_ operation: FaultOperation) throws {
        let fixture = try FaultFixture.of(operation)
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
        if Sample.isWhole { print(Fault.table("\(operation)", Fault.kinds, faults, results)) }
    }

    /// All faults that the operation can meet, or a few of them.
    private static func faults(_ fixture: FaultFixture) -> [Fault] {
        var numbers = Sample.generator("\(fixture.operation)")
        let all = Fault.all(Fault.kinds, fixture.counts, using: &numbers) { call, kind, count in
            // Whatever gives a file its name is a place of its own.
            if ["rename", "exchange"].contains(call), count <= 4 { return nil }
            if !Sample.isWhole || kind == "rough" { return 1 }
            // An operation has thousands of allocations.
            return kind == "delay" ? 5 : call == "allocation" ? min(count, 400) : nil
        }
        if !Sample.isWhole { return sample(of: all, fixture) }
        return FaultLibrary.most < all.count ? Array(all.shuffled(using: &numbers).prefix(FaultLibrary.most)) : all
    }

    /// A few of the faults. Those that all code for files must stand are always among them. Of the remaining faults,
    /// calls that are few are more likely: a fault in the framework's own code has few calls to show at.
    private static func sample(of all: [Fault], _ fixture: FaultFixture) -> [Fault] {
        let always: Set = ["any rough", "write \(ENOSPC)", "put \(ENOSPC)", "rename \(EIO)", "exchange \(EIO)"]
        var (chosen, rare, frequent): ([Fault], [Fault], [Fault]) = ([], [], [])
        for fault in all {
            if always.contains("\(fault.call) \(fault.kind)") {
                chosen.append(fault)
            } else if fixture.counts[fault.call] ?? 0 <= 10 {
                rare.append(fault)
            } else {
                frequent.append(fault)
            }
        }
        let name = "\(fixture.operation)"
        return chosen + Sample.slice(rare, oneIn: 6, name) + Sample.slice(frequent, oneIn: 12, name)
    }
}

/// Work that several threads share.
enum Spread {
    static func over<Item: Sendable, Result: Sendable>(
        _ items: [Item], _ body: @escaping @Sendable (Item) -> Result
    ) -> [Result] {
        let results = Mutex([Int: Result]())
        let next = Mutex(0)
        @Sendable func work() {
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
        let group = DispatchGroup()
        // Threads do not take over a task's values.
        let isOnDisk = TemporaryPlace.isOnDisk
        for _ in 0..<min(items.count, 2) {
            Thread.detachNewThread(in: group) { TemporaryPlace.$isOnDisk.withValue(isOnDisk) { work() } }
        }
        group.wait()
        return results.withLock { found in items.indices.compactMap { found[$0] } }
    }
}
