import CoreData
import CoreDataManager
import Foundation
import TestSupport
import Testing

/// Compiles sources that test the statements of `CoreDataManager` about the compiler.
@Suite("Crossing queues", .enabled(if: Toolchain.program("swiftc") != nil, "swiftc is not in PATH"))
struct CompilerRulesTests {
    /// A function's body that takes an object across a queue, and the compiler's message.
    struct Wrong: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var isMain = false
        let body: String
        let refusal: String
    }

    private static let request = "NSFetchRequest<NSManagedObject>(entityName: \"Note\")"

    static let wrongs = [
        Wrong(
            testDescription: "returned from the main queue",
            body: "let notes = try await manager.performMain { try $0.fetch(\(request)) }; _ = notes",
            refusal: "conformance of 'NSManagedObject' to 'Sendable' is unavailable: A managed object belongs"),
        Wrong(
            testDescription: "returned from the background",
            body: "let note = try await manager.performBackground { NSManagedObject(context: $0) }; _ = note",
            refusal: "conformance of 'NSManagedObject' to 'Sendable' is unavailable: A managed object belongs"),
        Wrong(
            testDescription: "handed to a completion handler",
            body: "manager.performBackground({ try $0.fetch(\(request)) }, completion: { _ in })",
            refusal: "conformance of 'NSManagedObject' to 'Sendable' is unavailable: A managed object belongs"),
        Wrong(
            testDescription: "taken into background work", isMain: true,
            body: """
                let note = try manager.mainContext.fetch(\(request))[0]
                try await manager.performBackground { _ in note.setValue("", forKey: "text") }
                """,
            refusal: "capture of 'note' with non-Sendable type 'NSManagedObject' in a '@Sendable' closure"),
        Wrong(
            testDescription: "sent to a task and used on", isMain: true,
            body: """
                let note = try manager.mainContext.fetch(\(request))[0]
                Task.detached { note.setValue("", forKey: "text") }
                note.setValue("", forKey: "text")
                """,
            refusal: "risks causing data races"),
        Wrong(
            testDescription: "sent to a task by a function that was given it",
            body: """
                func touch(_ note: NSManagedObject) { Task.detached { note.setValue("", forKey: "text") } }
                """,
            refusal: "risks causing data races"),
        Wrong(
            testDescription: "kept in something Sendable", body: "struct Kept: Sendable { let note: NSManagedObject }",
            refusal: "has non-Sendable type 'NSManagedObject'"),
        Wrong(
            testDescription: "the main context away from the main actor",
            body: "_ = try await Task.detached { try manager.mainContext.fetch(\(request)).count }.value",
            refusal: "main actor-isolated property 'mainContext' cannot be accessed from outside of the actor"),
    ]

    /// Compiles a function as far as the compiler's rules for concurrency go. Returns the compiler's output.
    private func compile(_ body: String, isMain: Bool) throws -> Toolchain.Outcome {
        let folder = try TemporaryFolder()
        let text = """
            import CoreData
            import CoreDataManager

            \(isMain ? "@MainActor " : "")func body(_ manager: CoreDataManager) async throws {
            \(body)
            }
            """
        let file = folder.url.appendingPathComponent("Program.swift")
        try Data(text.utf8).write(to: file)
        return try Toolchain.run(
            try #require(Toolchain.program("swiftc")),
            ["-swift-version", "6", "-emit-sil", "-o", "/dev/null", "-parse-as-library"] + Toolchain.importing
                + [file.path])
    }

    @Test("An object that would leave its queue is refused", arguments: wrongs)
    func refused(_ wrong: Wrong) throws {
        let outcome = try compile(wrong.body, isMain: wrong.isMain)
        #expect(outcome.status != 0)
        #expect(outcome.text.contains(wrong.refusal), "\(outcome.text)")
    }

    @Test("The compiler warns where a call does not wait for the other queue, as it does on a Mac")
    func warned() throws {
        let outcome = try compile(
            """
            let other = manager.newBackgroundContext()
            func touch(_ note: NSManagedObject) { other.perform { note.setValue("", forKey: "text") } }
            """, isMain: false)
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("warning: capture of 'note' with non-Sendable type 'NSManagedObject'"))
    }

    @Test("The compiler accepts the recommended code without a warning")
    func accepted() throws {
        let outcome = try compile(
            """
            let note = try manager.mainContext.fetch(\(Self.request))[0]
            note.setValue("", forKey: "text")
            let reference = try ObjectReference(note)
            try await manager.performBackground { context in
                try reference.object(in: context).setValue("other", forKey: "text")
            }
            note.setValue("", forKey: "text")
            let texts = try await manager.performMain { context in
                try context.fetch(\(Self.request)).map { $0.value(forKey: "text") as? String }
            }
            let background = manager.newBackgroundContext()
            let made = try await background.perform {
                try ObjectReference(NSManagedObject(entity: NSEntityDescription(), insertInto: background))
            }
            _ = (texts, made)
            try await manager.saveBackground(background)
            """, isMain: true)
        #expect(outcome.status == 0)
        #expect(outcome.text.isEmpty, "\(outcome.text)")
    }

    @Test(
        "An object taken onto the queue of another context passes the compiler, and stops the process where it is used")
    func takenAlong() async throws {
        let body = """
            let other = manager.newBackgroundContext()
            func touch(_ note: NSManagedObject) async { await other.perform { note.setValue("", forKey: "text") } }
            """
        #expect(try compile(body, isMain: false).status == 0)
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try await withTemporaryFolder { folder in
                let manager = CoreDataManager(
                    model: NoteModel.first(), storeURL: folder.appendingPathComponent("n.sqlite"))
                try await manager.launch()
                try await manager.performMain { NoteModel.insert("mine", into: $0) }
                try await Self.takeAlong(manager)
            }
        }
        let text = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Multithreading_Violation"))
        #expect(text.contains("CoreDataManager.main"), "\(text)")
    }

    @MainActor private static func takeAlong(_ manager: CoreDataManager) async throws {
        let note = try manager.mainContext.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))[0]
        await manager.newBackgroundContext().perform { note.setValue("", forKey: "text") }
    }

    @Test("An object fetched and sent away at once passes the compiler, and stops the process where it is used")
    func unseen() async throws {
        let body = """
            let note = try manager.mainContext.fetch(\(Self.request))[0]
            await Task.detached { note.setValue("", forKey: "text") }.value
            """
        #expect(try compile(body, isMain: true).status == 0)
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try await withTemporaryFolder { folder in
                let manager = CoreDataManager(
                    model: NoteModel.first(), storeURL: folder.appendingPathComponent("n.sqlite"))
                try await manager.launch()
                try await manager.performMain { NoteModel.insert("mine", into: $0) }
                try await Self.sendAway(manager)
            }
        }
        let text = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Multithreading_Violation"))
        #expect(text.contains("CoreDataManager.main"), "\(text)")
    }

    @Test("a manager that is set to report does not stop there, in its main, root and background contexts")
    func reported() async throws {
        let end = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try await withTemporaryFolder { folder in
                var configuration = CoreDataManager.Configuration()
                configuration.confinement = .report
                let manager = CoreDataManager(
                    model: NoteModel.first(), storeURL: folder.appendingPathComponent("n.sqlite"),
                    configuration: configuration)
                try await manager.launch()
                try await manager.performMain { NoteModel.insert("mine", into: $0) }
                try await Self.sendAway(manager)
                _ = manager.newBackgroundContext().hasChanges
            }
        }
        let text = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("CoreDataManager.main") && text.contains("writing of 'text'"), "\(text)")
        #expect(text.contains("CoreDataManager.background"), "\(text)")
    }

    @MainActor private static func sendAway(_ manager: CoreDataManager) async throws {
        let note = try manager.mainContext.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))[0]
        await Task.detached { note.setValue("", forKey: "text") }.value
    }
}
