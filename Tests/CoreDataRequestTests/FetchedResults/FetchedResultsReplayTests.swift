import CoreData
import Testing
import TestSupport

@testable import CoreDataTestSupport

/// Random changes, which a delegate plays on a copy of the results.
@Suite(
    "The delegate calls of a fetched-results controller lead from the old results to the new ones",
    .leavesNothingBehind,
    .onEveryKindOfStore)
struct FetchedResultsReplayTests {
    enum Form: CaseIterable {
        /// By the name of an author, who may be another one or be named otherwise.
        case byAuthor
        /// By an attribute, sorted the other way round.
        case byRating
        /// Without sections, with a path through a to-many relationship in the predicate.
        case flat

        var sectionKeyPath: String? {
            switch self {
            case .byAuthor: "author.name"
            case .byRating: "copies"
            case .flat: nil
            }
        }

        var request: NSFetchRequest<NSManagedObject> {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            switch self {
            case .byAuthor:
                request.predicate = NSPredicate(format: "pages > 20 AND (author == nil OR author.active == YES)")
                request.sortDescriptors = [
                    NSSortDescriptor(key: "author.name", ascending: true),
                    NSSortDescriptor(key: "pages", ascending: true),
                    NSSortDescriptor(key: "isbn", ascending: true),
                ]
            case .byRating:
                request.predicate = NSPredicate(format: "pages < 80")
                request.sortDescriptors = [
                    NSSortDescriptor(key: "copies", ascending: false), NSSortDescriptor(key: "title", ascending: true),
                    NSSortDescriptor(key: "isbn", ascending: true),
                ]
            case .flat:
                request.predicate = NSPredicate(format: "ANY tags.name == 'a' OR pages > 70")
                request.sortDescriptors = [
                    NSSortDescriptor(key: "pages", ascending: false), NSSortDescriptor(key: "isbn", ascending: true),
                ]
            }
            return request
        }
    }

    @Test(
        "Random changes, replayed, give the controller's content and the result of a filter over all objects",
        arguments: Sample.slice(Form.allCases, oneIn: 2), Sample.seeds(1, long: 4))
    func randomChanges(form: Form, seed: Int) throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            var dice = SplitMix.onCurrentKind(seed)
            var world = BookWorld(context: context)
            for _ in 0..<12 { world.step(&dice) }
            try context.save()
            let request = form.request
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: form.sectionKeyPath,
                cacheName: nil)
            try controller.performFetch()
            let delegate = RecordingDelegate(copying: controller)
            controller.delegate = delegate
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            context.undoManager = UndoManager()
            context.undoManager?.groupsByEvent = false
            let beside = library.context()
            for round in 0..<120 {
                context.undoManager?.beginUndoGrouping()
                for _ in 0..<Int.random(in: 1...(round % 10 == 0 ? 30 : 4), using: &dice) { world.step(&dice) }
                context.undoManager?.endUndoGrouping()
                try check(controller, delegate, form, context, "seed \(seed), round \(round)")
                switch Int.random(in: 0..<12, using: &dice) {
                case 0...1: try context.save()
                case 2: context.rollback()
                case 3: context.refreshAllObjects()
                case 4...6: for _ in 0..<Int.random(in: 1...3, using: &dice) { context.undo() }
                case 7: context.redo()
                case 8:
                    try context.save()
                    try Self.change(beside, &dice, mergingInto: context)
                default: break
                }
                context.processPendingChanges()
                world.forgetLost()
                try check(controller, delegate, form, context, "seed \(seed), after round \(round)")
                context.checkInvariants()
            }
            try context.save()
            let fresh = try context.fetch(request)
            #expect(controller.fetchedObjects == fresh)
            // A section comes and goes in each play.
            context.undoManager = nil
            for book in try context.all("Book") { context.delete(book) }
            context.processPendingChanges()
            let last = context.make("Book", ["isbn": "last", "pages": 75, "copies": 1])
            context.processPendingChanges()
            try check(controller, delegate, form, context, "seed \(seed), the last book")
            context.delete(last)
            context.processPendingChanges()
            try check(controller, delegate, form, context, "seed \(seed), at the end")
            // The compared list was not empty.
            #expect(delegate.told.count == (form == .flat ? 4 : 6), "told: \(delegate.told)")
            #expect(delegate.told.values.allSatisfy { $0 >= 1 }, "told: \(delegate.told)")
        }
    }

    /// Saved changes of another context, merged into this one.
    private static func change(
        _ beside: NSManagedObjectContext, _ dice: inout SplitMix, mergingInto context: NSManagedObjectContext
    ) throws {
        var saved: [AnyHashable: Any] = [:]
        try beside.performAndWait {
            beside.reset()
            let books = try beside.all("Book").shuffled(using: &dice)
            for book in books.prefix(2) { beside.delete(book) }
            for book in books.dropFirst(2).prefix(4) {
                book.setValue(Int.random(in: 0..<100, using: &dice), forKey: "pages")
                book.setValue(Int.random(in: 0..<4, using: &dice), forKey: "copies")
            }
            for author in try beside.all("Author").shuffled(using: &dice).prefix(1) {
                author.setValue(Bool.random(using: &dice), forKey: "active")
            }
            beside.make(
                "Book",
                [
                    "title": "e", "isbn": "\(Int.random(in: 100_000..<1_000_000, using: &dice))",
                    "pages": Int.random(in: 0..<100, using: &dice), "copies": 2,
                ])
            let (updated, deleted) = (beside.updatedObjects, beside.deletedObjects)
            let new = beside.insertedObjects
            try beside.save()
            saved = [
                NSInsertedObjectsKey: new.map(\.objectID), NSUpdatedObjectsKey: updated.map(\.objectID),
                NSDeletedObjectsKey: deleted.map(\.objectID),
            ]
        }
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: saved, into: [context])
    }

    private func check(
        _ controller: NSFetchedResultsController<NSManagedObject>, _ delegate: RecordingDelegate, _ form: Form,
        _ context: NSManagedObjectContext, _ place: String
    ) throws {
        #expect(delegate.faults == [], "\(place): \(delegate.events)")
        let content = RecordingDelegate.sections(of: controller)
        #expect(delegate.copy.map(\.name) == content.map(\.name), "\(place): \(delegate.events)")
        #expect(delegate.copy.map(\.objects) == content.map(\.objects), "\(place): \(delegate.events)")
        #expect(content.flatMap(\.objects) == controller.fetchedObjects, "\(place)")
        let request = form.request
        let expected = try context.all("Book").filter { request.predicate?.evaluate(with: $0) ?? true }
            .sorted(byDescriptors: request.sortDescriptors ?? [])
        #expect(
            controller.fetchedObjects?.map { $0.value(forKey: "isbn") as? String }
                == expected.map { $0.value(forKey: "isbn") as? String }, "\(place): \(delegate.events)")
        if let keyPath = form.sectionKeyPath {
            for section in content {
                #expect(!section.objects.isEmpty)
                for object in section.objects {
                    #expect(object.value(forKeyPath: keyPath).map { "\($0)" } ?? "" == section.name, "\(place)")
                }
            }
        }
        for (index, section) in content.enumerated() {
            for (place, object) in section.objects.enumerated() {
                #expect(controller.indexPath(forObject: object) == IndexPath(indexes: [index, place]))
                #expect(controller.object(at: IndexPath(indexes: [index, place])) === object)
            }
        }
        delegate.forget()
    }
}
