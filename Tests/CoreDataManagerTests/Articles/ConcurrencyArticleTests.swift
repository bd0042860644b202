import CoreData
import CoreDataManager
import Foundation
import TestSupport
import Testing

/// The Spanish article: objects that were used on another queue than their own, crashes that could not be reproduced,
/// and the two rules behind them.
@Suite("Article: Mejores prácticas: Concurrencia en Core Data")
struct ConcurrencyArticleTests {
    @Test("The failure: a main-queue context used from a background queue stops at once, where it happens")
    func ruleOne() async {
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            let manager = CoreDataManager(model: NoteModel.first(), storeURL: folder.appendingPathExtension("sqlite"))
            try await manager.launch()
            // `manager.mainContext` within the task, or returning the objects, would be an error of the compiler.
            let main = await manager.mainContext
            _ = try await Task.detached {
                try main.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")).count
            }.value
        }
        #expect(Self.isStopOfTheRule(end))
    }

    private static func isStopOfTheRule(_ end: ExitTest.Result?) -> Bool {
        String(decoding: end?.standardErrorContent ?? [], as: UTF8.self).contains("Multithreading_Violation")
    }

    /// Smuggles an object past the compiler, which would not let it cross.
    // @unchecked Sendable: the wrong way, on purpose.
    private struct Smuggled: @unchecked Sendable {
        let object: NSManagedObject
    }

    @Test("The failure: an object of one context used on the queue of another stops at once")
    func ruleTwo() async {
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            let manager = CoreDataManager(model: NoteModel.first(), storeURL: folder.appendingPathExtension("sqlite"))
            try await manager.launch()
            let smuggled = try await manager.performMain { context in
                NoteModel.insert("mine", into: context)
                let notes = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
                return Smuggled(object: notes[0])
            }
            try await manager.performBackground { _ in smuggled.object.setValue("yours", forKey: "text") }
        }
        #expect(Self.isStopOfTheRule(end))
    }

    @Test("The remedy: a reference crosses, and each side has an object of its own")
    func reference() async throws {
        try await withTemporaryFolder { folder in
            let manager = CoreDataManager(model: NoteModel.first(), storeURL: folder.appendingPathComponent("n.sqlite"))
            try await manager.launch()
            let reference = try await manager.performMain { context in
                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                note.setValue("mine", forKey: "text")
                try manager.save(wait: false)
                return try ObjectReference(note)
            }
            try await manager.performBackground { context in
                try reference.object(in: context).setValue("ours", forKey: "text")
            }
            let text = try await manager.performMain { context in
                try reference.object(in: context).value(forKey: "text") as? String
            }
            #expect(text == "ours")
        }
    }

    @Test("The article's loop, inserting and deleting in the background while the main context reads, never ends")
    func loop() async throws {
        try await withTemporaryFolder { folder in
            let manager = CoreDataManager(model: NoteModel.first(), storeURL: folder.appendingPathComponent("n.sqlite"))
            try await manager.launch()
            let reading = Task {
                var times = 0
                while !Task.isCancelled {
                    let notes = try await manager.performMain { context in
                        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
                            .map { $0.value(forKey: "text") as? String }
                    }
                    #expect(notes.allSatisfy { $0 == "person" })
                    times += 1
                }
                return times
            }
            for _ in 0..<100 {
                let person = try await manager.performBackground { context in
                    let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                    note.setValue("person", forKey: "text")
                    return try ObjectReference(note)
                }
                try await manager.performBackground { context in context.delete(try person.object(in: context)) }
            }
            reading.cancel()
            #expect(try await reading.value > 0)
            #expect(try NoteModel.texts(inStoreAt: manager.storeURL).isEmpty)
        }
    }
}
