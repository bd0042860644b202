import MigrationTestKit
import Testing

// Code of the articles of MigrationTestKit.
enum MigrationTestKitSnippets {
    static func trial() throws {
        // snippet: migration trial
        var trial = MigrationTrial(try ModelVersion.all(named: "Shop"))
        trial.child = try MigrationChild.program(named: "migrate-shop")
        let report = try trial.run(expecting: [ExpectedRefusal(from: "Shop", to: "Shop 3")])
        #expect(report.isClean, "\(report)")
        // snippet end
    }
}
