import CoreData
import Foundation
import MigrationTestKit
import TestSupport
import Testing

/// Real processes that open one store at the same moment.
@Suite("Two processes in a trial", .serialized)
struct TwoProcessTrialTests {
    private func trial(_ start: Int, _ end: Int) throws -> MigrationTrial {
        var trial = MigrationTrial([start, end].map { ModelVersion("\($0)", DepotModels.model($0)) })
        trial.fill = { url, version in
            guard let number = Int(version.name), number < 2 else { throw CocoaError(.featureUnsupported) }
            try DepotModels.fill(url, DepotModels.versions[number], items: 60)
        }
        return trial
    }

    @Test("Both processes open the store in place, or one names the other at work, and the rows are exact")
    func inPlace() throws {
        var trial = try trial(0, 1)
        trial.child = try MigrationChild.program(named: "migration-crash-child")
        trial.childArguments = ["resources", "1"]
        for entry in try trial.twoProcesses(trial.versions) {
            #expect(entry.isGood && entry.rows == 77, "\(entry)")
            #expect(entry.name == "0 → 1, two processes" && entry.play == .twoProcesses)
        }
    }

    @Test("Both processes migrate a store into a copy, or one names the other at work, and the rows are exact")
    func byMappingModel() throws {
        try withTemporaryFolder { folder in
            var trial = try trial(1, 2)
            trial.child = try DepotProgram.install(in: folder)
            trial.childArguments = ["resources", "2"]
            try DepotProgram.addResources(to: folder, DepotModels.mapping(policy: nil))
            trial.mappingModels = [DepotModels.mapping(policy: nil)]
            let entries = try trial.twoProcesses(trial.versions)
            #expect(entries.count == 1 && entries.allSatisfy { $0.isGood && $0.rows == 77 }, "\(entries)")
        }
    }

    @Test("a way that is refused is refused to both, and the store is as it was")
    func refused() throws {
        var trial = try trial(1, 2)
        trial.child = try MigrationChild.program(named: "migration-crash-child")
        trial.childArguments = ["resources", "2"]
        let entry = try #require(try trial.twoProcesses(trial.versions).first)
        #expect(entry.refusal != nil && entry.problems.isEmpty && !entry.isClean, "\(entry)")
    }

    @Test("a child program that opens another version than the newest is found out")
    func anotherVersion() throws {
        var trial = try trial(0, 1)
        trial.child = try MigrationChild.program(named: "migration-crash-child")
        trial.childArguments = ["resources", "0"]
        let entry = try #require(try trial.twoProcesses(trial.versions).first)
        #expect(entry.problems.contains { $0.contains("it is not of “1”") }, "\(entry)")
    }

    @Test("The report without a child program says by name that this was not played")
    func notPlayed() throws {
        let versions = ["name string", "name string modifier x", "name string modifier y"].enumerated().map {
            ModelVersion("v\($0.offset)", ModelText.model("entity Item\n  \($0.element)"))
        }
        let report = try MigrationTrial(versions).run()
        #expect(report.isClean, "\(report)")
        #expect(report.notPlayed == ["v0, v1 → v2, two processes"])
        #expect("\(report)".contains("not played v0, v1 → v2, two processes"), "\(report)")
        #expect("\(report)".contains("1 not played"), "\(report)")
    }
}
