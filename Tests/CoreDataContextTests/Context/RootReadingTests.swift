import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Reading through a root that is saving", .leavesNothingBehind, .onEveryKindOfStore)
struct RootReadingTests {
    /// Stops a save in the middle of its writing, from where a validation or a hook cannot: a second connection holds
    /// the file's write lock.
    private func whileRootWaits(
        _ library: Library, _ root: NSManagedObjectContext, _ body: () throws -> Void
    ) throws {
        let blocker = try RawDatabase(library.storeURL)
        try blocker.execute("BEGIN IMMEDIATE")
        let saved = DispatchGroup()
        let begun = DispatchSemaphore(value: 0)
        saved.enter()
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextWillSave, object: root, queue: nil
        ) { _ in begun.signal() }
        defer { NotificationCenter.default.removeObserver(token) }
        root.perform {
            do { try root.save() } catch { Issue.record(error) }
            saved.leave()
        }
        begun.wait()
        // The root writes only when the lock is given up, which is after the body: had the body to wait for the root,
        // it would wait for ever.
        do { try body() } catch { Issue.record(error) }
        try blocker.execute("COMMIT")
        saved.wait()
    }

    @Test("A child fetches, reads faults and relationships while its root waits for the disk", .onStores(.sqlite))
    func reading() throws {
        let library = try Library()
        let root = library.context()
        let child = library.child(of: root)
        let grandchild = library.child(of: child)
        try root.performAndWait {
            let author = root.make("Author", ["name": "a"])
            root.make("Book", ["title": "saved", "author": author])
            try root.save()
            root.make("Book", ["title": "unsaved", "author": author])
            author.setValue("b", forKey: "name")
        }
        try whileRootWaits(library, root) {
            for context in [child, grandchild] {
                try context.performAndWait {
                    let titles = try context.all("Book").compactMap { $0.text("title") }.sorted()
                    #expect(titles == ["saved", "unsaved"])
                    let author = try #require(try context.all("Author").first)
                    #expect(author.text("name") == "b")
                    #expect(author.texts("books", "title") == ["saved", "unsaved"])
                    #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 2)
                }
            }
        }
        try child.performAndWait {
            let books = try child.all("Book")
            #expect(books.count == 2)
            #expect(books.allSatisfy { !$0.objectID.isTemporaryID })
            child.checkInvariants()
        }
        root.performAndWait { #expect(!root.hasChanges) }
    }

    @Test("A child that reads all the time sees every row once, before, while and after the root saves")
    func consistency() throws {
        let library = try Library()
        let root = library.context()
        let child = library.child(of: root)
        let rounds = 30
        let done = DispatchGroup()
        for round in 0..<rounds {
            root.perform {
                for number in 0..<20 { root.make("Tag", ["name": "\(round) \(number)"]) }
            }
            done.enter()
            root.perform {
                do { try root.save() } catch { Issue.record(error) }
                done.leave()
            }
        }
        var reads = 0
        while done.wait(timeout: .now()) == .timedOut || reads == 0 {
            try child.performAndWait {
                let names = try child.all("Tag").compactMap { $0.text("name") }
                #expect(Set(names).count == names.count)
                #expect(names.count % 20 == 0)
                child.reset()
            }
            reads += 1
        }
        let count = try child.performAndWait { try child.all("Tag").count }
        #expect(count == rounds * 20)
    }
}
