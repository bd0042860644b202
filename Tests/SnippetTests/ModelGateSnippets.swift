import CoreData
import Foundation
import MigrationTestKit
import Testing

// Code of AGateForModelChanges.md. Nothing runs it, because there is no such model.
enum ModelGateSnippets {
    static func gate() throws {
        // snippet: a gate in a test
        var gate = ModelGate(repository: URL(fileURLWithPath: "."), base: "origin/main")
        gate.allowed = ["loss:Book.isbn"]
        let report = try gate.check()
        #expect(report.isClean, "\(report)")
        // snippet end
    }

    static func description(
        library1: NSManagedObjectModel, library2: NSManagedObjectModel, library3: NSManagedObjectModel
    ) throws {
        // snippet: the description of a model in code
        try library3.writeDescription(
            to: URL(fileURLWithPath: "Library.modeldescription"), after: [library1, library2])
        // snippet end
    }
}
