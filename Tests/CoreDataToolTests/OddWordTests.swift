import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

@Suite("What commands say of words that mean nothing, and what a terminal gets to see")
struct OddWordTests {
    @Test("'-' is the standard output of an export, not a file")
    func standardOutput() throws {
        try withTemporaryFolder { folder in
            let url = try SampleStore.make(in: folder)
            let run = try ToolRun(["export", url.path, "-o", "-"], in: folder)
            #expect(try run.status == 0 && run.output == ToolRun(["export", url.path]).output)
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/-"))
            let json = try ToolRun(["export", url.path, "-o", "-", "--json"], in: folder)
            #expect(json.status == 2 && json.errors.contains("'--json' needs '--output' with a file"))
        }
    }
}
