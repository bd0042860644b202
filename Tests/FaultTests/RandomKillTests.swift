import TestSupport
import Testing

/// Real processes, killed by SIGKILL at any moment of an operation. 60 times for each operation with
/// `bin/test --long`, and otherwise at moments that differ from commit to commit.
@Suite(
    "A kill at a random moment", .serialized, .onDisk,
    .enabled(if: FaultLibrary.obstacle == nil, "\(FaultLibrary.obstacle ?? "")"))
struct RandomKillTests {
    @Test(
        "The store is the older or the newer, nothing is left over, and an acknowledged write is there",
        arguments: FaultLibrary.operations)
    func kill(_ operation: FaultOperation) throws {
        let fixture = try FaultFixture(operation)
        var numbers = Sample.generator("\(operation)")
        // A few end before their moment has come.
        let moments = (0..<(Sample.isWhole ? 60 : 2)).map { _ in
            Int.random(in: 0...(fixture.duration + fixture.duration / 10), using: &numbers)
        }
        let results = Spread.over(moments) { moment in
            do { return try fixture.kill(after: moment) } catch {
                return FaultFixture.Trial(outcome: .missed, problems: ["\(operation), \(moment) µs: \(error)"])
            }
        }
        for result in results {
            for problem in result.problems { Issue.record("\(problem)") }
        }
        #expect(results.count == moments.count)
        if Sample.isWhole {
            print(
                "kills of \(operation) within \(fixture.duration) µs: \(results.count { $0.outcome == .killed }) killed, "
                    + "\(results.count { $0.outcome == .done }) done, \(results.count { !$0.problems.isEmpty }) wrong")
        }
    }
}
