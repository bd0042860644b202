import Testing

@testable import CoreDataPort

@Suite("The rules of coredata port")
struct RuleTests {
    @Test("Each rule has a name of its own, a line that says what it does, and an example")
    func table() {
        let all = PortRule.rewriting + PortRule.reporting
        #expect(Set(all.map(\.name)).count == all.count)
        #expect(all.filter { $0.summary.isEmpty || $0.summary.contains("\n") || $0.summary.hasSuffix(".") }.isEmpty)
        #expect(Set(RuleExample.rewriting.keys) == Set(PortRule.rewriting.map(\.name)))
        #expect(Set(RuleExample.reporting.keys) == Set(PortRule.reporting.map(\.name)))
    }

    @Test("A rule rewrites its example, which stays otherwise", arguments: PortRule.rewriting.map(\.name))
    func rewriting(name: String) throws {
        let example = try #require(RuleExample.rewriting[name])
        let all = PortRule.rewriting + PortRule.reporting
        #expect(try example.outcome(of: all).text == example.output)
        #expect(try example.outcome(of: all.filter { $0.name != name }).text != example.output)
    }

    @Test("A rule reports its example, and no other does", arguments: PortRule.reporting.map(\.name))
    func reporting(name: String) throws {
        let example = try #require(RuleExample.reporting[name])
        let all = PortRule.rewriting + PortRule.reporting
        func isReported(_ rules: [PortRule]) throws -> Bool {
            try example.outcome(of: rules).messages.contains { $0.hasPrefix(example.output) }
        }
        let messages = try example.outcome(of: all).messages
        #expect(try isReported(all), "\(messages)")
        #expect(try !isReported(all.filter { $0.name != name }))
    }

    @Test("The list has a line for each rule")
    func list() {
        let lines = PortCommand.rules.split(separator: "\n")
        #expect(lines.count == PortRule.rewriting.count + PortRule.reporting.count + 2)
        #expect(lines.allSatisfy { $0.count <= 120 })
        #expect(lines.contains("  units                  writes out the units of time of Dispatch"))
    }
}
