import Foundation
import TestSupport
import Testing

@Suite("The examples, built and run")
struct ExampleTests {
    /// Runs an example with its store in a folder.
    private func run(_ program: String, _ arguments: [String], in folder: URL) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent(program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging([
            "NOTES_STORE": folder.appendingPathComponent("notes.sqlite").path,
            "CONTACTS_STORE": folder.appendingPathComponent("contacts.sqlite").path,
        ]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: text, as: UTF8.self)
    }

    @Test("Notes are added, pinned, searched, imported and deleted, each time by a process of its own")
    func notes() throws {
        try withTemporaryFolder { folder in
            func notes(_ arguments: String...) throws -> String { try run("notes", arguments, in: folder) }
            #expect(try notes("list") == "no notes\n")
            #expect(try notes("add", "Water the garden", "Tomatoes first", "in", "Home") == "added Water the garden\n")
            #expect(try notes("add", "Buy milk") == "added Buy milk\n")
            let untitled = try notes("add", "")
            #expect(untitled.hasPrefix("error 1670: "))
            #expect(try notes("pin", "2") == "")
            #expect(try notes("list") == "1. * Buy milk\n2. Water the garden [Home]: Tomatoes first\n")
            #expect(try notes("search", "TOMATO") == "2. Water the garden [Home]: Tomatoes first\n")
            #expect(try notes("import", "20") == "imported 20\n")
            #expect(try notes("folders") == "Home: 1\nInbox: 20\n")
            #expect(try notes("delete", "1") == "deleted\n")
            #expect(try notes("list", "home") == "1. Water the garden [Home]: Tomatoes first\n")
            #expect(try notes("delete", "99") == "there is no note 99\n")
        }
    }

    @Test("Contacts live without a model file: validation, unique addresses, ordered numbers, counts by city")
    func contacts() throws {
        try withTemporaryFolder { folder in
            func contacts(_ arguments: String...) throws -> String { try run("contacts", arguments, in: folder) }
            #expect(try contacts("add", "Ann", "ann@example.org", "Rome", "123", "456") == "added Ann\n")
            #expect(try contacts("add", "bob", "bob@example.org", "Rome") == "added bob\n")
            #expect(try contacts("add", "Cy", "cy@example.org", "Oslo", "789") == "added Cy\n")
            #expect(try contacts("add", "No", "address", "Oslo") == "error 1550: not an address\n")
            let second = try contacts("add", "Ann 2", "ann@example.org", "Oslo")
            #expect(second.hasPrefix("error 133021: "))
            #expect(
                try contacts("list") == """
                    Ann, ann@example.org, Rome, 123, 456
                    bob, bob@example.org, Rome
                    Cy, cy@example.org, Oslo, 789

                    """)
            #expect(try contacts("find", "45") == "Ann, ann@example.org, Rome, 123, 456\n")
            #expect(try contacts("cities") == "Oslo: 1\nRome: 2\n")
            #expect(try contacts("remove", "ann@example.org") == "removed 1\n")
            #expect(try contacts("find", "ann") == "nobody\n")
        }
    }
}
