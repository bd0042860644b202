import Foundation
import TestSupport
import Testing

@Suite("Files that other programs have changed")
struct ForeignBytesTests {
    @Test("An export with the mark of UTF-8 is read, and one in UTF-16 is named")
    func marks() throws {
        try withTemporaryFolder { folder in
            let store = try SampleStore.make(in: folder)
            let export = try ToolRun(["export", store.path]).output
            let file = folder.appendingPathComponent("Export.jsonl")
            try (Data([0xEF, 0xBB, 0xBF]) + Data(export.utf8)).write(to: file)
            let marked = try ToolRun(["import", folder.appendingPathComponent("New.sqlite").path, file.path])
            #expect(marked.status == 0, "\(marked.errors)")
            for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian] {
                try #require(export.data(using: encoding)).write(to: file)
                let run = try ToolRun(["import", folder.appendingPathComponent("Other.sqlite").path, file.path])
                #expect(run.status == 3 && run.errors.contains("UTF-16"), "\(encoding): \(run.errors)")
            }
        }
    }

    @Test("A pipe in the place of a model is neither waited for nor read")
    func pipe() throws {
        try withTemporaryFolder { folder in
            let model = folder.appendingPathComponent("Model.mom")
            #expect(mkfifo(model.path, 0o600) == 0)
            let run = try ToolRun(["model", "show", model.path])
            #expect(run.status == 3 && run.errors.contains("neither a file nor a folder"), "\(run.errors)")
        }
    }

    @Test("An import from a device that never ends is refused, behind a whole line as well")
    func endlessLine() throws {
        try withTemporaryFolder { folder in
            let store = try SampleStore.make(in: folder)
            let header = try #require(ToolRun(["export", store.path]).output.split(separator: "\n").first)
            let new = folder.appendingPathComponent("New.sqlite").path
            for (line, input) in [(1, ""), (2, "\(header)\n")] {
                // The shell gives up the pipe once the program has ended.
                let run = try ToolRun(
                    [
                        "-c", "{ printf %s \"$2\"; cat /dev/zero; } | \"$0\" import \"$1\"", ToolRun.program.path, new,
                        input,
                    ], program: URL(fileURLWithPath: "/bin/sh"))
                #expect(run.status == 3 && run.errors.contains("line \(line): a byte is 0"), "\(run.errors)")
                #expect(!FileManager.default.fileExists(atPath: new))
            }
        }
    }

    @Test("A salvage that would make a file larger than the process may have says so")
    func salvageLimit() throws {
        try withTemporaryFolder { folder in
            let store = try SampleStore.make(in: folder) { context in
                let text = String(repeating: "x", count: 300)
                for number in 0..<3000 { context.make("Profile", ["text": "\(text) \(number)"]) }
            }
            let run = try ToolRun(
                [
                    "-c", "ulimit -f 300; exec \"$0\" \"$@\"", ToolRun.program.path, "salvage", store.path, "-o",
                    folder.appendingPathComponent("New.sqlite").path,
                ], program: URL(fileURLWithPath: "/bin/sh"))
            #expect(run.status == 5 && run.errors.contains("RLIMIT_FSIZE"), "\(run.status) \(run.errors)")
        }
    }
}
