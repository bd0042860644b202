import Foundation
import TestSupport
import Testing

@Suite("The examples with a script of their own, run on the built programs")
struct ExampleScriptTests {
    /// Runs the script of an example on a program that the tests have built.
    private func run(_ example: String, _ program: String, _ arguments: [String] = []) throws {
        let built = ToolRun.program.deletingLastPathComponent().appendingPathComponent(program)
        let script = Toolchain.package.appendingPathComponent("Examples/\(example)/test")
        let outcome = try Toolchain.run(script.path, [built.path] + arguments)
        #expect(outcome.status == 0, "\(outcome.text)")
    }

    @Test("Importer: new, changed and unchanged lines, mistakes with their places, slices whole or not at all")
    func importer() throws { try run("Importer", "importer") }

    #if PostgreSQL
        @Test(
            "Importer: the same into a PostgreSQL database",
            .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
        func importerIntoDatabase() throws {
            let database = try TestDatabase()
            try withExtendedLifetime(database) { try run("Importer", "importer", [$0.url.absoluteString]) }
        }
    #endif
}
