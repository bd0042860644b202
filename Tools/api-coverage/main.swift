import APICoverage
import Foundation

// api-coverage API.md notes.tsv graphs-folder tests-folder [--check [MIN]]: see bin/api-coverage.
// api-coverage signatures list.tsv notes.tsv graphs-folder [--check]: the same for a list of signatures.
// api-coverage additions graphs-folder: see bin/additions.

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("api-coverage: \(message)\n".utf8))
    exit(2)
}

var arguments = Array(CommandLine.arguments.dropFirst())
var minimum: Double?
if let place = arguments.firstIndex(of: "--check") {
    arguments.remove(at: place)
    minimum = 0
    if arguments.indices.contains(place) {
        guard let bar = Double(arguments[place]) else { fail("--check takes a percentage") }
        minimum = bar
        arguments.remove(at: place)
    }
}
func files(in folder: String, endingWith ending: String) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
        at: URL(fileURLWithPath: folder, isDirectory: true), includingPropertiesForKeys: nil
    ).filter { $0.lastPathComponent.hasSuffix(ending) }
}

do {
    if arguments.first == "additions", arguments.count == 2 {
        var additions = Additions()
        for file in try files(in: arguments[1], endingWith: ".symbols.json") {
            try additions.add(Data(contentsOf: file))
        }
        print(additions.table)
        exit(0)
    }
    if arguments.first == "signatures", arguments.count == 4 {
        let list = try String(contentsOfFile: arguments[1], encoding: .utf8)
        let notes = try SignatureNotes(String(contentsOfFile: arguments[2], encoding: .utf8))
        var declared = DeclaredSignatures()
        for file in try files(in: arguments[3], endingWith: ".symbols.json") {
            try declared.add(Data(contentsOf: file))
        }
        let report = SignatureReport(list, in: declared, notes: notes)
        print(report.text, terminator: "")
        if minimum != nil, !report.isWhole { fail("not everything is declared as it is listed") }
        exit(0)
    }
    guard arguments.count == 4 else { fail("API.md, the notes, a folder of symbol graphs and one of tests, please") }
    let reference = try String(contentsOfFile: arguments[0], encoding: .utf8)
    let notes = try CoverageNotes(String(contentsOfFile: arguments[1], encoding: .utf8))
    var graph = SymbolGraph()
    for file in try files(in: arguments[2], endingWith: ".symbols.json") { try graph.add(Data(contentsOf: file)) }
    let tests = try files(in: arguments[3], endingWith: ".swift").map { try String(contentsOf: $0, encoding: .utf8) }
    // Chapters 11 to 14 hold literals and what is later or elsewhere than Core Data.
    let report = CoverageReport(
        APIReference.entries(in: reference, excluding: [11, 12, 13, 14]), in: graph, notes: notes)
    guard report.overall.total > 0 else { fail("no symbols in \(arguments[0])") }
    print(report.text, terminator: "")
    let named = NamedSymbols(sources: tests)
    let unnamed = report.present.filter { !named.contains($0) }
    print("\nthere, but not named in \(arguments[3]): \(unnamed.count)")
    for symbol in unnamed { print("  \(symbol)") }
    if let minimum, report.overall.percentOfUses < minimum {
        fail("less than \(minimum) % of the uses are covered")
    }
    if minimum != nil, !unnamed.isEmpty { fail("\(arguments[3]) does not name every symbol that is there") }
} catch {
    fail("\(error)")
}
