import CoreData
import Foundation
import TestSupport
import Testing

@Suite("coredata fetch of a store that another process writes at the same time")
struct WrittenMeanwhileTests {
    private static let count = 20_000

    /// The output of a fetch while another connection does something behind the first lines: the pipe is full then, and
    /// the program waits.
    private func lines(of journal: String, while change: (RawDatabase) throws -> Void) throws -> (Int32, [String]) {
        try withTemporaryFolder { folder in
            let store = try SampleStore.make(in: folder) { context in
                for number in 0..<Self.count { context.make("Profile", ["text": "profile number \(number)"]) }
            }
            let other = try RawDatabase(store)
            try other.execute("PRAGMA journal_mode = \(journal)")
            let process = AwaitedProcess()
            process.executableURL = ToolRun.program
            process.arguments = ["fetch", store.path, "Profile", "-c", "@id,text", "-f", "ndjson"]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            var bytes = try #require(try output.fileHandleForReading.read(upToCount: 10))
            try change(other)
            bytes += output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            return (process.terminationStatus, lines)
        }
    }

    @Test("The output is one state, with a -wal")
    func oneState() throws {
        let (status, lines) = try lines(of: "WAL") { other in
            try other.execute("DELETE FROM ZPROFILE; UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX")
        }
        #expect(status == 0 && lines.count == Self.count)
        #expect(lines.allSatisfy { $0.contains("\"text\":\"profile number ") })
    }

    @Test("The output has no deleted objects, without a -wal")
    func gone() throws {
        let (status, lines) = try lines(of: "DELETE") { other in
            try other.execute("DELETE FROM ZPROFILE WHERE Z_PK % 2 = 0")
        }
        #expect(status == 0 && lines.count >= Self.count / 2 && lines.count <= Self.count)
        #expect(lines.allSatisfy { $0.hasPrefix("{\"@id\":\"Profile/") && $0.contains("\"text\":\"profile number ") })
    }
}
