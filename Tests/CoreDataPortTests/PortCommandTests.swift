import CoreData
import TestSupport
import Testing

@testable import CoreDataPort

@Suite("The program coredata port")
struct PortCommandTests {
    private let source = """
        import CoreData

        @objc(Note)
        final class Note: NSManagedObject {
            @NSManaged var title: String
            // one
            // two
            // three
            // four
            // five
            // six
            // seven
            // eight
            static let key = #keyPath(Note.title)
        }
        """
    private let result = """
        import CoreData

        final class Note: NSManagedObject {
            @NSManaged var title: String
            // one
            // two
            // three
            // four
            // five
            // six
            // seven
            // eight
            static let key = "title"
        }
        """

    private struct Outcome {
        let status: Int32
        let output: String
        let messages: String
    }

    /// Runs the built program.
    private func port(_ arguments: [String], in folder: URL) throws -> Outcome {
        let process = AwaitedProcess()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("coredata")
        process.arguments = ["port"] + arguments
        process.currentDirectoryURL = folder
        let (output, messages) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = messages
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let said = messages.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
            messages: String(decoding: said, as: UTF8.self))
    }

    /// A folder with sources in `app`.
    private func withSources(_ body: (_ folder: URL, _ file: URL) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("app/Sources/Note.swift")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(source.utf8).write(to: file)
            try Data("@objc".utf8).write(to: folder.appendingPathComponent("app/ReadMe.txt"))
            try body(folder, file)
        }
    }

    private func text(_ url: URL) throws -> String { try String(contentsOf: url, encoding: .utf8) }

    @Test("The command without an option shows a diff that git applies, and writes nothing")
    func diff() throws {
        try withSources { folder, file in
            let outcome = try port(["app"], in: folder)
            #expect(outcome.status == 0)
            #expect(outcome.messages.contains("2 changes in 1 of 1 files, 0 to do by hand; nothing was written"))
            #expect(outcome.output.hasPrefix("--- a/Sources/Note.swift\n+++ b/Sources/Note.swift\n@@ -1,6 +1,5 @@\n"))
            #expect(try text(file) == source)
            try Data(outcome.output.utf8).write(to: folder.appendingPathComponent("patch"))
            let git = AwaitedProcess()
            git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            git.arguments = ["git", "apply", "../patch"]
            git.currentDirectoryURL = folder.appendingPathComponent("app")
            try git.run()
            git.waitUntilExit()
            #expect(git.terminationStatus == 0)
            #expect(try text(file) == result)
        }
    }

    @Test("A run in place changes the files and keeps their permissions, and a second run finds nothing")
    func inPlace() throws {
        try withSources { folder, file in
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
            let outcome = try port(["--in-place", "app"], in: folder)
            #expect(outcome.status == 0 && outcome.output.contains("-@objc(Note)\n"))
            #expect(try text(file) == result)
            let permissions = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(permissions == 0o640)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path).count == 1)
            let again = try port(["app"], in: folder)
            #expect(again.output.isEmpty && again.messages.contains("0 changes in 0 of 1 files"))
        }
    }

    @Test("A run into a copy copies everything, and the original stays")
    func copy() throws {
        try withSources { folder, file in
            #expect(try port(["app", "--output", "linux"], in: folder).status == 0)
            #expect(try text(file) == source)
            #expect(try text(folder.appendingPathComponent("linux/Sources/Note.swift")) == result)
            #expect(try text(folder.appendingPathComponent("linux/ReadMe.txt")) == "@objc")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["app", "linux"])
            let again = try port(["app", "--output", "linux"], in: folder)
            #expect(again.status == 5 && again.messages.contains("this exists and is no empty folder"))
            #expect(try port(["app", "--output", "app/x"], in: folder).status == 5)
        }
    }

    @Test("Work left to do by hand makes the status 1 and is listed in the form of the compiler's errors")
    func byHand() throws {
        try withSources { folder, file in
            try Data("let a = #keyPath(Note.titel)\n".utf8).write(
                to: file.deletingLastPathComponent().appendingPathComponent("B.swift"))
            let outcome = try port(["app"], in: folder)
            #expect(outcome.status == 1)
            #expect(
                outcome.messages.contains(
                    "app/Sources/B.swift:1:9: warning: '#keyPath(Note.titel)' stays: 'Note' has no property 'titel'\n"))
        }
    }

    @Test("A model elsewhere, of any kind, gives keys too")
    func otherModel() throws {
        try withTemporaryFolder { folder in
            let version = folder.appendingPathComponent("M.xcdatamodel")
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            try Data("<model>\(notes)</model>".utf8).write(to: version.appendingPathComponent("contents"))
            let file = folder.appendingPathComponent("A.swift")
            try Data("let a = #keyPath(Note.folder.name)".utf8).write(to: file)
            #expect(try port([file.path, "--in-place"], in: folder).status == 1)
            #expect(try port([file.path, "--in-place", "--model", "M.xcdatamodel"], in: folder).status == 0)
            #expect(try text(file) == "let a = \"folder.name\"")
        }
    }

    @Test("The manifest of a package is shown, and written in place, with the place that is asked for")
    func manifest() throws {
        try withSources { folder, _ in
            let manifest = folder.appendingPathComponent("app/Package.swift")
            let text =

                "// swift-tools-version: 5.9\n"
                + "let package = Package(name: \"N\", targets: [.target(name: \"N\", path: \"Sources\")])\n"
            try Data(text.utf8).write(to: manifest)
            let shown = try port(["app", "--package", "https://example.org/OpenCoreData"], in: folder)
            #expect(shown.status == 0 && shown.output.contains("+++ b/Package.swift\n"))
            #expect(try self.text(manifest) == text)
            #expect(
                try port(["app", "--in-place", "--package", "https://example.org/OpenCoreData"], in: folder).status == 0
            )
            let written = try self.text(manifest)
            #expect(written.contains(".package(url: \"https://example.org/OpenCoreData\", branch: \"main\")"))
            #expect(written.contains("plugins: [.plugin(name: \"CoreDataModelPlugin\", package: \"OpenCoreData\")]"))
            let own = try port(["app", "--package", "nowhere"], in: folder)
            #expect(own.status == 2 && own.messages.contains("nowhere: there is no package in this folder"))
        }
    }

    @Test("The rules are listed without a path, and the options change what is done")
    func options() throws {
        try withSources { folder, file in
            let rules = try port(["--rules"], in: folder)
            #expect(rules.status == 0 && rules.output == PortCommand.rules)
            try Data("import Combine\nimport os\n".utf8).write(to: file)
            let plain = try port(["app"], in: folder)
            #expect(plain.status == 1 && plain.output.isEmpty && plain.messages.contains("'--combine' writes"))
            let combine = try port(["app", "--combine"], in: folder)
            #expect(combine.status == 0 && combine.output.contains("+import OpenCombine\n"))
            let silent = try port(["app", "--combine", "--without-logging"], in: folder)
            #expect(silent.status == 1 && silent.messages.contains("Note.swift:2:8: warning: there is no module 'os'"))
        }
    }

    @Test("A file that cannot be read is an error that names it, and nothing is written")
    func badInput() throws {
        try withSources { folder, file in
            func fails(_ arguments: [String], _ message: String, status: Int32 = 3) throws {
                let outcome = try port(arguments, in: folder)
                #expect(outcome.status == status && outcome.output.isEmpty)
                #expect(outcome.messages.contains(message), "\(outcome.messages)")
            }
            try fails(["nowhere"], "nowhere: there is no such file or folder")
            try fails([], "PATH is missing", status: 2)
            try fails(["--what", "app"], "unknown option '--what'", status: 2)
            try fails(["app", "--in-place", "--output", "x"], "exclude each other", status: 2)
            try fails(["app/ReadMe.txt"], "this is no Swift file")
            try fails(["app", "--model", "app/ReadMe.txt"], "ReadMe.txt: this is no model, or a damaged one")
            let other = file.deletingLastPathComponent().appendingPathComponent("Z.swift")
            try Data([0x40, 0xFF, 0xFE]).write(to: other)
            try fails(["app", "--in-place"], "Z.swift: the file is not UTF-8")
            #expect(try text(file) == source)
            try FileManager.default.removeItem(at: other)
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent("empty"), withIntermediateDirectories: true)
            try fails(["empty"], "there are no Swift files and no models")
        }
    }
}
