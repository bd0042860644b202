import CoreData
import Foundation
import SwiftData
import TestSupport
import Testing

/// Predicates of SwiftData find the models for which plain Swift says that they hold.
@Suite("Predicates of SwiftData")
struct SwiftDataPredicateTests {
    /// Runs a body with the fleets of all states, in a file and in memory.
    private func withFleets(_ body: (Fleet, String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            for place in [folder, nil] {
                for state in Fleet.State.allCases {
                    try body(try Fleet(state, in: place), "\(state) in \(place == nil ? "memory" : "a file")")
                }
            }
        }
    }

    @Test("Each predicate of the table finds the models of the judge, by SQL and by evaluation")
    func table() throws {
        var count = 0
        try withFleets { fleet, state in
            let all = try fleet.vehicles()
            let cases = PredicateCases.all(fleet.ids)
            count = cases.count
            for one in cases {
                let name = "\(state): \(try PredicateText.of(one))"
                let expected = all.filter { one.judge($0) }.map(\.code).sorted()
                let found = try fleet.found(one.predicate)
                #expect(found == expected, "\(name)")
                let evaluated = try all.filter { try one.predicate.evaluate($0) }.map(\.code).sorted()
                #expect(evaluated == expected, "evaluated, \(name)")
                let descriptor = FetchDescriptor(predicate: one.predicate)
                #expect(try fleet.context.fetchCount(descriptor) == expected.count, "\(name)")
            }
        }
        #expect(count >= 120)
    }

    @Test("The store decides the predicates of the table that have SQL, and the program the other ones")
    func deciders() throws {
        try withTemporaryFolder { folder in
            for place in [folder, nil] {
                let fleet = try Fleet(.saved, in: place)
                for one in PredicateCases.all(fleet.ids) {
                    let name = try PredicateText.of(one)
                    let explanation = try fleet.context.explanation(of: FetchDescriptor(predicate: one.predicate))
                    let deciders = Set(explanation.conditions.map { $0.decider == .store })
                    let decider: PredicateCase.Decider =
                        deciders.count == 2 ? .both : deciders == [true] ? .store : .program
                    #expect(decider == one.decider, "\(name): \(explanation)")
                }
            }
        }
    }

    /// With `OPENCOREDATA_RENEW` in the environment the table goes into the document.
    @Test("The document has the table of this suite")
    func document() throws {
        let file = Toolchain.package.appendingPathComponent("Documentation/SwiftDataPredicates.md")
        var text = try String(contentsOf: file, encoding: .utf8)
        let head = "| predicate | decided by | condition of the store |"
        let table = ([head, "|---|---|---|"] + (try rows())).joined(separator: "\n")
        if ProcessInfo.processInfo.environment["OPENCOREDATA_RENEW"] != nil, let start = text.range(of: head) {
            text.replaceSubrange(start.lowerBound..., with: table + "\n")
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(text.hasSuffix(table + "\n"), "The table of the suite is:\n\(table)")
    }

    private func rows() throws -> [String] {
        try withTemporaryFolder { folder in
            let fleet = try Fleet(.saved, in: folder)
            return try PredicateCases.all(fleet.ids).map { one in
                let explanation = try fleet.context.explanation(of: FetchDescriptor(predicate: one.predicate))
                let conditions = explanation.conditions.filter { $0.decider == .store }.map(\.text)
                let decider = one.decider == .both ? "store and program" : "\(one.decider)"
                let stored = Self.withoutIdentifiers(conditions.joined(separator: " AND "))
                return Self.row(try PredicateText.of(one), decider, stored)
            }
        }
    }

    private static func row(_ predicate: String, _ decider: String, _ condition: String) -> String {
        func code(_ text: String) -> String {
            text.isEmpty ? "" : "`" + text.replacingOccurrences(of: "|", with: "\\|") + "`"
        }
        return "| \(code(predicate)) | \(decider) | \(code(condition)) |"
    }

    /// The text with one name for all identifiers, which differ from store to store.
    private static func withoutIdentifiers(_ text: String) -> String {
        text.replacing(/0x[0-9a-f]+ <[^>]*>/, with: "…")
            .replacing(/\(?<NSEntityDescription: 0x[0-9a-f]+>\) name (\w+), .*?subentities \[[^\]]*\]/) { "\($0.1)" }
            // A set has another order in each process.
            .replacing(/IN {([^}]*)}/) { "IN {" + $0.1.split(separator: ", ").sorted().joined(separator: ", ") + "}" }
    }
}

/// Reads the text of a case's predicate from the source of the test.
enum PredicateText {
    private static let files = Locked<[String: [Substring]]>([:])

    static func of(_ one: PredicateCase) throws -> String {
        let lines = try files.withLock { known in
            if let lines = known[one.file] { return lines }
            let lines = try String(contentsOfFile: one.file, encoding: .utf8)
                .split(separator: "\n", omittingEmptySubsequences: false)
            known[one.file] = lines
            return lines
        }
        let rest = lines[(one.line - 1)...].prefix(2).joined(separator: " ")
        guard let start = rest.range(of: "#Predicate {") else { return rest }
        var depth = 1
        let end = rest[start.upperBound...].firstIndex { character in
            if character == "{" { depth += 1 }
            if character == "}" { depth -= 1 }
            return depth == 0
        }
        return rest[start.upperBound..<(end ?? rest.endIndex)].trimmingCharacters(in: .whitespaces)
    }
}
