import Foundation
import TestSupport
import Testing

// The statements of the two lists of differences, checked against the sources of the tests that they name.
@Suite("The lists of deviations")
struct DeviationsTests {
    private static let list = "DEVIATIONS.md"
    /// The article with the table of what users of SwiftData suffer.
    private static let plans = "Documentation/SwiftDataPlans.md"
    /// This list is a page of the site, which does not have the tests. So it names them without links.
    private static let databases = "Sources/CoreDataPostgreSQL/CoreDataPostgreSQL.docc/DifferencesFromSQLite.md"

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: Toolchain.package.appendingPathComponent(path), encoding: .utf8)
    }

    /// The cells of each row of a list, with the number of the row's line.
    private static func rows(_ path: String) throws -> [(line: Int, cells: [String])] {
        try text(path).split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
            guard $1.hasPrefix("| ") else { return nil }
            let parts = $1.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
            return ($0 + 1, parts.map { $0.trimmingCharacters(in: .whitespaces) })
        }
    }

    @Test(
        "Every link to a test leads to a file with a function of that name", arguments: [(list, 500), (plans, 12)])
    func links(path: String, least: Int) throws {
        var sources: [String: String] = [:]
        var count = 0
        for link in try Self.text(path).matches(of: #/\[(\w+)\]\((?:\.\./)?(Tests/[^)]+)\)/#) {
            let (name, path) = (String(link.output.1), String(link.output.2))
            if sources[path] == nil { sources[path] = try? Self.text(path) }
            #expect(sources[path]?.contains("func \(name)(") == true, "\(name) in \(path)")
            count += 1
        }
        #expect(count > least)
    }

    @Test("The table of what users of SwiftData suffer has thirteen rows, each with a test")
    func sufferings() throws {
        let rows = try Self.rows(Self.plans).filter { Int($0.cells[0]) != nil }
        #expect(rows.map { $0.cells[0] } == (1...13).map { "\($0)" })
        for (line, cells) in rows { #expect(cells.last?.contains("](../Tests/") == true, "\(Self.plans):\(line)") }
    }

    @Test("Every test that the list without links names is a function in a file of that name")
    func names() throws {
        let names = try Self.rows(Self.databases).flatMap { line, cells in
            cells[3].matches(of: #/`(\w+)\.(\w+)`/#).map { (line, String($0.output.1), String($0.output.2)) }
        }
        #expect(names.count > 150)
        let wanted = Set(names.map(\.1))
        let tests = FileManager.default.enumerator(
            at: Toolchain.package.appendingPathComponent("Tests"), includingPropertiesForKeys: nil)
        var sources: [String: String] = [:]
        while let file = tests?.nextObject() as? URL {
            let name = file.deletingPathExtension().lastPathComponent
            guard file.pathExtension == "swift", wanted.contains(name) else { continue }
            sources[name, default: ""] += try String(contentsOf: file, encoding: .utf8)
        }
        for (line, file, function) in names {
            let isThere = sources[file]?.contains("func \(function)(") == true
            #expect(isThere, "\(Self.databases):\(line): \(file).\(function)")
        }
    }

    @Test("Every row has four cells, and stands alone: no cell begins with a pronoun", arguments: [list, databases])
    func rows(path: String) throws {
        let pronouns: Set<Substring> = ["It", "They", "Its", "Their", "There", "So", "Also"]
        let rows = try Self.rows(path)
        #expect(rows.count > 200)
        for (line, cells) in rows {
            #expect(cells.count == 4, "\(path):\(line)")
            for cell in cells.prefix(2) {
                let first = cell.prefix { $0.isLetter }
                #expect(!cell.isEmpty && !pronouns.contains(first), "\(path):\(line): \(cell)")
            }
        }
    }
}
