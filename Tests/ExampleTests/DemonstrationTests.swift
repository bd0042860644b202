import Foundation
import TestSupport
import Testing

@Suite("The demonstrations, built and run", .serialized)
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

    @Test("That of SwiftData keeps a store's hashes, finds by five predicates, refuses a version and leads it on")
    func swiftData() throws {
        let program = ToolRun.program.deletingLastPathComponent().appendingPathComponent("swiftdata-demo")
        let outcome = try Toolchain.run(program.path, ["--quick"])
        #expect(outcome.status == 0, "\(outcome.text)")
        for part in [
            "The classes have these hashes: no migration.",
            "{ $0.guide == nil } finds Sleeper\n      decided by the store: guide == nil\n",
            "{ $0.guide?.chief?.id == ann } finds Ridge, Valleys\n      decided by the store: guide.chief == ",
            "{ $0.kind == kind } finds Ridge, Valleys\n      decided by the store: kind.kind == \"hike\"\n",
            "{ $0.tags.contains(\"rain\") } finds Fjords, Ridge\n      decided by the program: ",
            "{ $0.isBooked && $0.isLong } finds Fjords, Valleys\n      decided by the store: isBooked == 1\n",
            "\nRidge  train  beds: 7, town: Grindelwald  [\"rain\",\"Ridge\"]  Ben                    2\n",
            "  ~ Trip/2  base, kind, stops\n", "DiaryV1 (1.0.0): Entry.weather is missing in DiaryV1",
            "led on: \"Over the pass\", 30000 steps, rain\n", "longest stall of the main thread: ",
            "20000 models have 20000 different values",
        ] {
            #expect(outcome.text.contains(part), "\(part) is missing in:\n\(outcome.text)")
        }
    }

    @Test("That of SwiftData shows a store of another program: its classes and its rows")
    func storeOfUser() throws {
        let programs = ToolRun.program.deletingLastPathComponent()
        try withTemporaryFolder { folder in
            let store = folder.appendingPathComponent("trips.store")
            let made = try ToolRun(
                ["add", "Fjords", "2027-06-01", "sail", "Bergen"], environment: ["TRIPS_STORE": store.path],
                program: programs.appendingPathComponent("trips"))
            #expect(made.status == 0, "\(made.errors)")
            let shown = try ToolRun([store.path], program: programs.appendingPathComponent("swiftdata-demo"))
            #expect(shown.status == 0, "\(shown.errors)")
            for part in ["@Model\nfinal class Trip {\n", "    var kind: Kind", "\nTrip/1 ", "  Fjords  "] {
                #expect(shown.output.contains(part), "\(part) is missing in:\n\(shown.output)")
            }
        }
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
