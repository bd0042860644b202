import CoreData
import Testing
import TestSupport

@testable import CoreDataTestSupport

/// Random events, undone and redone in random order, among them saves and refreshes.
@Suite("Undo and redo lead to the states that were there", .leavesNothingBehind, .onEveryKindOfStore)
struct RandomUndoTests {
    @Test(
        "Random events, undone and redone at random, give the recorded states, in memory and in the store",
        arguments: Sample.seeds(3, long: 200))
    func randomEvents(seed: Int) throws {
        try play(seed) { Int.random(in: 0..<22, using: &$0) }
    }

    @Test(
        "Lists that are only arranged otherwise come back in the recorded order", arguments: Sample.seeds(1, long: 100))
    func orders(seed: Int) throws {
        try play(seed) { [2, 3, 8, 9, 14, 19, 22, 22, 22, 22, 22].randomElement(using: &$0) ?? 22 }
    }

    /// - Parameter draw: Draws the next step.
    private func play(_ seed: Int, _ draw: @escaping (inout SplitMix) -> Int) throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            var dice = SplitMix.onCurrentKind(seed)
            var world = World(context: context, draw: draw)
            for _ in 0..<30 { world.step(&dice) }
            try context.save()
            let manager = UndoManager()
            manager.groupsByEvent = false
            context.undoManager = manager
            // The states from the first to the last that redo leads to, and where we are among them.
            var states = [world.dump()]
            var position = 0
            for round in 0..<150 {
                let place = "seed \(seed), round \(round)"
                switch Int.random(in: 0..<10, using: &dice) {
                case 0...3:
                    manager.beginUndoGrouping()
                    for _ in 0..<Int.random(in: 1...6, using: &dice) {
                        world.step(&dice)
                        if Int.random(in: 0..<4, using: &dice) == 0 { context.processPendingChanges() }
                    }
                    manager.endUndoGrouping()
                    let state = world.dump()
                    if state == states[position], !manager.canUndo || manager.undoCount == position { continue }
                    states.removeSubrange((position + 1)...)
                    states.append(state)
                    position += 1
                case 4...6:
                    if position == 0 { continue }
                    context.undo()
                    position -= 1
                case 7...8:
                    if position == states.count - 1 { continue }
                    context.redo()
                    position += 1
                default:
                    try context.save()
                    if Bool.random(using: &dice) { context.refreshAllObjects() }
                }
                #expect(world.dump() == states[position], "\(place)")
                #expect(manager.undoCount == position, "\(place)")
                context.checkInvariants()
                if Int.random(in: 0..<12, using: &dice) == 0 {
                    try context.save()
                    let stored = try Self.dumpStored(in: library)
                    #expect(stored == Self.named(states[position]), "\(place)")
                }
            }
        }
    }

    /// A state without the objects' numbers, as another context sees it.
    private static func named(_ state: [String]) -> [String] {
        state.map { String($0[($0.firstIndex(of: "|") ?? $0.startIndex)...]) }.sorted()
    }

    private static func dumpStored(in library: Library) throws -> [String] {
        let beside = library.context()
        return try beside.performAndWait {
            let objects = try ["Author", "Book", "Tag", "Shelf"].flatMap { try beside.all($0) }
            return objects.map { "|" + World.text(of: $0) }.sorted()
        }
    }

    /// Objects that random steps change; a deleted one is remembered, as it may come back.
    private struct World {
        let context: NSManagedObjectContext
        let draw: (inout SplitMix) -> Int
        var objects: [NSManagedObject] = []
        var number = 0

        private func living(_ entities: String...) -> [NSManagedObject] {
            objects.filter {
                $0.managedObjectContext === context && !$0.isDeleted && entities.contains($0.entity.name ?? "")
            }
        }

        /// Every living object with its values, its place in `objects` first.
        func dump() -> [String] {
            context.processPendingChanges()
            return objects.enumerated().compactMap { index, object in
                guard object.managedObjectContext === context, !object.isDeleted else { return nil }
                return "\(index)|" + Self.text(of: object)
            }
        }

        static func text(of object: NSManagedObject) -> String {
            func name(_ object: Any?) -> String {
                guard let object = object as? NSManagedObject else { return "-" }
                return (object.value(forKey: object.entity.name == "Author" ? "name" : label(of: object)) as? String)
                    ?? "?"
            }
            func names(_ key: String) -> String {
                // Nothing takes a deleted object out of a relationship without an inverse.
                (object.value(forKey: key) as? Set<NSManagedObject> ?? []).map { ($0, name($0)) }
                    .filter { !$0.0.isDeleted }.map(\.1).sorted().joined(separator: ",")
            }
            switch object.entity.name {
            case "Author":
                return "author \(name(object)) active \(object.value(forKey: "active") ?? "-") books \(names("books"))"
            case "Tag": return "tag \(name(object)) books \(names("books"))"
            case "Shelf":
                let items =
                    (object.value(forKey: "items") as? NSOrderedSet)?.array.map(name).joined(separator: ",") ?? ""
                return "shelf \(name(object)) items \(items) bookmarks \(names("bookmarks"))"
            default:
                let keywords = (object.value(forKey: "keywords") as? [String] ?? []).joined(separator: "+")
                return """
                    book \(name(object)) title \(object.value(forKey: "title") ?? "-") pages \(object.value(forKey: "pages") ?? "-") \
                    keywords \(keywords) author \(name(object.value(forKey: "author"))) tags \(names("tags")) \
                    shelf \(name(object.value(forKey: "shelf")))
                    """
            }
        }

        private static func label(of object: NSManagedObject) -> String {
            object.entity.attributesByName["isbn"] == nil ? "name" : "isbn"
        }

        mutating func step(_ dice: inout SplitMix) {
            number += 1
            let authors = living("Author")
            let books = living("Book", "Novel")
            let tags = living("Tag")
            let shelves = living("Shelf")
            let book = books.randomElement(using: &dice)
            switch draw(&dice) {
            case 0...1: objects.append(context.make("Author", ["name": "a\(number)"]))
            case 2...6:
                let new = context.make(Bool.random(using: &dice) ? "Book" : "Novel", ["isbn": "b\(number)"])
                new.setValue(authors.randomElement(using: &dice), forKey: "author")
                objects.append(new)
            case 7: objects.append(context.make("Tag", ["name": "t\(number)"]))
            case 8 where shelves.count < 4: objects.append(context.make("Shelf", ["name": "s\(number)"]))
            case 9...10: if let book { context.delete(book) }
            case 11: if let author = authors.randomElement(using: &dice) { context.delete(author) }
            case 12: if let tag = tags.randomElement(using: &dice) { context.delete(tag) }
            case 13: if let shelf = shelves.randomElement(using: &dice), number % 3 == 0 { context.delete(shelf) }
            case 14: book?.setValue("title \(number)", forKey: "title")
            case 15: book?.setValue(number, forKey: "pages")
            case 16: book?.setValue(["k\(number)"] as NSArray, forKey: "keywords")
            case 17: book?.setValue(authors.randomElement(using: &dice), forKey: "author")
            case 18: book?.setValue(Set(tags.filter { _ in Bool.random(using: &dice) }), forKey: "tags")
            case 19:
                shelves.randomElement(using: &dice)?.setValue(
                    NSOrderedSet(array: books.shuffled(using: &dice).prefix(4).map { $0 }), forKey: "items")
            case 20:
                shelves.randomElement(using: &dice)?.setValue(
                    Set(tags.filter { _ in Bool.random(using: &dice) }), forKey: "bookmarks")
            case 22:
                // Another order alone: the members and their rows stay.
                let shelf = shelves.randomElement(using: &dice)
                let items = (shelf?.value(forKey: "items") as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
                shelf?.setValue(
                    NSOrderedSet(array: items.filter { !$0.isDeleted }.shuffled(using: &dice)), forKey: "items")
            default: authors.randomElement(using: &dice)?.setValue(number % 2 == 0, forKey: "active")
            }
        }
    }
}
