import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// Processes that migrate an XML or a binary store over three hops, the second by a mapping model with a policy.
@Suite("Killing a process that migrates a store that is one file", .leavesNothingBehind, .serialized)
struct KilledFileMigrationTests {
    fileprivate static let items = 200

    /// A folder with the program, its resources, and a store of the first version.
    private struct Trial {
        let program: URL
        let store: URL
        let type: String
        let content: Data

        init(_ folder: URL, _ suffix: String) throws {
            program = try DepotProgram.install(in: folder)
            try DepotProgram.addResources(to: folder, DepotModels.mapping())
            type = suffix == "xml" ? NSXMLStoreType : NSBinaryStoreType
            store = folder.appendingPathComponent("store/Depot.\(suffix)")
            try FileManager.default.createDirectory(
                at: store.deletingLastPathComponent(), withIntermediateDirectories: true)
            try DepotModels.fill(store, DepotModels.versions[0], items: KilledFileMigrationTests.items, type: type)
            content = try Data(contentsOf: store)
        }

        func start(_ variable: String = "", _ value: String = "") throws -> Process {
            let process = AwaitedProcess()
            process.executableURL = program
            process.arguments = [store.path, "resources", "3"]
            process.standardOutput = FileHandle.nullDevice
            var environment = ProcessInfo.processInfo.environment
            if !variable.isEmpty { environment["OPENCOREDATA_TRIAL_\(variable)"] = value }
            process.environment = environment
            try process.run()
            return process
        }

        /// Whether the process ended by itself and well.
        func isDone(_ process: Process) -> Bool {
            process.waitUntilExit()
            return process.terminationReason == .exit && process.terminationStatus == 0
        }

        var isOlder: Bool { (try? Data(contentsOf: store)) == content }

        /// Nothing lies beside the store, which is of the last version and has every item.
        func expectMigrated(_ comment: Comment) throws {
            let sizes = try withStore(store, DepotModels.model(3), type: type) { context in
                let items = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item"))
                return items.compactMap { $0.value(forKey: "size") as? Int }.sorted()
            }
            #expect(sizes == (0..<KilledFileMigrationTests.items).map { $0 * 3 }, comment)
            expectNothingElse(comment)
        }

        func expectNothingElse(_ comment: Comment) {
            let names = try? FileManager.default.contentsOfDirectory(atPath: store.deletingLastPathComponent().path)
            #expect(names == [store.lastPathComponent], comment)
        }
    }

    @Test(
        "leaves the older file or the newer one; the next start ends the migration",
        arguments: Sample.slice(["xml", "binary"], oneIn: 2, "killed"))
    func killed(_ suffix: String) throws {
        try withTemporaryFolder { folder in
            let trial = try Trial(folder, suffix)
            let moments = [
                "folderLocked:1", "batchSaved:3", "copyStageDone:1", "batchSaved:12", "copyStageDone:3", "verified:1",
                "exchanged:1",
            ]
            // The newer file takes its place between the last two.
            for moment in Sample.slice(moments, oneIn: 7, suffix) + ["synchronized:1", "mainsExchanged:1"] {
                try trial.content.write(to: trial.store)
                #expect(try !trial.isDone(trial.start("KILL", moment)), "\(moment)")
                #expect(trial.isOlder != ["mainsExchanged:1", "exchanged:1"].contains(moment), "\(moment)")
                #expect(try trial.isDone(trial.start()), "\(moment)")
                try trial.expectMigrated("\(moment)")
            }
        }
    }

    @Test(
        "a full disk: the error is reported, and the file is as it was",
        arguments: Sample.slice(["xml", "binary"], oneIn: 2, "full"))
    func fullDisk(_ suffix: String) throws {
        try withTemporaryFolder { folder in
            let trial = try Trial(folder, suffix)
            for part in [0, 0.3, 0.9] {
                let limit = "\(Int(Double(trial.content.count) * part))"
                let process = try trial.start("FILE_LIMIT", limit)
                #expect(!trial.isDone(process) && process.terminationReason == .exit)
                #expect(trial.isOlder)
                trial.expectNothingElse("\(limit)")
            }
            #expect(try trial.isDone(trial.start()))
            try trial.expectMigrated("after full disks")
        }
    }

    @Test(
        "two processes at once: one migrates, the other waits and opens",
        arguments: Sample.slice(["xml", "binary"], oneIn: 2, "two"))
    func two(_ suffix: String) throws {
        try withTemporaryFolder { folder in
            let trial = try Trial(folder, suffix)
            for _ in 0..<(Sample.isWhole ? 3 : 1) {
                try trial.content.write(to: trial.store)
                let processes = [try trial.start(), try trial.start()]
                for process in processes { #expect(trial.isDone(process)) }
                try trial.expectMigrated("two at once")
            }
        }
    }
}
