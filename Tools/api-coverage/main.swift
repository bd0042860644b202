import APICoverage
import Foundation

// api-coverage API.md notes.tsv graphs-folder [--check MIN]: see bin/api-coverage.

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("api-coverage: \(message)\n".utf8))
    exit(2)
}

var arguments = Array(CommandLine.arguments.dropFirst())
var minimum: Double?
if let place = arguments.firstIndex(of: "--check") {
    guard arguments.indices.contains(place + 1), let bar = Double(arguments[place + 1]) else {
        fail("--check takes a percentage")
    }
    minimum = bar
    arguments.removeSubrange(place...place + 1)
}
guard arguments.count == 3 else { fail("API.md, the notes and a folder of symbol graphs, please") }

do {
    let reference = try String(contentsOfFile: arguments[0], encoding: .utf8)
    let notes = try CoverageNotes(String(contentsOfFile: arguments[1], encoding: .utf8))
    let folder = URL(fileURLWithPath: arguments[2], isDirectory: true)
    var graph = SymbolGraph()
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    where file.lastPathComponent.hasSuffix(".symbols.json") {
        try graph.add(Data(contentsOf: file))
    }
    // Chapters 11 to 14 hold literals and what is later or elsewhere than Core Data.
    let report = CoverageReport(
        APIReference.entries(in: reference, excluding: [11, 12, 13, 14]), in: graph, notes: notes)
    guard report.overall.total > 0 else { fail("no symbols in \(arguments[0])") }
    print(report.text, terminator: "")
    if let minimum, report.overall.percentOfUses < minimum {
        fail("less than \(minimum) % of the uses are covered")
    }
} catch {
    fail("\(error)")
}
