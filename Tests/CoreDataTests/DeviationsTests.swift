import Foundation
import TestSupport
import Testing

// Checks the statements of DEVIATIONS.md about the tests against their sources.
@Suite("The list of deviations")
struct DeviationsTests {
    @Test("Every link to a test leads to a file with a function of that name")
    func links() throws {
        let text = try String(contentsOf: Toolchain.package.appendingPathComponent("DEVIATIONS.md"), encoding: .utf8)
        var sources: [String: String] = [:]
        var count = 0
        for link in text.matches(of: #/\[(\w+)\]\((Tests/[^)]+)\)/#) {
            let (name, path) = (String(link.output.1), String(link.output.2))
            if sources[path] == nil {
                sources[path] = try? String(contentsOf: Toolchain.package.appendingPathComponent(path), encoding: .utf8)
            }
            #expect(sources[path]?.contains("func \(name)(") == true, "\(name) in \(path)")
            count += 1
        }
        #expect(count > 500)
    }
}
