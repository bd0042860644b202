import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Merging by itself", .leavesNothingBehind, .onEveryKindOfStore)
struct AutomaticMergingTests {
    /// Waits until what was delivered to a context is taken over: it stands before this block in the queue.
    private func waitForMerges(_ contexts: NSManagedObjectContext...) {
        for context in contexts { context.performAndWait {} }
    }

    private func makeAutomatic(_ contexts: NSManagedObjectContext...) {
        for context in contexts { context.performAndWait { context.automaticallyMergesChangesFromParent = true } }
    }

    @Test("Contexts on one coordinator take over each other's saves; contexts on other coordinators do not")
    func siblings() throws {
        let library = try Library()
        let (saver, reader, plain) = (library.context(), library.context(), library.context())
        makeAutomatic(reader, saver)
        #expect(reader.automaticallyMergesChangesFromParent)
        #expect(!plain.automaticallyMergesChangesFromParent)
        let book = try saver.performAndWait {
            let book = saver.make("Book", ["title": "old"])
            try saver.save()
            return Held(book)
        }
        let copies = try [reader, plain].map { context in
            try context.performAndWait {
                let copy = try #require(try context.all("Book").first)
                #expect(copy.text("title") == "old")
                return Held(copy)
            }
        }
        try saver.performAndWait {
            book.value.setValue("new", forKey: "title")
            try saver.save()
        }
        waitForMerges(reader, plain)
        reader.performAndWait { #expect(copies[0].value.text("title") == "new") }
        plain.performAndWait { #expect(copies[1].value.text("title") == "old") }
        // And back: no conflict for whoever has merged.
        try reader.performAndWait {
            copies[0].value.setValue("newer", forKey: "title")
            try reader.save()
        }
        waitForMerges(saver)
        try saver.performAndWait {
            #expect(book.value.text("title") == "newer")
            saver.delete(book.value)
            try saver.save()
        }
        waitForMerges(reader)
        reader.performAndWait { #expect(copies[0].value.managedObjectContext == nil) }
    }

    @Test("A child takes over its parent's saves and its siblings' saves into the parent")
    func children() throws {
        let library = try Library()
        let root = library.context()
        let (one, other) = (library.child(of: root), library.child(of: root))
        let grandchild = library.child(of: other)
        makeAutomatic(root, one, other, grandchild)
        let book = try root.performAndWait {
            let book = root.make("Book", ["title": "0"])
            try root.save()
            return Held(book)
        }
        let copies = try [one, other, grandchild].map { context in
            try context.performAndWait { Held(try #require(try context.all("Book", "title == '0'").first)) }
        }
        func expectAll(_ title: String, _ place: SourceLocation = #_sourceLocation) {
            waitForMerges(root, one, other, grandchild)
            for (context, copy) in zip([one, other, grandchild], copies) {
                context.performAndWait { #expect(copy.value.text("title") == title, sourceLocation: place) }
            }
        }
        try root.performAndWait {
            book.value.setValue("by the root", forKey: "title")
            try root.save()
        }
        expectAll("by the root")
        let tag = try one.performAndWait {
            copies[0].value.setValue("by a sibling", forKey: "title")
            let tag = one.make("Tag", ["name": "t", "books": NSSet(object: copies[0].value)])
            try one.save()
            return Held(tag)
        }
        expectAll("by a sibling")
        other.performAndWait { #expect(copies[1].value.texts("tags", "name") == ["t"]) }
        try root.performAndWait { try root.save() }
        waitForMerges(root, one, other, grandchild)
        try grandchild.performAndWait {
            #expect(copies[2].value.texts("tags", "name") == ["t"])
            let tags = try grandchild.all("Tag")
            #expect(tags.allSatisfy { !$0.objectID.isTemporaryID })
            grandchild.checkInvariants()
        }
        one.performAndWait { #expect(!tag.value.objectID.isTemporaryID) }
        // A save of another context on the coordinator comes down the whole tree.
        let beside = library.context()
        try beside.performAndWait {
            try #require(try beside.all("Book").first).setValue("from beside", forKey: "title")
            try beside.save()
        }
        expectAll("from beside")
    }

    @Test("Many saves from many queues arrive complete and in order")
    func manySaves() throws {
        let library = try Library()
        let reader = library.context()
        makeAutomatic(reader)
        let rounds = 40
        let names = (0..<3).map { "w\($0)" }
        let creator = library.context()
        try creator.performAndWait {
            for name in names { creator.make("Book", ["title": name, "pages": 0]) }
            try creator.save()
        }
        let books = try reader.performAndWait { Held(try reader.all("Book")) }
        DispatchQueue.concurrentPerform(iterations: names.count) { number in
            let writer = library.context()
            writer.performAndWait {
                do {
                    let book = try #require(try writer.all("Book", "title == %@", names[number]).first)
                    for round in 1...rounds {
                        book.setValue(round, forKey: "pages")
                        // Inserted, and deleted by the next save: in another order it would stay.
                        for tag in try writer.all("Tag", "name == %@", names[number]) { writer.delete(tag) }
                        if round < rounds { writer.make("Tag", ["name": names[number]]) }
                        try writer.save()
                    }
                } catch {
                    Issue.record(error)
                }
            }
        }
        waitForMerges(reader)
        try reader.performAndWait {
            #expect(books.value.allSatisfy { $0.number("pages") == rounds })
            let tags = try reader.all("Tag")
            #expect(tags.isEmpty)
            #expect(reader.registeredObjects.filter { $0.entity.name == "Tag" }.isEmpty)
            #expect(!reader.hasChanges)
            reader.checkInvariants()
        }
    }

    @Test("A main-queue context takes over background saves while it continues to read")
    @MainActor
    func mainContext() async throws {
        let library = try Library()
        let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        main.persistentStoreCoordinator = library.coordinator
        main.automaticallyMergesChangesFromParent = true
        let background = library.context()
        let book = main.make("Book", ["title": "0"])
        try main.save()
        try await background.perform {
            let copy = try #require(try background.all("Book").first)
            for number in 1...30 {
                copy.setValue("\(number)", forKey: "title")
                try background.save()
            }
        }
        await main.perform(schedule: .enqueued) {}
        #expect(book.text("title") == "30")
    }

    @Test("A context that does not merge any more gets no changes, and one that is gone is forgotten")
    func switchedOff() throws {
        let library = try Library()
        let (saver, reader) = (library.context(), library.context())
        makeAutomatic(reader)
        weak var gone: NSManagedObjectContext?
        do {
            let short = library.context()
            makeAutomatic(short)
            gone = short
        }
        #expect(gone == nil)
        let book = try saver.performAndWait {
            let book = saver.make("Book", ["title": "old"])
            try saver.save()
            return Held(book)
        }
        let copy = try reader.performAndWait {
            let copy = try #require(try reader.all("Book").first)
            #expect(copy.text("title") == "old")
            reader.automaticallyMergesChangesFromParent = false
            return Held(copy)
        }
        try saver.performAndWait {
            book.value.setValue("new", forKey: "title")
            try saver.save()
        }
        waitForMerges(reader)
        reader.performAndWait { #expect(copy.value.text("title") == "old") }
    }
}
