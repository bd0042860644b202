import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Two, four and eight processes that open, or migrate, one store at the same moment.
@Suite("Processes that migrate a store at the same moment", .serialized)
struct ContestedMigrationTests {
    private static let isLong = ProcessInfo.processInfo.environment["OPENCOREDATA_LONG"] != nil
    private static let rounds = isLong ? 50 : 1
    fileprivate static let items = isLong ? 200 : 40

    /// A way of migrating: how the store is filled, and of which model it is in the end.
    struct Way: Sendable, CustomStringConvertible {
        var description: String
        var suffix = "sqlite"
        var version: String
        var target: String

        var type: String { ["xml": NSXMLStoreType, "binary": NSBinaryStoreType][suffix] ?? NSSQLiteStoreType }

        func fill(_ url: URL) throws {
            if version == CrashModels.older {
                try withStore(url, ModelText.model(version)) { _ in }
                try RawDatabase(url).execute(
                    "BEGIN; \(CrashModels.makeRows(books: items)) COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
            } else {
                try DepotModels.fill(url, version, items: items, type: type)
            }
        }

        func lines(_ url: URL) throws -> [String] { try StoreText.lines(url, ModelText.model(target), type: type) }
    }

    private static let ways = [
        Way(description: "place", version: CrashModels.older, target: CrashModels.newer),
        Way(description: "resources 3", version: DepotModels.versions[0], target: DepotModels.versions[3]),
        Way(description: "stages", version: DepotModels.stages[0], target: DepotModels.stages[3]),
        Way(description: "plain stages", version: DepotModels.stages[0], target: DepotModels.stages[3]),
        Way(
            description: "resources 3", suffix: "xml", version: DepotModels.versions[0], target: DepotModels.versions[3]
        ),
        Way(
            description: "resources 3", suffix: "binary", version: DepotModels.versions[0],
            target: DepotModels.versions[3]),
    ]

    @Test("All rows are there once, and every process opens the store or names the program at work", arguments: ways)
    func opening(_ way: Way) throws {
        try withTemporaryFolder { folder in
            let program = try DepotProgram.install(in: folder)
            try DepotProgram.addResources(to: folder, DepotModels.mapping())
            let contest = try Contest(program, count: 8, gunIn: folder)
            let template = folder.appendingPathComponent("template", isDirectory: true)
            try FileManager.default.createDirectory(at: template, withIntermediateDirectories: true)
            let name = "Depot.\(way.suffix)"
            try way.fill(template.appendingPathComponent(name))
            var expected: [String]?
            for count in [1] + Sample.slice([2, 4, 8], oneIn: 3, "\(way)\(way.suffix)") {
                var refused = 0
                for round in 0..<(count == 1 ? 1 : Self.rounds) {
                    let place = folder.appendingPathComponent("\(count)-\(round)", isDirectory: true)
                    try FileManager.default.copyItem(at: template, to: place)
                    let store = place.appendingPathComponent(name)
                    let outcomes = try contest.run(count, way.description, store)
                    let failures = outcomes.compactMap(\.failure)
                    #expect(failures.count < count, "\(failures)")
                    for failure in failures { expectNames(failure, contest) }
                    refused += failures.count
                    let lines = try way.lines(store)
                    if let expected {
                        #expect(lines == expected, "\(count) processes, round \(round)")
                    } else {
                        expected = lines
                    }
                    let left = try FileManager.default.contentsOfDirectory(atPath: place.path).filter {
                        $0 != name && $0 != ".Depot_SUPPORT" && $0 != name + "-wal" && $0 != name + "-shm"
                    }
                    #expect(left.isEmpty, "\(left)")
                    try FileManager.default.removeItem(at: place)
                }
                Self.report("\(way) \(way.suffix), \(count) processes", refused: refused)
            }
        }
    }

    @Test(
        "one pass of a mapping model into a destination is made, all later ones are refused with the reason",
        arguments: ["sqlite", "xml", "binary"])
    func passes(_ suffix: String) throws {
        try withTemporaryFolder { folder in
            let program = try DepotProgram.install(in: folder)
            let contest = try Contest(program, count: 8, gunIn: folder)
            let template = folder.appendingPathComponent("template", isDirectory: true)
            try FileManager.default.createDirectory(at: template, withIntermediateDirectories: true)
            try DepotModels.fill(
                template.appendingPathComponent("Depot.sqlite"), DepotModels.versions[1], items: Self.items)
            let type = ["xml": NSXMLStoreType, "binary": NSBinaryStoreType][suffix] ?? NSSQLiteStoreType
            var expected: [String]?
            for count in [1] + Sample.slice([2, 4, 8], oneIn: 3, suffix) {
                var named = 0
                for round in 0..<(count == 1 ? 1 : Self.rounds) {
                    let place = folder.appendingPathComponent("\(count)-\(round)", isDirectory: true)
                    try FileManager.default.copyItem(at: template, to: place)
                    let outcomes = try contest.run(
                        count, "pass \(suffix)", place.appendingPathComponent("Depot.sqlite"))
                    let failures = outcomes.compactMap(\.failure)
                    #expect(failures.count == count - 1, "\(failures)")
                    for failure in failures {
                        #expect(failure.hasPrefix("failed \(NSMigrationManagerDestinationStoreError) "), "\(failure)")
                        if failure.contains("has everything already") { continue }
                        named += 1
                        expectNames(failure, contest)
                    }
                    let destination = place.appendingPathComponent("Filled.\(suffix)")
                    let lines = try StoreText.lines(destination, DepotModels.model(2), type: type)
                    if let expected {
                        #expect(lines == expected, "\(count) processes, round \(round)")
                    } else {
                        expected = lines
                        #expect(lines.count == Self.items + 17)
                    }
                    #expect(
                        try FileManager.default.contentsOfDirectory(atPath: place.path).filter {
                            $0.contains("migration") || $0.contains("saving") || $0.contains("associations")
                        }.isEmpty)
                    try FileManager.default.removeItem(at: place)
                }
                Self.report("pass \(suffix), \(count) processes", refused: named)
            }
        }
    }

    private func expectNames(_ failure: String, _ contest: Contest) {
        let names = contest.processes.contains { failure.contains("process \($0)") || failure.contains(" \($0)") }
        #expect(names, "\(failure)")
    }

    private static func report(_ way: String, refused: Int) {
        if isLong { print("\(way): \(rounds) rounds, rows exact; \(refused) ended with an error that names a process") }
    }
}
