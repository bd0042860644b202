import CoreData
import Testing
import TestSupport

@testable import CoreDataTestSupport

/// Writes down the sections that come and go.
private final class SectionLog: NSObject, NSFetchedResultsControllerDelegate {
    private(set) var told: [String] = []

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        let word = type == .insert ? "insert" : "delete"
        told.append("\(word) \(sectionInfo.name) \(sectionInfo.numberOfObjects)")
    }
}

/// A book whose value for `note` is the first letter of its title, whatever is stored.
final class LetteredBook: NSManagedObject {
    override func value(forKey key: String) -> Any? {
        let value = super.value(forKey: key)
        return key == "note" ? (super.value(forKey: "title") as? String).map { String($0.prefix(1)) } : value
    }
}

@Suite("A fetched-results controller", .leavesNothingBehind, .onEveryKindOfStore)
struct NSFetchedResultsControllerTests {
    private func controller(
        _ context: NSManagedObjectContext, sections: String? = nil, sort: [String] = ["title"],
        predicate: NSPredicate? = nil, cache: String? = nil
    ) -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = sort.map { NSSortDescriptor(key: $0, ascending: true) }
        request.predicate = predicate
        return NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections, cacheName: cache)
    }

    /// Runs the body on a context that has books of the given titles, saved, in that order.
    private func withBooks(
        _ titles: [String], _ body: (NSManagedObjectContext, [NSManagedObject]) throws -> Void
    ) throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            let books = titles.map { context.make("Book", ["title": $0, "note": String($0.prefix(1))]) }
            try context.save()
            try body(context, books)
        }
    }

    private func titles(_ controller: NSFetchedResultsController<NSManagedObject>) -> [String] {
        (controller.fetchedObjects ?? []).map { $0.value(forKey: "title") as? String ?? "" }
    }

    // MARK: Reading

    @Test("Nothing is there before the first fetch; without sections there is one, even empty")
    func emptyResults() throws {
        try withBooks([]) { context, _ in
            let controller = controller(context)
            #expect(controller.fetchedObjects == nil)
            #expect(controller.sections == nil)
            try controller.performFetch()
            #expect(controller.fetchedObjects == [])
            #expect(controller.sections?.map(\.numberOfObjects) == [0])
            #expect(controller.sections?.map(\.name) == [""])
        }
    }

    @Test("Results and sections that the program holds stay as they were while objects move, come and go")
    func heldResults() throws {
        try withBooks(["a", "b", "c", "d"]) { context, books in
            let controller = controller(context, sections: "note", sort: ["note", "title"])
            let log = SectionLog()
            controller.delegate = log
            try controller.performFetch()
            let (first, sections) = (controller.fetchedObjects, controller.sections)
            books[0].setValue("d", forKey: "note")
            context.processPendingChanges()
            let moved = controller.sections?.last
            #expect(controller.object(at: [2, 0]) === books[0] && controller.indexPath(forObject: books[3]) == [2, 1])
            books[1].setValue("c", forKey: "note")
            context.processPendingChanges()
            #expect(titles(controller) == ["b", "c", "a", "d"])
            let second = controller.fetchedObjects
            books[2].setValue("e", forKey: "note")
            context.processPendingChanges()
            context.delete(books[3])
            _ = context.make("Book", ["title": "x", "note": "a"])
            context.processPendingChanges()
            #expect(titles(controller) == ["x", "b", "a", "c"])
            #expect(first == books && second == [books[1], books[2], books[0], books[3]])
            #expect(sections?.map { $0.objects as? [NSManagedObject] } == books.map { [$0] as [NSManagedObject]? })
            #expect(moved?.objects as? [NSManagedObject] == [books[0], books[3]])
            #expect(log.told.count == 4)
        }
    }

    @Test("Sections have a name, an index title, a count and their objects")
    func sections() throws {
        try withBooks(["beta", "alpha", "bravo"]) { context, books in
            let controller = controller(context, sections: "note", sort: ["note", "title"])
            try controller.performFetch()
            let sections = try #require(controller.sections)
            #expect(sections.map(\.name) == ["a", "b"])
            #expect(sections.map(\.indexTitle) == ["A", "B"])
            #expect(sections.map(\.numberOfObjects) == [1, 2])
            #expect(sections[1].objects as? [NSManagedObject] == [books[0], books[2]])
            #expect(controller.object(at: IndexPath(indexes: [1, 1])) === books[2])
            #expect(controller.indexPath(forObject: books[1]) == IndexPath(indexes: [0, 0]))
            #expect(controller.sectionIndexTitles == ["A", "B"])
            #expect(controller.section(forSectionIndexTitle: "B", at: 1) == 1)
        }
    }

    @Test("Section names are text: of numbers, of booleans as 0 and 1, and empty where nothing is")
    func sectionNames() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            for (name, active) in [("a", true), ("b", false)] as [(String, Bool)] {
                context.make("Author", ["name": name, "active": active])
            }
            context.make("Author", ["name": "c"])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.sortDescriptors = [NSSortDescriptor(key: "active", ascending: true)]
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "active", cacheName: nil)
            try controller.performFetch()
            #expect(controller.sections?.map(\.name) == ["", "0", "1"])
        }
    }

    @Test("Objects are of the section that their present value names, also beside objects with the same stored value")
    func sectionsOfChangedObjects() throws {
        try withBooks(["a1", "a2", "a3", "a4", "b1"]) { context, books in
            books[1].setValue("a", forKey: "note")
            books[2].setValue("b", forKey: "note")
            context.refresh(books[3], mergeChanges: false)
            let controller = controller(context, sections: "note", sort: ["note", "title"])
            try controller.performFetch()
            #expect(controller.sections?.map(\.name) == ["a", "b"])
            #expect(controller.sections?.map(\.numberOfObjects) == [3, 2])
            #expect(titles(controller) == ["a1", "a2", "a4", "a3", "b1"])
            // The controller has read its section, as if the test had read it.
            #expect(!books[3].isFault)
        }
    }

    @Test("Numbers that are equal and have names of their own are sections of their own")
    func sectionsOfZeros() throws {
        let library = try Library(model: ModelText.model("entity Thing\n  number double\n  place int64"))
        let context = library.context()
        try context.performAndWait {
            for (place, number) in [0.0, 0.0, -0.0, -0.0].enumerated() {
                context.make("Thing", ["number": number, "place": place])
            }
            let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
            request.sortDescriptors = [NSSortDescriptor(key: "place", ascending: true)]
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "number", cacheName: nil)
            try controller.performFetch()
            let names = [0.0, -0.0].map { NSNumber(value: $0).stringValue }
            #expect(controller.sections?.map(\.name) == (names[0] == names[1] ? [names[0]] : names))
        }
    }

    @Test("A class that answers for the section's key itself is asked about each object")
    func sectionsByClass() throws {
        let model = ModelText.model("entity Book\n  title string\n  note string")
        model.entitiesByName["Book"]?.managedObjectClassName = NSStringFromClass(LetteredBook.self)
        let context = try Library(model: model).context()
        try context.performAndWait {
            for title in ["a1", "a2", "b1"] { context.make("Book", ["title": title, "note": "same"]) }
            try context.save()
            let controller = controller(context, sections: "note")
            try controller.performFetch()
            #expect(controller.sections?.map(\.name) == ["a", "b"])
            #expect(controller.sections?.map(\.numberOfObjects) == [2, 1])
        }
    }

    @Test("Objects that are not sorted by section are an error that names the object and the section")
    func outOfOrder() throws {
        try withBooks(["a1", "b1", "a2"]) { context, _ in
            let controller = controller(context, sections: "note", sort: ["isbn"])
            for (index, book) in try context.all("Book").enumerated() { book.setValue("\(index)", forKey: "isbn") }
            let error = #expect(throws: NSError.self) { try controller.performFetch() }
            #expect(
                error?.localizedDescription.contains(
                    "The fetched object at index 2 has an out of order section name 'a") == true)
        }
    }

    @Test(
        "A change after which objects are not sorted by section is reported on standard error, and regroups them",
        .onStores(.sqlite))
    func outOfOrderLater() async {
        let end = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let context = try Library(.sqlite).context()
            try context.performAndWait {
                for title in ["a1", "b1"] { context.make("Book", ["title": title, "note": String(title.prefix(1))]) }
                try context.save()
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
                let controller = NSFetchedResultsController(
                    fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "note", cacheName: nil)
                let log = SectionLog()
                controller.delegate = log
                try controller.performFetch()
                context.make("Book", ["title": "c1", "note": "a"])
                context.processPendingChanges()
                #expect(controller.sections?.map(\.name) == ["a", "b"])
                #expect(controller.sections?.map(\.numberOfObjects) == [2, 1])
                withExtendedLifetime(log) {}
            }
        }
        #expect(end.said("(NSFetchedResultsController) The fetched object at index 2 has an out of order section name"))
    }

    @Test("Other result types are shown in sections and not followed")
    func otherResultTypes() throws {
        try withBooks(["a1", "b1"]) { context, books in
            let request = NSFetchRequest<NSDictionary>(entityName: "Book")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["title", "note"]
            request.sortDescriptors = [NSSortDescriptor(key: "note", ascending: true)]
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "note", cacheName: nil)
            try controller.performFetch()
            #expect(controller.sections?.map(\.name) == ["a", "b"])
            #expect(controller.object(at: IndexPath(indexes: [1, 0]))["title"] as? String == "b1")
        }
    }

    @Test("The results stay as they were fetched without a delegate")
    func noTracking() throws {
        try withBooks(["a"]) { context, books in
            let controller = controller(context)
            try controller.performFetch()
            context.make("Book", ["title": "b"])
            context.processPendingChanges()
            #expect(titles(controller) == ["a"])
            try controller.performFetch()
            #expect(titles(controller) == ["a", "b"])
        }
    }

    // MARK: Delegate calls

    @Test("Sections come before objects, deletions with the old places, insertions with the new ones")
    func order() throws {
        try withBooks(["a1", "a2", "b1", "c1"]) { context, books in
            let controller = controller(context, sections: "note", sort: ["note", "title"])
            try controller.performFetch()
            let delegate = RecordingDelegate(copying: controller)
            controller.delegate = delegate
            context.delete(books[2])
            context.delete(books[0])
            books[1].setValue("new", forKey: "isbn")
            books[3].setValue("d", forKey: "note")
            context.make("Book", ["title": "a3", "note": "a"])
            context.processPendingChanges()
            #expect(
                delegate.events == [
                    "will", "delete section c at 2", "delete section b at 1", "insert section d at 1", "delete 1.0 nil",
                    "delete 0.0 nil", "insert a3 nil 0.1", "move c1 2.0 1.0", "update a2 0.1 0.0", "did",
                ])
            #expect(delegate.faults == [])
        }
    }

    @Test("A change that does not touch the order is an update; one of an object not in the results is not reported")
    func updates() throws {
        try withBooks(["a", "b", "c"]) { context, books in
            let controller = controller(context, predicate: NSPredicate(format: "title != 'c'"))
            try controller.performFetch()
            let delegate = RecordingDelegate(copying: controller)
            controller.delegate = delegate
            books[2].setValue("changed", forKey: "note")
            context.processPendingChanges()
            #expect(delegate.events == [])
            books[1].setValue("bb", forKey: "title")
            context.processPendingChanges()
            #expect(delegate.events == ["will", "update bb 0.1 0.1", "did"])
        }
    }

    @Test("Only the moved object is reported as moved, not the objects that made place")
    func moves() throws {
        try withBooks(["a", "b", "c", "d"]) { context, books in
            let controller = controller(context)
            try controller.performFetch()
            let delegate = RecordingDelegate(copying: controller)
            controller.delegate = delegate
            books[0].setValue("z", forKey: "title")
            books[2].setValue("c2", forKey: "title")
            context.processPendingChanges()
            #expect(delegate.events == ["will", "move z 0.0 0.3", "update c2 0.2 0.1", "did"])
        }
    }

    @Test("An object moves between sections, and begins and ceases to match by changes of its author")
    func relatedObjects() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "A", "active": true])
            let other = context.make("Author", ["name": "B", "active": true])
            context.make("Book", ["title": "1", "author": author])
            context.make("Book", ["title": "2", "author": other])
            try context.save()
            let controller = controller(
                context, sections: "author.name", sort: ["author.name", "title"],
                predicate: NSPredicate(format: "author.active == YES"))
            try controller.performFetch()
            let delegate = RecordingDelegate(copying: controller)
            controller.delegate = delegate
            author.setValue("C", forKey: "name")
            context.processPendingChanges()
            #expect(
                delegate.events == ["will", "delete section A at 0", "insert section C at 1", "move 1 0.0 1.0", "did"])
            delegate.forget()
            other.setValue(false, forKey: "active")
            context.processPendingChanges()
            #expect(delegate.events == ["will", "delete section B at 0", "delete 0.0 nil", "did"])
            delegate.forget()
            other.setValue("an author without visible books", forKey: "name")
            context.processPendingChanges()
            #expect(delegate.events == [])
        }
    }

    @Test("A refresh of objects that another context saved is reported")
    func refreshed() throws {
        let library = try Library()
        let context = library.context()
        let beside = library.context()
        try context.performAndWait {
            let books = ["a", "b", "c"].map { context.make("Book", ["title": $0]) }
            try context.save()
            let controller = controller(context)
            try controller.performFetch()
            let delegate = RecordingDelegate(copying: controller)
            controller.delegate = delegate
            let ids = books.map(\.objectID)
            try beside.performAndWait {
                beside.object(with: ids[0]).setValue("x", forKey: "title")
                beside.delete(beside.object(with: ids[1]))
                try beside.save()
            }
            context.refreshAllObjects()
            context.processPendingChanges()
            #expect(delegate.events.contains("delete 0.1 nil"))
            #expect(titles(controller) == ["c", "x"])
            #expect(delegate.faults == [])
        }
    }

    @Test("A section that goes has no objects any more, and one that comes has all of them")
    func sectionsOfChanges() throws {
        try withBooks(["a", "b"]) { context, books in
            let controller = controller(context, sections: "title")
            let delegate = SectionLog()
            controller.delegate = delegate
            try controller.performFetch()
            for book in books { book.setValue("z", forKey: "title") }
            context.processPendingChanges()
            #expect(delegate.told == ["delete b 0", "delete a 0", "insert z 2"])
        }
    }

    @Test("A reset is not reported; the next change, or the next fetch, brings the results up to date")
    func reset() throws {
        try withBooks(["a", "b"]) { context, books in
            let controller = controller(context)
            try controller.performFetch()
            let delegate = RecordingDelegate(copying: controller)
            controller.delegate = delegate
            context.reset()
            try context.save()
            #expect(delegate.told.isEmpty)
            #expect(controller.fetchedObjects?.first === books[0])
            context.make("Book", ["title": "c"])
            context.processPendingChanges()
            #expect(titles(controller) == ["a", "b", "c"])
            #expect(controller.fetchedObjects?.contains { $0 === books[0] } == false)
            #expect(delegate.told == ["delete": 2, "insert": 3])
            #expect(delegate.faults == [])
            context.reset()
            try controller.performFetch()
            #expect(titles(controller) == ["a", "b"])
            #expect(delegate.told == ["delete": 2, "insert": 3])
        }
    }

    @Test("Insertions go beyond the limit of the request")
    func limit() throws {
        try withBooks(["a", "b", "c"]) { context, _ in
            let controller = controller(context)
            controller.fetchRequest.fetchLimit = 2
            try controller.performFetch()
            let delegate = RecordingDelegate(copying: controller)
            controller.delegate = delegate
            #expect(titles(controller) == ["a", "b"])
            context.make("Book", ["title": "aa"])
            context.processPendingChanges()
            #expect(titles(controller) == ["a", "aa", "b"])
        }
    }

    @Test("A controller and the form of it that delegates see are equal and, by ===, the same")
    func identity() throws {
        final class Witness: NSObject, NSFetchedResultsControllerDelegate {
            var seen: NSFetchedResultsController<NSFetchRequestResult>?
            func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
                seen = controller
            }
        }
        try withBooks(["a"]) { context, _ in
            let controller = controller(context)
            let other = self.controller(context)
            try controller.performFetch()
            let witness = Witness()
            controller.delegate = witness
            context.make("Book", ["title": "b"])
            context.processPendingChanges()
            let seen = try #require(witness.seen)
            let optional: NSFetchedResultsController<NSManagedObject>? = controller
            let isSame = seen === controller && optional === seen
            #expect(isSame)
            let isOther = seen !== other
            #expect(isOther)
            #expect(seen == controller)
            #expect(seen.fetchedObjects as? [NSManagedObject] == controller.fetchedObjects)
            #expect(seen.fetchRequest.entityName == "Book")
        }
    }

    // MARK: Other forms

    @Test("A delegate that takes differences, and none for sections, gets the ids that came, went and moved")
    func difference() throws {
        final class Taker: NSObject, NSFetchedResultsControllerDelegate {
            var ids: [NSManagedObjectID] = []
            var count = 0
            func controller(
                _ controller: NSFetchedResultsController<NSFetchRequestResult>,
                didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
            ) {
                count += 1
                ids = ids.applying(diff) ?? []
            }
            func controllerWillChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
                count += 100
            }
        }
        try withBooks(["a", "b", "c", "d"]) { context, books in
            let controller = controller(context)
            try controller.performFetch()
            let taker = Taker()
            controller.delegate = taker
            taker.ids = books.map(\.objectID)
            books[3].setValue("A", forKey: "title")
            context.delete(books[1])
            let new = context.make("Book", ["title": "bb"])
            context.processPendingChanges()
            #expect(taker.count == 1)
            #expect(taker.ids == controller.fetchedObjects?.map(\.objectID))
            #expect(taker.ids.contains { $0.isTemporaryID })
            try context.save()
            #expect(taker.count == 2)
            #expect(taker.ids == controller.fetchedObjects?.map(\.objectID))
            #expect(taker.ids.contains(new.objectID))
        }
    }

    @Test("A delegate that takes snapshots gets one after every fetch and change, and nothing else")
    func snapshot() throws {
        final class Taker: NSObject, NSFetchedResultsControllerDelegate {
            var snapshots: [NSFetchedResultsSnapshot] = []
            func controller(
                _ controller: NSFetchedResultsController<NSFetchRequestResult>,
                didChangeContentWith snapshot: NSFetchedResultsSnapshot
            ) {
                snapshots.append(snapshot)
            }
            func controllerWillChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
                Issue.record("told in two forms")
            }
        }
        try withBooks(["a1", "b1", "b2"]) { context, books in
            let controller = controller(context, sections: "note", sort: ["note", "title"])
            let taker = Taker()
            controller.delegate = taker
            try controller.performFetch()
            #expect(taker.snapshots.count == 1)
            #expect(taker.snapshots[0].sectionIdentifiers == ["a", "b"])
            books[1].setValue("changed", forKey: "isbn")
            context.delete(books[0])
            context.processPendingChanges()
            let snapshot = try #require(taker.snapshots.last)
            #expect(taker.snapshots.count == 2)
            #expect(snapshot.sectionIdentifiers == ["b"])
            #expect(snapshot.itemIdentifiers(inSection: "b") == [books[1].objectID, books[2].objectID])
            #expect(snapshot.reloadedItemIdentifiers == [books[1].objectID])
            #expect(snapshot.sectionIdentifier(containingItem: books[2].objectID) == "b")
            #expect(snapshot.indexOfItem(books[2].objectID) == 1)
        }
    }

    @Test("A delegate answers for index titles; a subclass of the controller too")
    func indexTitles() throws {
        final class Namer: NSObject, NSFetchedResultsControllerDelegate {
            func controller(
                _ controller: NSFetchedResultsController<NSFetchRequestResult>,
                sectionIndexTitleForSectionName sectionName: String
            ) -> String? { "<\(sectionName)>" }
        }
        final class Subclass: NSFetchedResultsController<NSManagedObject> {
            override func sectionIndexTitle(forSectionName sectionName: String) -> String? { "(\(sectionName))" }
        }
        try withBooks(["a1", "b1"]) { context, _ in
            let plain = controller(context, sections: "note", sort: ["note"])
            try plain.performFetch()
            let namer = Namer()
            plain.delegate = namer
            #expect(plain.sectionIndexTitles == ["<a>", "<b>"])
            let subclass = Subclass(
                fetchRequest: plain.fetchRequest, managedObjectContext: context, sectionNameKeyPath: "note",
                cacheName: nil)
            try subclass.performFetch()
            #expect(subclass.sectionIndexTitles == ["(a)", "(b)"])
            #expect(subclass.sections?.first?.indexTitle == "(a)")
        }
    }

    // MARK: Errors

    @Test("A request without sort descriptors stops the process, as does an index path with nothing there")
    func programmerErrors() async {
        let first = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            _ = NSFetchedResultsController(
                fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Book"), managedObjectContext: context,
                sectionNameKeyPath: nil, cacheName: nil)
        }
        #expect(first.said("requires a fetch request with sort descriptors"))
        let second = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let library = try Library()
            let context = library.context()
            try context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                request.sortDescriptors = []
                let controller = NSFetchedResultsController(
                    fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
                try controller.performFetch()
                _ = controller.object(at: IndexPath(indexes: [0, 0]))
            }
        }
        #expect(second.said("no object at index 0 in section at index 0"))
    }
}
