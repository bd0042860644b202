import Foundation
import TestSupport
import Testing

@Suite("The launch demonstration, built and run", .serialized)
struct DemonstrationTests {
    @Test("It comes to its end, and every launch that is not killed leaves a whole store")
    func quick() throws {
        // Planning a build takes longer than the demonstration: its script has a turn in some commits.
        let script = Toolchain.package.appendingPathComponent("bin/demo")
        let program = ToolRun.program.deletingLastPathComponent().appendingPathComponent("launch-demo")
        let isScript = Sample.isWhole || Sample.slice(Array(0..<5), oneIn: 5) == [0]
        let outcome = try Toolchain.run((isScript ? script : program).path, ["--quick"])
        #expect(outcome.status == 0, "\(outcome.text)")
        #expect(outcome.text.components(separatedBy: "the new version opens it").count > 3)
        #expect(outcome.text.contains("(d) twelve columns, CoreDataManager"))
    }

    #if PostgreSQL
    @Test(
        "Eight processes count to the exact sum on a PostgreSQL server, and all new launches are ready",
        .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"),
        .enabled(if: Sample.isWhole, "it takes half a minute: bin/test --long"))
    func postgreSQL() throws {
        let demo = Toolchain.package.appendingPathComponent("bin/demo").path
        let outcome = try Toolchain.run(demo, ["postgresql", "--quick"])
        #expect(outcome.status == 0, "\(outcome.text)")
        #expect(outcome.text.contains("the row says 400: the exact sum"))
        #expect(outcome.text.contains("All 4 processes are ready with the new version."))
    }
    #endif
}
