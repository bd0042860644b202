import CoreData
import Foundation
import TestSupport
import Testing

/// Two, four and eight programs that launch with one store at the same moment, with each adapter.
@Suite("Programs that launch at the same moment", .serialized)
struct ContestedLaunchTests {
    private static let rounds = isLong ? 50 : 1
    private static let items = isLong ? 200 : 40

    @Test(
        "Every one gets ready, and all rows are there once",
        arguments: ["launch", "inferred", "mapping", "mapping xml", "mapping binary", "stages"])
    func launches(_ way: String) throws {
        try withTemporaryFolder { folder in
            let contest = try Contest(try ChildProgram.url("launch-child"), count: 8, gunIn: folder)
            let suffix = way.split(separator: " ").dropFirst().first.map(String.init) ?? "sqlite"
            let type = ["xml": NSXMLStoreType, "binary": NSBinaryStoreType][suffix] ?? NSSQLiteStoreType
            let template = folder.appendingPathComponent("template", isDirectory: true)
            try FileManager.default.createDirectory(at: template, withIntermediateDirectories: true)
            let (store, target) = (template.appendingPathComponent("n.\(suffix)"), Self.target(way))
            switch way {
            case "launch", "inferred": try LaunchStores.make(at: store, books: Self.items)
            case "stages": try DepotModels.fill(store, DepotModels.stages[0], items: Self.items)
            default: try DepotModels.fill(store, DepotModels.versions[1], items: Self.items, type: type)
            }
            var expected: [String]?
            for count in [1, 2, 4, 8] {
                var refused = 0
                for round in 0..<(count == 1 ? 1 : Self.rounds) {
                    let place = folder.appendingPathComponent("\(count)-\(round)", isDirectory: true)
                    try FileManager.default.copyItem(at: template, to: place)
                    let copy = place.appendingPathComponent("n.\(suffix)")
                    let failures = try contest.run(count, way, copy).compactMap(\.failure)
                    #expect(failures.count < count, "\(failures)")
                    for failure in failures {
                        #expect(contest.processes.contains { failure.contains(" \($0)") }, "\(failure)")
                    }
                    refused += failures.count
                    let lines = try StoreText.lines(copy, ModelText.model(target), type: type)
                    if let expected {
                        #expect(lines == expected, "\(count) processes, round \(round)")
                    } else {
                        expected = lines
                    }
                    // A program may be closing its store, and remove files at the same time.
                    try? FileManager.default.removeItem(at: place)
                }
                if isLong {
                    print("\(way), \(count) processes: \(Self.rounds) rounds, rows exact; \(refused) named errors")
                }
            }
        }
    }

    private static func target(_ way: String) -> String {
        switch way {
        case "launch", "inferred": CrashModels.newer
        case "stages": DepotModels.stages[3]
        default: DepotModels.versions[2]
        }
    }
}
