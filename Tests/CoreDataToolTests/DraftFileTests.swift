import Foundation
import TestSupport
import Testing

@Suite("The file of an export has its name when it is whole")
struct DraftFileTests {
    private static let part = ".Export.jsonl.coredata-part"

    private func names(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains("Export") }.sorted()
    }

    @Test("The next process removes a killed one's files; another living one's files stay")
    func remains() throws {
        try withTemporaryFolder { folder in
            let store = try SampleStore.make(in: folder)
            let export = folder.appendingPathComponent("Export.jsonl")
            let part = folder.appendingPathComponent(Self.part)
            try Data("half".utf8).write(to: part)
            let descriptor = open(part.path, O_RDONLY | O_CLOEXEC)
            #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
            let second = try ToolRun(["export", store.path, "-o", export.path])
            #expect(second.status == 4, "\(second.errors)")
            #expect(second.errors.contains("another process is writing this file"), "\(second.errors)")
            #expect(try names(in: folder) == [Self.part])
            #expect(try Data(contentsOf: part) == Data("half".utf8))
            close(descriptor)
            let next = try ToolRun(["export", store.path, "-o", export.path])
            #expect(next.status == 0, "\(next.errors)")
            #expect(try names(in: folder) == ["Export.jsonl"])
            #expect(try String(contentsOf: export, encoding: .utf8).hasPrefix("{\"@coredata\":"))
        }
    }

    @Test("Other users may not read an export in a folder that they may not read, under any mask")
    func permissions() throws {
        try withTemporaryFolder { folder in
            let store = try SampleStore.make(in: folder)
            let inner = folder.appendingPathComponent("inner")
            try FileManager.default.createDirectory(
                at: inner, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            let export = inner.appendingPathComponent("Export.jsonl")
            let run = try ToolRun(
                ["-c", "umask 0; exec \"$0\" \"$@\"", ToolRun.program.path, "export", store.path, "-o", export.path],
                program: URL(fileURLWithPath: "/bin/sh"))
            #expect(run.status == 0, "\(run.errors)")
            let attributes = try FileManager.default.attributesOfItem(atPath: export.path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        }
    }

    @Test("An export larger than a file of the process may be is an error, and nothing is left of it")
    func sizeLimit() throws {
        try withTemporaryFolder { folder in
            let store = try SampleStore.make(in: folder) { context in
                let text = String(repeating: "x", count: 300)
                for number in 0..<3000 { context.make("Profile", ["text": "\(text) \(number)"]) }
            }
            let export = folder.appendingPathComponent("Export.jsonl")
            // A block has 512 bytes or 1024, by the shell.
            let run = try ToolRun(
                [
                    "-c", "ulimit -f 200; exec \"$0\" \"$@\"", ToolRun.program.path, "export", store.path, "-o",
                    export.path,
                ], program: URL(fileURLWithPath: "/bin/sh"))
            #expect(run.status == 5, "\(run.status) \(run.errors)")
            #expect(run.errors.contains("too large"), "\(run.errors)")
            #expect(try names(in: folder).isEmpty)
        }
    }
}
