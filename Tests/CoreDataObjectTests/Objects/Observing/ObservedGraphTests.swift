import Foundation
import Observation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// Random changes of a graph, with a tracker on every property of every object.
@Suite("Random graphs with a tracker on every property")
struct ObservedGraphTests {
    /// The objects of one context, and what fires in it.
    private final class Graph {
        let context: NSManagedObjectContext
        let other: NSManagedObjectContext
        let library: Library
        var random: SplitMix
        let fired = Locked<Set<String>>([])
        /// The number of the step. Trackers of earlier steps do not count, because they follow objects that are gone.
        let number = Locked(0)
        let faults = Locked<[String]>([])
        /// How many observers of a step make a change of their own.
        let acting = Locked(0)

        init(_ context: NSManagedObjectContext, _ library: Library, seed: UInt64) {
            self.context = context
            self.library = library
            other = library.context()
            random = SplitMix(state: seed)
        }

        func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

        func objects(_ entity: String, in context: NSManagedObjectContext) throws -> [NSManagedObject] {
            try context.all(entity).sorted { ObservedGraphTests.label($0) < ObservedGraphTests.label($1) }
        }

        func pick(_ entity: String, in context: NSManagedObjectContext) throws -> NSManagedObject? {
            let all = try objects(entity, in: context)
            return all.isEmpty ? nil : all[number(below: all.count)]
        }

        private var count = 0
        /// One random change of the objects of a context.
        func change(_ context: NSManagedObjectContext) throws {
            count += 1
            let texts = ["a", "b", "c"]
            switch number(below: 11) {
            case 0: context.make("Author", ["name": "author \(count)"])
            case 1:
                let author = try pick("Author", in: context)
                context.make("Book", ["isbn": "book \(count)"]).setValue(author, forKey: "author")
            case 2: context.make("Tag", ["name": "tag \(count)"])
            case 3: context.make("Shelf", ["name": "shelf \(count)"])
            case 4, 5:
                try pick("Book", in: context)?.setValue(texts[number(below: 3)], forKey: "title")
            case 6: try pick("Book", in: context)?.setValue(pick("Author", in: context), forKey: "author")
            case 7:
                guard let book = try pick("Book", in: context), let tag = try pick("Tag", in: context) else { return }
                let tags = book.mutableSetValue(forKey: "tags")
                if tags.contains(tag) { tags.remove(tag) } else { tags.add(tag) }
            case 8:
                guard let shelf = try pick("Shelf", in: context) else { return }
                let books = try objects("Book", in: context).shuffled(using: &random).prefix(3)
                shelf.setValue(NSOrderedSet(array: Array(books)), forKey: "items")
            case 9:
                guard let shelf = try pick("Shelf", in: context), let tag = try pick("Tag", in: context) else { return }
                shelf.mutableSetValue(forKey: "bookmarks").add(tag)
            default:
                let entity = ["Author", "Book", "Tag", "Shelf"][number(below: 4)]
                if let object = try pick(entity, in: context) { context.delete(object) }
            }
        }

        /// One random step in the observed context.
        func step() throws -> String {
            switch number(below: 16) {
            case 0: try? context.save(); return "save"
            case 1: context.undo(); return "undo"
            case 2: context.redo(); return "redo"
            case 3: context.rollback(); return "rollback"
            case 4:
                if let book = try pick("Book", in: context) {
                    context.refresh(book, mergeChanges: number(below: 2) == 0)
                }
                return "refresh"
            case 5: context.refreshAllObjects(); return "refresh all"
            case 6, 7, 8:
                try mergeChange()
                return "merge"
            case 9: context.processPendingChanges(); return "process"
            default:
                try change(context)
                return "change"
            }
        }

        private func mergeChange() throws {
            let context = Held(context)
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave, object: other, queue: nil
            ) { context.value.mergeChanges(fromContextDidSave: $0) }
            defer { NotificationCenter.default.removeObserver(token) }
            try other.performAndWait {
                other.reset()
                for _ in 0..<2 { try change(other) }
                try other.save()
            }
        }

        /// Tracks a property. Observers that act see each other's changes, so they do not compare values.
        func track(
            _ label: String, _ object: NSManagedObject, _ key: String, _ before: ObservedText, acts: Bool
        ) {
            // A tracker that does not fire lives as long as its object, and must not keep the store open.
            let (held, graph) = (Held({ [weak object] in object }), Held({ [weak self] in self }))
            let acting = acting
            let (fired, faults, number, own) = (fired, faults, number, number.withLock { $0 })
            withObservationTracking {
                _ = object.value(forKey: key)
            } onChange: {
                guard number.withLock({ $0 == own }) else { return }
                fired.withLock { _ = $0.insert(label) }
                if acting.withLock({ $0 > 0 }) {
                    acting.withLock { $0 -= 1 }
                    if let graph = graph.value() { try? graph.change(graph.context) }
                }
                guard !acts, let object = held.value() else { return }
                let shown = ObservedText(object, key)
                if shown != before { faults.withLock { $0.append("\(label) shows \(shown), was \(before)") } }
            }
        }
    }

    private static func label(_ object: NSManagedObject) -> String {
        (object.value(forKey: object.entity.name == "Book" || object.entity.name == "Novel" ? "isbn" : "name")
            as? String) ?? ""
    }

    /// Whether a relationship has a member without a row. Such a member is another object from time to time.
    private static func leadsToGone(_ object: NSManagedObject, _ key: String) -> Bool {
        let value = object.value(forKey: key)
        let members = (value as? NSSet)?.allObjects ?? (value as? NSOrderedSet)?.array ?? [value as Any]
        return members.contains { member in
            guard let member = member as? NSManagedObject else { return false }
            return member.isDeleted || (try? object.managedObjectContext?.existingObject(with: member.objectID)) == nil
        }
    }

    @Test("After each step exactly the trackers of the properties that differ have fired", .onEveryKindOfStore)
    func random() throws { try play(acting: 0) }

    @Test("No tracker misses a change where observers make changes of their own", .onEveryKindOfStore)
    func actingObservers() throws { try play(acting: 2) }

    private func play(acting: Int) throws {
        let sequences = Sample.isWhole ? 400 : 3
        for sequence in 0..<sequences {
            let seed = (Sample.isWhole ? 0 : Sample.seed % 100_000 * 10) + UInt64(sequence)
            let library = try Library()
            let context = library.context()
            try context.performAndWait {
                context.observesProperties = true
                context.undoManager = UndoManager()
                context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                let graph = Graph(context, library, seed: seed)
                graph.other.performAndWait { graph.other.mergePolicy = NSMergePolicy.overwrite }
                for _ in 0..<12 { try graph.change(context) }
                var last: [String] = []
                for number in 0..<40 {
                    let place = { "seed \(seed), step \(number): \(last.joined(separator: ", "))" }
                    do {
                        if try play(graph, acting: acting, &last) { continue }
                        Issue.record("\(place())")
                    } catch {
                        Issue.record(error, "\(place())")
                    }
                    return
                }
                context.rollback()
            }
        }
    }

    private func play(_ graph: Graph, acting: Int, _ steps: inout [String]) throws -> Bool {
        var all: [(label: String, object: NSManagedObject, key: String, text: ObservedText)] = []
        // The objects are held before their relationships are read, so that each object stays the one that was read.
        let objects = try ["Author", "Book", "Tag", "Shelf"].map { try graph.objects($0, in: graph.context) }
        for objects in objects {
            for object in objects {
                for key in object.entity.propertiesByName.keys.sorted() + ["isDeleted"] {
                    if Self.leadsToGone(object, key) { continue }
                    let label = "\(Self.label(object)).\(key)"
                    all.append((label, object, key, ObservedText(object, key)))
                }
            }
        }
        graph.number.withLock { $0 += 1 }
        graph.fired.withLock { $0 = [] }
        for (label, object, key, text) in all { graph.track(label, object, key, text, acts: acting > 0) }
        graph.acting.withLock { $0 = acting }
        steps.append(try graph.step())
        graph.acting.withLock { $0 = 0 }
        let fired = graph.fired.withLock { $0 }
        let differing = all.filter { ObservedText($0.object, $0.key) != $0.text }
        // In a program's store an owner that was not read keeps the id of a deleted member without an inverse.
        let keepsGone = graph.context.persistentStoreCoordinator?.hasObjectStores == true
        let silent = differing.filter {
            !fired.contains($0.label) && !(keepsGone && Self.leadsToGone($0.object, $0.key))
        }.map(\.label)
        #expect(silent.isEmpty, "\(silent.sorted())")
        // What an observer changes may be as before at the end.
        if acting > 0 { return silent.isEmpty }
        let firedAlone = fired.subtracting(differing.map(\.label))
        #expect(firedAlone.isEmpty, "\(firedAlone.sorted())")
        let faults = graph.faults.withLock { $0 }
        #expect(faults == [])
        return silent.isEmpty && firedAlone.isEmpty && faults.isEmpty
    }
}
