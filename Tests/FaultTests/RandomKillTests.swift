import TestSupport
import Testing

/// Real processes, killed by SIGKILL at any moment of an operation, and at any call that changes a file. 60 times each
/// with `bin/test --long`, and otherwise at moments and calls that differ from commit to commit.
@Suite(
    "A kill at a random moment", .serialized, .onDisk,
    .enabled(if: FaultLibrary.obstacle == nil, "\(FaultLibrary.obstacle ?? "")"))
struct RandomKillTests {
    @Test(
        "The store is the older or the newer, nothing is left over, and an acknowledged write is there",
        arguments: FaultLibrary.operations)
    func kill(_ operation: FaultOperation) throws {
        let fixture = try FaultFixture.of(operation)
        var numbers = Sample.generator("\(operation)")
        // A few end before their moment has come.
        let moments = (0..<(Sample.isWhole ? 60 : 1)).map { _ in
            Int.random(in: 0...(fixture.duration + fixture.duration / 10), using: &numbers)
        }
        let calls = (0..<(Sample.isWhole ? 60 : 2)).map { _ in Fault.kill(among: fixture.counts, using: &numbers) }
        var results = Spread.over(moments) { moment in
            do { return try fixture.kill(after: moment) } catch {
                return FaultFixture.Trial(outcome: .missed, problems: ["\(operation), \(moment) µs: \(error)"])
            }
        }
        results += Spread.over(calls) { call in
            do { return try fixture.meet(call) } catch {
                return FaultFixture.Trial(outcome: .missed, problems: ["\(operation), \(call): \(error)"])
            }
        }
        for result in results {
            for problem in result.problems { Issue.record("\(problem)") }
        }
        #expect(results.count == moments.count + calls.count)
        if Sample.isWhole {
            print(
                "kills of \(operation) within \(fixture.duration) µs: \(results.count { $0.outcome == .killed }) killed, "
                    + "\(results.count { $0.outcome == .done }) done, \(results.count { !$0.problems.isEmpty }) wrong")
        }
    }
}
