import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite(
    "Each value of a sequence of results is what a fetch gives at that moment", .leavesNothingBehind,
    .onEveryKindOfStore)
struct ResultsSequenceReplayTests {
    /// How much of the results a request asks for.
    enum Page: CaseIterable {
        case whole
        case first
        case middle

        func cut(_ request: NSFetchRequest<NSManagedObject>) {
            if self != .whole { request.fetchLimit = 4 }
            if self == .middle { request.fetchOffset = 2 }
        }
    }

    @Test(
        "Random changes give values that equal a fetch, and their differences lead from one to the next",
        arguments: Sample.slice(FetchedResultsReplayTests.Form.allCases, oneIn: 2, "of a sequence"),
        Sample.seeds(1, long: 6))
    func randomChanges(form: FetchedResultsReplayTests.Form, seed: Int) throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            var dice = SplitMix.onCurrentKind(seed)
            var world = BookWorld(context: context)
            for _ in 0..<12 { world.step(&dice) }
            try context.save()
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            context.undoManager = UndoManager()
            var followed = try Page.allCases.map { page in
                let request = form.request
                page.cut(request)
                return try Followed(request, in: context)
            }
            for round in 0..<60 {
                for _ in 0..<Int.random(in: 1...(round % 10 == 0 ? 20 : 3), using: &dice) { world.step(&dice) }
                let event = Int.random(in: 0..<12, using: &dice)
                switch event {
                case 0...1: try context.save()
                case 2: context.rollback()
                case 3: context.refreshAllObjects()
                case 4...5: context.undo()
                case 6: context.redo()
                case 7 where round % 20 == 7:
                    context.reset()
                    world = BookWorld(context: context)
                    world.books = try context.all("Book")
                    world.authors = try context.all("Author")
                    world.number = 1000 * round
                default: break
                }
                context.processPendingChanges()
                world.forgetLost()
                for index in followed.indices {
                    let place = "\(form), \(Page.allCases[index]), seed \(seed), round \(round), event \(event)"
                    try followed[index].check(place)
                }
            }
            for one in followed { one.source.stop() }
        }
    }

    /// A source of values beside the request that it follows.
    private struct Followed {
        let source: ObjectResultsSource<FetchedResults<NSManagedObject>>
        private let request: NSFetchRequest<NSManagedObject>
        private var ids: [NSManagedObjectID]
        private let context: NSManagedObjectContext

        init(_ request: NSFetchRequest<NSManagedObject>, in context: NSManagedObjectContext) throws {
            self.request = request
            self.context = context
            source = context.objectResults(of: request, sectionNameKeyPath: nil)
            ids = try #require(try source.value()).objectIDs
        }

        /// A fetch reads related objects as the store has them; results without a page know their unsaved changes, too.
        private func expected() throws -> [NSManagedObject] {
            if request.fetchLimit > 0 { return try context.fetch(request) }
            return try context.all("Book").filter { request.predicate?.evaluate(with: $0) ?? true }
                .sorted(byDescriptors: request.sortDescriptors ?? [])
        }

        mutating func check(_ place: String) throws {
            let value = try source.value()
            let expected = try self.expected().map(\.objectID)
            func text(_ ids: [NSManagedObjectID]?) -> String {
                ids.map { $0.map { $0.uriRepresentation().lastPathComponent }.joined(separator: " ") } ?? "nil"
            }
            guard let value else {
                return try #require(text(ids) == text(expected), "\(place): no value")
            }
            try #require(text(value.objectIDs) == text(expected), "\(place)")
            try #require(
                text(value.difference.flatMap { ids.applying($0) }) == text(expected),
                "\(place): from \(text(ids))")
            #expect(Set(value.updatedObjectIDs).isSubset(of: expected), "\(place)")
            ids = expected
        }
    }
}
