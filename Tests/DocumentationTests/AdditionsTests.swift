import TestSupport
import Testing

@Suite("The list of additions")
struct AdditionsTests {
    @Test("DEVIATIONS.md lists every symbol whose doc comment says 'OpenCoreData only', and no other")
    func list() throws {
        let run = try Toolchain.run(Toolchain.package.appendingPathComponent("bin/additions").path, ["--check"])
        #expect(run.status == 0, "\(run.text)")
    }
}
