import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

@Suite("coredata fetch")
struct FetchCommandTests {
    @Test(
        "Every entity of every real store that keeps its model is printed as lines of JSON; the store stays as it was",
        .enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
    func corpus() throws {
        try withTemporaryFolder { folder in
            var printed = 0
            for (number, path) in Sample.slice(Corpus.stores, oneIn: 10, "fetch").enumerated() {
                let own = folder.appendingPathComponent("\(number)")
                try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
                let store = try Corpus.copyStore(path, to: own)
                let before = try Data(contentsOf: store)
                let info = try ToolRun(["info", store.path, "--json"])
                if info.status == 3, info.errors.contains("keeps no copy of its model") { continue }
                try #require(info.status == 0, "\(path): \(info.errors)")
                let entities = (try info.json() as? [String: Any])?["entities"] as? [[String: Any]] ?? []
                for entity in entities where entity["isAbstract"] as? Bool == false {
                    let name = entity["name"] as? String ?? ""
                    let run = try ToolRun(["fetch", store.path, name, "-f", "ndjson", "--no-subentities"])
                    try #require(run.status == 0, "\(path) \(name): \(run.errors)")
                    let lines = run.output.split(separator: "\n")
                    #expect(lines.count == entity["count"] as? Int, "\(path) \(name)")
                    for line in lines {
                        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                        #expect((object?["@id"] as? String)?.hasPrefix("\(name)/") == true)
                        printed += 1
                    }
                }
                #expect(try Data(contentsOf: store) == before, "\(path)")
            }
            #expect(printed > (Sample.isWhole ? 1_000 : 0))
        }
    }
}
