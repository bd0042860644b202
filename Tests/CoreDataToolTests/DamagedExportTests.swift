import CoreData
import Foundation
import TestSupport
import Testing

/// Exports with damage of every kind, read by the built program.
@Suite("coredata import of damaged exports")
struct DamagedExportTests {
    private static let seeds = Sample.seeds(12, long: 4000)

    /// Damages some places of an export: bytes, lines, numbers, levels. As many seeds one after the other as there are
    /// kinds of damage have every kind.
    private static func damaged(_ export: Data, _ seed: Int) -> Data {
        var random = SplitMix(state: UInt64(seed))
        var lines = export.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
        for number in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0..<lines.count, using: &random)
            let column = Int.random(in: 0...lines[place].count, using: &random)
            // Where a value begins, and where a number does. Within a text neither digits nor brackets count.
            let values = lines[place].indices.filter { lines[place][..<$0].suffix(2).elementsEqual("\":".utf8) }
            let numbers = values.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(lines[place][$0]) }
            let value = values.randomElement(using: &random) ?? column
            let digits = numbers.randomElement(using: &random) ?? value
            switch number == 0 ? seed % 9 : Int.random(in: 0..<9, using: &random) {
            case 0 where column < lines[place].count:
                lines[place][column] = UInt8.random(in: 0...255, using: &random)
            case 1: lines[place].removeSubrange(0..<column)
            case 2: lines[place].removeSubrange(column...)
            case 3: lines.insert(lines[place], at: Int.random(in: 0...lines.count, using: &random))
            case 4 where lines.count > 1: lines.remove(at: place)
            case 5: lines[place].insert(contentsOf: Array("1e999".utf8), at: digits)
            case 6: lines[place].insert(contentsOf: Array(repeating: UInt8(ascii: "["), count: 100_000), at: value)
            case 7: lines[place].insert(contentsOf: Array("\\ud800\\u0000".utf8), at: column)
            default:
                // Two lines that change places.
                lines.swapAt(place, Int.random(in: 0..<lines.count, using: &random))
            }
        }
        return Data(lines.joined(separator: [UInt8(ascii: "\n")]))
    }

    @Test("A damaged export makes a store, or an error and nothing", arguments: ["sqlite", "xml"])
    func damaged(type: String) throws {
        let folder = try TemporaryFolder()
        let store = try SampleStore.make(in: folder.url)
        let file = folder.url.appendingPathComponent("Library.jsonl")
        #expect(try ToolRun(["export", store.path, "-o", file.path]).status == 0)
        let export = try Data(contentsOf: file)
        var refused = 0
        for seed in Self.seeds {
            let place = folder.url.appendingPathComponent("import \(seed)")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
            let input = place.appendingPathComponent("damaged.jsonl")
            try Self.damaged(export, seed).write(to: input)
            let run = try ToolRun(["import", place.appendingPathComponent("New.\(type)").path, input.path])
            // Done, wrong use, unreadable, or a store that does not take the values.
            #expect([0, 2, 3, 5].contains(run.status), "seed \(seed): \(run.status) \(run.errors.suffix(500))")
            // A process that a signal stops has a status of the same numbers, and prints nothing or the cause of the
            // stop.
            let isSaid = !run.errors.isEmpty && !run.errors.contains("Fatal error") && !run.errors.contains("crashed")
            #expect(run.status == 0 || isSaid, "seed \(seed): \(run.errors.suffix(500))")
            let left = try FileManager.default.contentsOfDirectory(atPath: place.path)
            if run.status != 0 {
                refused += 1
                #expect(left == ["damaged.jsonl"], "seed \(seed): \(left)")
            }
            try FileManager.default.removeItem(at: place)
        }
        #expect(refused > Self.seeds.count / 4)
    }
}
