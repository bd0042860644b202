import Foundation
import TestSupport
import Testing

/// The files that a disk with a cache leaves after a loss of power. 1,000 times per operation with
/// `bin/test --long`, and otherwise some times that differ from commit to commit.
@Suite(
    "A loss of power", .serialized, .onDisk,
    .enabled(if: FaultLibrary.obstacle == nil, "\(FaultLibrary.obstacle ?? "")"))
struct PowerLossTests {
    /// An operation's calls to the disk, and the files before it.
    private struct Recording: @unchecked Sendable {  // values that do not change
        var events: [DiskEvent]
        var before: FolderContents

        /// The numbers of calls that end with a decisive one, by what that is. A database gives and takes away the same
        /// names again and again.
        let decisions: [[Int]]

        init(_ events: [DiskEvent], _ before: FolderContents) {
            (self.events, self.before) = (events, before)
            var places: [String: [Int]] = [:]
            for (place, event) in events.enumerated() {
                if let decision = event.decision { places[decision, default: []].append(place + 1) }
            }
            decisions = places.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    @Test(
        "The store is whole, as it was before or after; an acknowledged write is on the disk",
        arguments: FaultLibrary.operations)
    func loss(_ operation: FaultOperation) throws {
        let fixture = try FaultFixture.of(operation)
        let recording = try fixture.inCopy { folder in
            let before = try FolderContents(folder)
            let log = folder.deletingLastPathComponent().appendingPathComponent("log")
            let run = try FaultFixture.child(operation, folder, ["FAULTS_LOG": log.path])
            #expect(run.hasToldDone, "\(run)")
            return Recording(try DiskEvent.read(log, below: folder.path), before)
        }
        let losses = Spread.over(Sample.seeds(8, long: 1000)) { seed in
            do { return try Self.lose(fixture, recording, seed) } catch {
                return Loss(problem: "\(operation), seed \(seed): \(error)")
            }
        }
        let problems = losses.compactMap(\.problem)
        for problem in problems.prefix(8) { Issue.record("\(problem)") }
        #expect(problems.isEmpty, "\(problems.count) of \(losses.count)")
        if Sample.isWhole {
            print(
                "losses of power during \(operation): \(recording.events.count) calls that change something; "
                    + "\(losses.count { $0.left == .older }) older, \(losses.count { $0.left == .newer }) newer, "
                    + "\(losses.count { $0.left == .missing }) done and not there, \(problems.count) wrong")
        }
    }

    /// The files after a loss of power.
    private struct Loss: Sendable {
        enum Left: Sendable { case older, newer, missing }

        var left: Left?
        var problem: String?
    }

    /// Ends an operation at a random moment, and checks the store that a loss of power leaves.
    private static func lose(_ fixture: FaultFixture, _ recording: Recording, _ seed: Int) throws -> Loss {
        var numbers = SplitMix(state: UInt64(seed))
        var disk = SimulatedDisk(recording.before)
        var cut = Int.random(in: 0...recording.events.count, using: &numbers)
        // Behind some calls a program relies on those before: half of the losses come right there.
        if seed % 2 == 0, let places = recording.decisions.randomElement(using: &numbers) {
            cut = places.randomElement(using: &numbers) ?? cut
        }
        for event in recording.events.prefix(cut) { disk.take(event) }
        let isDone = recording.events.prefix(cut).contains { if case .done = $0 { true } else { false } }
        return try withTemporaryFolder { folder in
            try disk.lose(into: folder, &numbers)
            let store = folder.appendingPathComponent("store")
            var problem: String?
            func complain(_ what: String) {
                problem =
                    "\(fixture.operation), seed \(seed), behind \(cut) of \(recording.events.count) calls"
                    + "\(isDone ? ", of which one said “done”" : ""): \(what)"
            }
            var left: FaultFixture.Left?
            do { left = try fixture.complete(store, isPowerLost: true, complain) } catch {
                complain("the store cannot be opened: \(error)")
            }
            if left == .older, isDone {
                if !fixture.operation.isDurable { return Loss(left: .missing, problem: problem) }
                complain("it is not there")
            }
            return Loss(left: left == .newer ? .newer : .older, problem: problem)
        }
    }
}
