import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

@Suite("Commands refuse meaningless words, and terminals get no control characters")
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

    @Test(
        "A day that is none is refused",
        arguments: [
            "2024-02-30", "2023-02-29", "2024-13-01", "2024-00-10", "2024-01-00", "2024-01-01T24:00:00Z",
            "2024-01-01T10:60:00Z", "2024-01-01T10:00:00", "2024-1-1", "2024-01-01T10:00:00+25:00",
        ])
    func noDay(_ text: String) throws {
        try withTemporaryFolder { folder in
            let url = try SampleStore.make(in: folder)
            let run = try ToolRun(["history", url.path, "--since", text])
            #expect(run.status == 2 && run.errors.contains("not '\(text)'"), "\(run.errors)")
        }
    }

    @Test("Days and moments are read as they are written")
    func days() {
        func seconds(_ text: String) -> Double? { DateText.date(text)?.timeIntervalSinceReferenceDate }
        #expect(seconds("2001-01-01") == 0)
        #expect(seconds("2001-01-02T03:04:05Z") == 97_445)
        #expect(seconds("2001-01-02T03:04:05.5Z") == 97_445.5)
        #expect(seconds("2001-01-02T03:04:05+01:30") == 92_045.0)
        #expect(seconds("2001-01-02T03:04:05-0130") == 102_845.0)
        #expect(seconds("2024-02-29") == seconds("2024-03-01").map { $0 - 86_400 })
    }

    @Test("An error names the argument that is an empty text")
    func empty() throws {
        try withTemporaryFolder { folder in
            let url = try SampleStore.make(in: folder)
            func refusal(_ arguments: [String]) throws -> String {
                let run = try ToolRun(arguments)
                #expect(run.status == 2 && run.output.isEmpty)
                return run.errors.split(separator: "\n").first.map(String.init) ?? ""
            }
            #expect(try refusal(["fetch", url.path, ""]) == "coredata: ENTITY is an empty text")
            #expect(try refusal(["fetch", "", "Book"]) == "coredata: STORE is an empty text")
            #expect(try refusal(["info", ""]) == "coredata: STORE is an empty text")
            #expect(
                try refusal(["info", url.path, "--model", ""])
                    == "coredata: '--model' needs a path, not an empty text")
            #expect(try ToolRun(["fetch", ""]).errors.hasPrefix("coredata: ENTITY is missing\n"))
        }
    }

    @Test("An id that no store gives, and a UUID that is none, are refused at their place")
    func imported() throws {
        try withTemporaryFolder { folder in
            let url = try SampleStore.make(in: folder)
            let export = try ToolRun(["export", url.path]).output
            let target = folder.appendingPathComponent("Copy.sqlite")
            for id in ["00", "01", "0", "-1", "+1", "281474976710656", "99999999999999999999"] {
                let changed = export.replacingOccurrences(of: "\"Author/1\"", with: "\"Author/\(id)\"")
                try #require(changed != export)
                let run = try ToolRun(["import", target.path], input: changed)
                #expect(run.status == 3 && run.errors.contains("line 2"), "\(id): \(run.errors)")
                #expect(run.errors.contains("'Author/\(id)' is no name such as 'Book/12'"), "\(run.errors)")
            }
            let identifier = try #require(export.firstMatch(of: /"identifier":"([^"]*)"/)?.output.1)
            let run = try ToolRun(
                ["import", target.path], input: export.replacingOccurrences(of: String(identifier), with: "my store"))
            #expect(run.status == 3 && run.errors.contains("line 1, column "), "\(run.errors)")
            #expect(run.errors.contains("this is no UUID"))
            #expect(!FileManager.default.fileExists(atPath: target.path))
        }
    }

    private static let numbers = ModelText.model(
        """
        entity Measure
          one double
          other float
          when date
        """)

    @Test("A value that is no number is text in JSON and comes back; SQLite lacks such values and names its place")
    func notANumber() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.xml")
            try Self.numbers.archive().write(to: folder.appendingPathComponent("Model.mom"))
            try withStore(url, Self.numbers, type: NSXMLStoreType) { context in
                for number in [1.5, 2.5, 3.5] {
                    let date = Date(timeIntervalSinceReferenceDate: number)
                    context.make("Measure", ["one": number, "other": Float(number), "when": date])
                }
                try context.save()
            }
            // A save refuses these values; files of another program may have them.
            let text = try String(contentsOf: url, encoding: .utf8)
                .replacing(">2.5<", with: ">inf<").replacing(">3.5<", with: ">nan<")
            try text.write(to: url, atomically: true, encoding: .utf8)
            let export = try ToolRun(["export", url.path])
            #expect(export.status == 0 && export.errors.isEmpty, "\(export.errors)")
            let values = export.output.split(separator: "\n").dropFirst().map { $0.drop { $0 != "," } }
            #expect(
                Set(values) == [
                    ",\"one\":1.5,\"other\":1.5,\"when\":1.5}",
                    ",\"one\":\"inf\",\"other\":\"inf\",\"when\":\"inf\"}",
                    ",\"one\":\"nan\",\"other\":\"nan\",\"when\":\"nan\"}",
                ])
            for name in ["Copy.xml", "Copy.binary"] {
                let copy = folder.appendingPathComponent(name)
                let run = try ToolRun(["import", copy.path], input: export.output)
                #expect(run.status == 0, "\(run.errors)")
                let again = try ToolRun(["export", copy.path]).output.split(separator: "\n").dropFirst()
                #expect(Set(again.map { $0.drop { $0 != "," } }) == Set(values), "\(name)")
            }
            let sqlite = folder.appendingPathComponent("Copy.sqlite")
            let run = try ToolRun(["import", sqlite.path], input: export.output)
            #expect(run.status == 5 && run.errors.contains("SQLite cannot hold 3 values"), "\(run.errors)")
            #expect(run.errors.contains("“Measure.when” of Measure/"))
            #expect(!FileManager.default.fileExists(atPath: sqlite.path))
            let finite = export.output.replacingOccurrences(of: "\"nan\"", with: "\"inf\"")
            #expect(try ToolRun(["import", sqlite.path], input: finite).status == 0)
            let kept = try ToolRun(["export", sqlite.path]).output.split(separator: "\n")
            #expect(kept.filter { $0.contains("\"inf\"") }.count == 2)
        }
    }

    @Test("A copy that cannot be written is reported by its own name")
    func copy() throws {
        try withTemporaryFolder { folder in
            let url = try SampleStore.make(in: folder)
            let absent = try ToolRun(["copy", url.path, folder.path + "/none/Copy"])
            #expect(absent.status == 3)
            #expect(absent.errors.hasPrefix("coredata: \(folder.path)/none/Copy: there is no folder"))
            // No user may write there, not even root.
            let run = try ToolRun(["copy", url.path, "/proc/Copy.sqlite"])
            #expect(run.status == 5 && run.errors.hasPrefix("coredata: /proc/Copy.sqlite: "), "\(run.errors)")
        }
    }

    @Test(
        "A copy into the place of a store that may not be replaced is reported by its own name",
        .enabled(if: geteuid() != 0, "root may write everywhere"))
    func forbiddenCopy() throws {
        try withTemporaryFolder { folder in
            let url = try SampleStore.make(in: folder)
            let closed = folder.appendingPathComponent("closed")
            try FileManager.default.createDirectory(at: closed, withIntermediateDirectories: false)
            let target = closed.appendingPathComponent("Copy.sqlite")
            #expect(try ToolRun(["copy", url.path, target.path]).status == 0)
            chmod(closed.path, 0o500)
            defer { chmod(closed.path, 0o700) }
            let run = try ToolRun(["copy", url.path, target.path, "--force"])
            #expect(run.status == 5 && run.errors.hasPrefix("coredata: \(target.path): "), "\(run.errors)")
        }
    }

    @Test("A kind of store that a command has nothing to say of is the same status everywhere")
    func kinds() throws {
        try withTemporaryFolder { folder in
            let url = try SampleStore.make(in: folder, type: NSXMLStoreType, named: "Library.xml")
            for arguments in [["watch", url.path], ["history", url.path], ["sql", url.path, "Book"]] {
                let run = try ToolRun(arguments)
                #expect(run.status == 1 && run.output.isEmpty, "\(arguments): \(run.errors)")
                #expect(run.errors.hasPrefix("coredata: \(url.path): "))
            }
        }
    }

    @Test("A table is no wider than its terminal, however narrow that is", arguments: [20, 8] as [UInt16])
    func narrow(_ columns: UInt16) throws {
        try withTemporaryFolder { folder in
            let url = try SampleStore.make(in: folder)
            let terminal = try Terminal(["fetch", url.path, "Book"], columns: columns)
            #expect(terminal.end() == 0)
            let lines = terminal.printed.replacing(#/\u{1B}\[\d*m/#, with: "").split(whereSeparator: \.isNewline)
            #expect(lines.count == 3, "\(lines)")
            #expect(lines.allSatisfy { TextWidth.of(String($0)) <= Int(columns) }, "\(lines)")
        }
    }

    @Test("Characters that turn the direction of text do not reach a terminal, from values and from names of files")
    func directions() throws {
        let turning = "a\u{202E}b\u{2066}c\u{200F}d\u{2028}e"
        #expect(Table.onOneLine(turning) == "a�b�c�d⏎e")
        #expect(Table.onOneLine("שלום 👩‍👧 ü") == "שלום 👩‍👧 ü")
        try withTemporaryFolder { folder in
            let url = try SampleStore.make(in: folder, named: "x\u{202E}etilqs.txt") { context in
                context.make("Shelf", ["name": turning])
            }
            #expect(try ToolRun(["fetch", url.path, "Shelf", "-c", "name"]).output == "name\na�b�c�d⏎e\n")
            let lines = try ToolRun(["fetch", url.path, "Shelf", "-c", "name", "-f", "ndjson"]).output
            #expect(lines == "{\"name\":\"a\\u202eb\\u2066c\\u200fd\\u2028e\"}\n")
            #expect(try JSONDecoder().decode([String: String].self, from: Data(lines.utf8))["name"] == turning)
            let terminal = try Terminal(["fetch", url.path, "Shelf", "-c", "name", "-f", "csv"], columns: 80)
            #expect(terminal.end() == 0)
            #expect(terminal.printed.contains("a�b�c�d⏎e") && !terminal.printed.contains("\u{202E}"))
            let piped = try ToolRun(["fetch", url.path, "Shelf", "-c", "name", "-f", "csv"]).output
            #expect(piped == "name\n\(turning)\n")
            let copy = folder.appendingPathComponent("y\u{202E}etilqs.txt")
            for run in [
                try ToolRun(["info", url.path]), try ToolRun(["copy", url.path, copy.path]),
                try ToolRun(["convert", url.path, copy.path + ".xml"]), try ToolRun(["history", url.path]),
                try ToolRun(["fetch", url.path, "Nothing"]),
            ] {
                #expect(!(run.output + run.errors).contains("\u{202E}"), "\(run.output)\(run.errors)")
                #expect((run.output + run.errors).contains("�"))
            }
        }
    }
}
