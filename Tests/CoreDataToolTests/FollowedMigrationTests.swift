import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

@Suite("coredata migrate on a terminal")
struct FollowedMigrationTests {
    @Test("A bar shows stage, entity and rows, and is full at the end")
    func bar() throws {
        try NotesMigration.with(200_000) { folder, store in
            let terminal = try Terminal(
                ["migrate", store.path, "--model", folder.path + "/Notes.momd", "--allow-loss", "Note.old"],
                columns: 120)
            #expect(terminal.end() == 0, "\(terminal.printed)")
            #expect(terminal.printed.contains("is brought to version 'Notes 2'; ^C cancels."), "\(terminal.printed)")
            #expect(terminal.printed.contains("Note, "), "\(terminal.printed)")
            #expect(terminal.printed.contains("]  100 %"))
            #expect(terminal.printed.contains("\r\nDone.\r\n"))
            #expect(terminal.printed.hasSuffix("n.sqlite is of version 'Notes 2' now\r\n"))
        }
    }

    @Test("^C while the store is waited for ends with 130")
    func cancelWaiting() throws {
        try NotesMigration.with(5) { folder, store in
            let writer = try RawDatabase(store)
            try writer.execute("BEGIN IMMEDIATE; UPDATE ZNOTE SET Z_OPT = Z_OPT + 1")
            let terminal = try Terminal(
                [
                    "migrate", store.path, "--model", folder.path + "/Notes.momd", "--allow-loss", "Note.old", "--wait",
                    "600",
                ])
            #expect(terminal.wait(for: "waiting for them; ^C cancels."), "\(terminal.printed)")
            terminal.press(Terminal.controlC)
            #expect(terminal.end() == 130, "\(terminal.printed)")
            #expect(terminal.printed.contains("n.sqlite: the migration was cancelled; the store is as it was"))
            try writer.execute("ROLLBACK")
            #expect(try NotesMigration.isOld(store))
        }
    }

    /// Presses ^C, or kills, in the middle of a migration. A store that was through before is made larger: how fast the
    /// machine is decides how large.
    private func interrupted(_ interrupt: (Terminal) -> Void, _ body: (Int32, URL, Terminal, Int) throws -> Void) throws
    {
        var rows = 300_000
        while true {
            var isThrough = false
            try NotesMigration.with(rows) { folder, store in
                let terminal = try Terminal(
                    ["migrate", store.path, "--model", folder.path + "/Notes.momd", "--allow-loss", "Note.old"],
                    columns: 120)
                if terminal.wait(for: "rewriting Note") { interrupt(terminal) }
                let status = terminal.end()
                isThrough = status == 0
                if !isThrough { try body(status, store, terminal, rows) }
            }
            if !isThrough { return }
            rows *= 2
            try #require(rows < 20_000_000)
        }
    }

    @Test("^C in the middle leaves the old store, and the next call migrates it")
    func cancel() throws {
        try interrupted({ $0.press(Terminal.controlC) }) { status, store, terminal, rows in
            #expect(status == 130, "\(terminal.printed)")
            #expect(terminal.printed.contains("Cancelled.\r\n"))
            #expect(
                terminal.printed.hasSuffix("n.sqlite: the migration was cancelled; the store is as it was\r\n"),
                "\(terminal.printed)")
            #expect(try NotesMigration.isOld(store))
            #expect(
                try RawDatabase(store).rows("SELECT count(*) FROM ZNOTE WHERE ZOLD > ''")[0][0].int == Int64(rows - 10))
            try migrateAgain(store, rows)
        }
    }

    @Test("Values that the newer version has no place for are lost only where they are named")
    func namedLosses() throws {
        try NotesMigration.with(20) { folder, store in
            let forecast = try ToolRun(["forecast"] + NotesMigration.arguments, in: folder)
            #expect(forecast.status == 1)
            #expect(forecast.output.contains("--allow-loss Note.old lets it go"), "\(forecast.output)")
            let refused = try ToolRun(["migrate"] + NotesMigration.arguments, in: folder)
            #expect(refused.status == 5)
            #expect(refused.errors.contains("It would lose “Note.old” of 10 objects"), "\(refused.errors)")
            #expect(try NotesMigration.isOld(store))
            let run = try ToolRun(["migrate"] + NotesMigration.arguments + ["--allow-loss", "Note.old"], in: folder)
            #expect(run.status == 0, "\(run.errors)")
            #expect(try !NotesMigration.isOld(store))
        }
    }

    @Test("The next call completes a migration that was killed in the middle")
    func killed() throws {
        try interrupted({ $0.send(SIGKILL) }) { status, store, _, rows in
            #expect(status == -SIGKILL)
            try migrateAgain(store, rows)
        }
    }

    private func migrateAgain(_ store: URL, _ rows: Int) throws {
        let folder = store.deletingLastPathComponent()
        let run = try ToolRun(["migrate"] + NotesMigration.arguments + ["--allow-loss", "Note.old"], in: folder)
        #expect(run.status == 0, "\(run.errors)")
        let sum = try RawDatabase(store).rows("SELECT sum(ZRANK), count(*) FROM ZNOTE")[0]
        #expect(sum.map(\.int) == [Int64(rows * 7), Int64(rows)])
        #expect(try RawDatabase(store).rows("PRAGMA integrity_check")[0][0] == .text("ok"))
    }
}
