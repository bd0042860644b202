import Foundation
import TestSupport
import Testing

@Suite("The examples with a script of their own, run on the built programs")
struct ExampleScriptTests {
    /// Runs the script of an example on a program that the tests have built, or on the folder of all of them.
    private func run(_ example: String, _ program: String? = nil, _ arguments: [String] = []) throws {
        let folder = ToolRun.program.deletingLastPathComponent()
        let built = program.map { folder.appendingPathComponent($0) } ?? folder
        let script = Toolchain.package.appendingPathComponent("Examples/\(example)/test")
        let outcome = try Toolchain.run(script.path, [built.path] + arguments)
        #expect(outcome.status == 0, "\(outcome.text)")
    }

    @Test("The importer reports new, changed and unchanged lines and mistakes; a slice is taken whole or not at all")
    func importer() throws { try run("Importer", "importer") }

    #if PostgreSQL
    @Test(
        "The importer does the same into a PostgreSQL database",
        .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"),
        .enabled(if: Sample.isWhole, "it takes half a minute: bin/test --long"))
    func importerIntoDatabase() throws {
        let database = try TestDatabase()
        try withExtendedLifetime(database) { try run("Importer", "importer", [$0.url.absoluteString]) }
    }
    #endif

    /// Why the web service cannot be run; nil where it can.
    private static var absence: String? {
        #if !Studio
        return "web-service was built without libmicrohttpd (--traits Studio; bin/setup --web)"
        #else
        let missing = ["curl", "sqlite3"].filter { Toolchain.program($0) == nil }
        return missing.isEmpty ? nil : "\(missing.joined(separator: ", ")) is not installed (bin/setup --web)"
        #endif
    }

    @Test(
        "Trips: the terminal program and the service find, read and log what the other one has saved in one store",
        .enabled(if: absence == nil, "\(absence ?? "")"))
    func trips() throws { try run("Trips") }

    #if PostgreSQL
    @Test(
        "Trips does so in a PostgreSQL database", .enabled(if: absence == nil, "\(absence ?? "")"),
        .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"),
        .enabled(if: Sample.isWhole, "the store's kind is that of other tests: bin/test --long"))
    func tripsInDatabase() throws {
        let database = try TestDatabase()
        try withExtendedLifetime(database) { try run("Trips", nil, [$0.url.absoluteString]) }
    }
    #endif

    @Test(
        "Web service: answers to good and bad requests, many clients at once, a migration behind /health, events",
        .enabled(if: absence == nil, "\(absence ?? "")"))
    func webService() throws { try run("WebService", "web-service", Sample.isWhole ? ["10000"] : []) }
}
