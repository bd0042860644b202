import CoreData
import Foundation
import TestSupport

/// A context's answer that differs from the reference's, and after which step.
struct GraphMismatch: Error, CustomStringConvertible {
    let step: Int
    let text: String

    var description: String { "after step \(step): \(text)" }
}

/// Plays steps on real contexts and on the reference, and compares them.
final class GraphRun {
    private let library: Library
    private let other: Library
    let contexts: [NSManagedObjectContext]
    private var objects = [[Int: NSManagedObject]](repeating: [:], count: 4)
    var reference: ReferenceStack
    private var position = 0
    /// How many steps did something; the rest were not allowed where they came.
    private(set) var played = 0

    init(_ policy: ReferenceStack.Policy, _ kind: StoreKind, takesOverLater: Bool) throws {
        reference = ReferenceStack(policy: policy)
        library = try Library(kind)
        // Only SQLite's stores are shared by coordinators; for all other kinds it is one more context.
        other = kind.isDatabase ? try library.beside() : library
        let root = library.context()
        let main = library.child(of: root)
        contexts = [root, main, library.child(of: main), other.context()]
        for context in [root, contexts[ReferenceStack.other]] {
            context.performAndWait { context.mergePolicy = Self.mergePolicy(policy) }
        }
        if takesOverLater { for context in contexts { context.thresholds.childSaveSizeToWait = 0 } }
        for context in contexts { context.thresholds.unsavedCountToIndex = 0 }
        startRecording()
    }

    private static func mergePolicy(_ policy: ReferenceStack.Policy) -> NSMergePolicy {
        switch policy {
        case .error: .error
        case .objectTrump: .mergeByPropertyObjectTrump
        case .storeTrump: .mergeByPropertyStoreTrump
        case .overwrite: .overwrite
        case .rollback: .rollback
        }
    }

    /// `takesOverLater` is true if a parent takes a child's save over when it is next used, as it does with large ones.
    static func play(
        _ steps: [GraphStep], _ policy: ReferenceStack.Policy, _ kind: StoreKind, takesOverLater: Bool
    ) throws -> Int {
        let run = try GraphRun(policy, kind, takesOverLater: takesOverLater)
        for (position, step) in steps.enumerated() {
            run.position = position
            try run.play(step)
        }
        try run.finish()
        return run.played
    }

    /// Everything is saved up to the file, which a fresh coordinator reads.
    private func finish() throws {
        for level in [2, 1, 0, 3] {
            try bringUpToDate(level)
            try save(level)
        }
        try bringUpToDate(0)
        try compare(0)
        let graph = reference.graph(at: 0)
        let fresh = try library.beside().context()
        try fresh.performAndWait {
            for kind in ReferenceObject.Kind.allCases {
                let labels = try fresh.all(kind.rawValue).map(label)
                try require(labels.sorted() == graph.labels(of: kind), "the file has \(kind) \(labels.sorted())")
            }
        }
    }

    /// The level where a step is allowed: its own, or the one whose unsaved changes are in its way.
    private func level(for step: GraphStep) -> Int {
        let isAllowed: (Int) -> Bool
        switch step.move {
        case .insert, .write, .tag, .untag, .arrange, .delete, .rollback: isAllowed = reference.allowsStructure
        case .set: isAllowed = reference.allowsAttributes
        case .undo, .redo:
            let isRedo = step.move == .redo
            let canTurn = { self.reference.levels[$0].undo.next(redoing: isRedo) != nil }
            isAllowed = { canTurn($0) && self.reference.allowsTurn(at: $0, redoing: isRedo) }
        case .save, .refresh, .synchronize, .merge, .processPendingChanges, .group: return step.level
        }
        return [step.level, 2, 1, ReferenceStack.other].first(where: isAllowed) ?? step.level
    }

    private func play(_ step: GraphStep) throws {
        let level = level(for: step)
        try bringUpToDate(level)
        let graph = reference.graph(at: level)
        switch step.move {
        case .insert where reference.allowsStructure(at: level):
            insert(ReferenceObject.Kind.allCases[step.a % 4], at: level)
        case .set where reference.allowsAttributes(at: level):
            guard let label = pick(step.a, graph.labels(of: step.b & 1 == 0 ? .author : .book)) else { return }
            set(label, second: step.b & 3 == 3, isRecorded: step.b & 28 != 28, at: level)
        case .write where reference.allowsStructure(at: level):
            guard let book = pick(step.a, graph.labels(of: .book)) else { return }
            let authors: [Int?] = graph.labels(of: .author) + [nil]
            write(book, author: authors[step.b % authors.count], at: level)
        case .tag where reference.allowsStructure(at: level):
            guard let book = pick(step.a, graph.labels(of: .book)), let tag = pick(step.b, graph.labels(of: .tag))
            else { return }
            tag_(book, tag, fromTag: step.a & 1024 != 0, at: level)
        case .untag where reference.allowsStructure(at: level):
            guard let book = pick(step.a, graph.labels(of: .book)),
                let tag = pick(step.b, graph[book]?.tags.sorted() ?? [])
            else { return }
            untag(book, tag, at: level)
        case .arrange where reference.allowsStructure(at: level):
            guard let shelf = pick(step.a, graph.labels(of: .shelf)) else { return }
            arrange(shelf, with: step.b, at: level)
        case .delete where reference.allowsStructure(at: level):
            let all = ReferenceObject.Kind.allCases.flatMap { graph.labels(of: $0) }
            guard let label = pick(step.a, all) else { return }
            delete(label, at: level)
        case .save:
            try save(level)
        case .rollback where reference.allowsStructure(at: level):
            reference.rollBack(level)
            contexts[level].performAndWait { contexts[level].rollback() }
            forgetGone(at: level)
        case .refresh:
            guard let label = pick(step.a, graph.labels(of: step.b & 1 == 0 ? .author : .book)) else { return }
            guard try refresh(label, keepingChanges: step.b & 2 == 0, at: level) else { return }
        case .synchronize:
            try synchronize(level)
        case .merge:
            guard merge(into: level) else { return }
        case .processPendingChanges:
            contexts[level].performAndWait { contexts[level].processPendingChanges() }
        case .undo:
            guard turn(level, redoing: false) else { return }
        case .redo:
            guard turn(level, redoing: true) else { return }
        case .group:
            toggleGroup(at: level)
        default:
            return
        }
        played += 1
        try compare(level)
    }

    private func pick(_ number: Int, _ labels: [Int]) -> Int? {
        labels.isEmpty ? nil : labels[number % labels.count]
    }

    // MARK: steps

    private func insert(_ kind: ReferenceObject.Kind, at level: Int) {
        let label = reference.makeLabel()
        var new = ReferenceObject(kind: kind)
        if new.hasAttributes { new.first = reference.makeValue() }
        reference.change(at: level) { $0.insert(label, new) }
        contexts[level].performAndWait {
            let object = contexts[level].make(kind.rawValue, [Self.labelKey(kind): String(label)])
            write(new, to: object)
            objects[level][label] = object
        }
    }

    private func set(_ label: Int, second: Bool, isRecorded: Bool, at level: Int) {
        let value = reference.makeValue()
        // A value set unrecorded on an object that goes and comes back by undo: which one it has then is left open.
        let isRecorded = isRecorded || reference.levels[level].undo.movesAway(label)
        reference.change(at: level, isRecorded: isRecorded) { $0.set(label, second ? \.second : \.first, value) }
        contexts[level].performAndWait {
            if isRecorded {
                write(reference.graph(at: level)[label], to: objects[level][label])
            } else {
                unrecorded(level) { write(reference.graph(at: level)[label], to: objects[level][label]) }
            }
        }
    }

    private func write(_ book: Int, author: Int?, at level: Int) {
        guard reference.graph(at: level)[book]?.author != author else { return }
        reference.change(at: level) { $0.set(book, \.author, author) }
        contexts[level].performAndWait {
            objects[level][book]?.setValue(author.flatMap { objects[level][$0] }, forKey: "author")
        }
    }

    private func tag_(_ book: Int, _ tag: Int, fromTag: Bool, at level: Int) {
        guard reference.graph(at: level)[book]?.tags.contains(tag) == false else { return }
        reference.change(at: level) { $0.tag(book, tag) }
        contexts[level].performAndWait {
            guard let one = objects[level][fromTag ? tag : book], let member = objects[level][fromTag ? book : tag]
            else { return }
            let key = fromTag ? "books" : "tags"
            one.setValue(members(of: one, key).union([member]), forKey: key)
        }
    }

    private func untag(_ book: Int, _ tag: Int, at level: Int) {
        reference.change(at: level) { $0.untag(book, tag) }
        contexts[level].performAndWait {
            guard let object = objects[level][book], let tag = objects[level][tag] else { return }
            object.setValue(members(of: object, "tags").subtracting([tag]), forKey: "tags")
        }
    }

    /// Puts a book at a place of a shelf, or takes it away when it stands there already.
    private func arrange(_ shelf: Int, with number: Int, at level: Int) {
        let graph = reference.graph(at: level)
        guard let book = pick(number, graph.labels(of: .book)), var items = graph[shelf]?.items else { return }
        if let place = items.firstIndex(of: book) {
            items.remove(at: place)
            if number & 1 == 0 { items.insert(book, at: (number >> 8) % (items.count + 1)) }
        } else {
            items.insert(book, at: (number >> 8) % (items.count + 1))
        }
        guard items != graph[shelf]?.items else { return }
        reference.change(at: level) { $0.arrange(shelf, items) }
        contexts[level].performAndWait {
            let members = items.compactMap { objects[level][$0] }
            objects[level][shelf]?.setValue(NSOrderedSet(array: members), forKey: "items")
        }
    }

    private func delete(_ label: Int, at level: Int) {
        reference.change(at: level) { $0.delete(label) }
        contexts[level].performAndWait {
            if let object = objects[level][label] { contexts[level].delete(object) }
            contexts[level].processPendingChanges()
        }
    }

    private func save(_ level: Int) throws {
        // Which rows a changed relationship writes is the store's affair, so none of them may be out of date.
        if reference.levels[level].changes.isStructural, !reference.staleLabels(at: level).isEmpty {
            try synchronize(level)
        }
        let error: (any Error)? = contexts[level].performAndWait {
            do {
                try contexts[level].save()
                return nil
            } catch {
                return error
            }
        }
        switch (reference.save(level), error) {
        case (.saved, nil):
            break
        case (.saved, let error?):
            throw GraphMismatch(step: position, text: "level \(level) did not save: \(error)")
        case (.conflict(let labels), nil):
            throw GraphMismatch(step: position, text: "level \(level) saved over \(labels.sorted()), changed elsewhere")
        case (.conflict, let error?):
            try require((error as NSError).code == NSManagedObjectMergeError, "level \(level) failed with \(error)")
            // Nothing was written; reading anew and saving again is the remedy.
            try synchronize(level)
        }
        forgetGone(at: level)
        if level == 1 || level == 2 {
            forgetGone(at: level - 1)
            try compare(level - 1)
        }
    }

    private func refresh(_ label: Int, keepingChanges: Bool, at level: Int) throws -> Bool {
        guard reference.levels[level].base[label] != nil else { return false }
        // Dropping one object's relationships would leave the other side's.
        guard !reference.levels[level].changes.isStructural else { return false }
        for ancestor in ancestors(of: level) { try readAnew(ancestor) }
        reference.refresh(label, at: level, keepingChanges: keepingChanges)
        contexts[level].performAndWait {
            guard let object = objects[level][label] else { return }
            contexts[level].refresh(object, mergeChanges: keepingChanges)
            realise(object)
        }
        return true
    }

    /// The contexts from the coordinator up to a level's parent.
    private func ancestors(of level: Int) -> Range<Int> { level == ReferenceStack.other ? 0..<0 : 0..<level }

    /// Merges what the other coordinator saved, named by ids as another process would, into the context of this one.
    private func merge(into level: Int) -> Bool {
        let stale = reference.staleLabels(at: level).filter { reference.levels[level].base[$0] != nil }
        guard !stale.isEmpty else { return false }
        let context = contexts[level]
        let ids = context.performAndWait { stale.compactMap { objects[level][$0]?.objectID.uriRepresentation() } }
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectsKey: ids], into: [context])
        for label in stale { reference.refresh(label, at: level, keepingChanges: true) }
        return true
    }

    private func bringUpToDate(_ level: Int) throws {
        for level in Array(ancestors(of: level)) + [level] where reference.levels[level].isOutOfDate {
            try synchronize(level)
        }
    }

    /// Reads anew from the file up. A context's view of its parent's objects that are themselves out of date is left
    /// open.
    private func synchronize(_ level: Int) throws {
        for ancestor in ancestors(of: level) { try readAnew(ancestor) }
        try readAnew(level)
    }

    private func readAnew(_ level: Int) throws {
        synchronizeReference(level)
        try contexts[level].performAndWait {
            contexts[level].refreshAllObjects()
            objects[level] = [:]
            for kind in ReferenceObject.Kind.allCases {
                for object in try contexts[level].all(kind.rawValue) {
                    realise(object)
                    objects[level][label(object)] = object
                }
            }
        }
    }

    private func forgetGone(at level: Int) {
        let graph = reference.graph(at: level)
        contexts[level].performAndWait { objects[level] = objects[level].filter { graph[$0.key] != nil } }
    }

    // MARK: comparison

    /// A context's objects, one by one, against the reference's.
    private func compare(_ level: Int) throws {
        let graph = reference.graph(at: level)
        let changes = reference.levels[level].changes
        let context = contexts[level]
        try context.performAndWait {
            for kind in ReferenceObject.Kind.allCases {
                let found = try context.all(kind.rawValue)
                let labels = found.map(label)
                try require(
                    labels.sorted() == graph.labels(of: kind),
                    "level \(level) has \(kind) \(labels.sorted()), not \(graph.labels(of: kind))")
                for object in found {
                    let label = label(object)
                    // Undo of an older deletion puts an object in the place of one that a child has brought since.
                    let former = objects[level][label].flatMap { $0.managedObjectContext == nil ? nil : $0 }
                    let known = former ?? object
                    try require(known === object, "\(kind) \(label) is there twice at level \(level)")
                    objects[level][label] = object
                    try compare(object, graph, label, level)
                }
            }
            let inserted = Set(context.insertedObjects.map(label))
            try require(
                inserted == Set(changes.inserted.keys),
                "level \(level) lists \(inserted.sorted()) as new, not \(changes.inserted.keys.sorted())")
            try require(
                context.deletedObjects.count == changes.deleted.count,
                "level \(level) lists \(context.deletedObjects.count) deleted objects, not \(changes.deleted.count)")
            let updated = Set(context.updatedObjects.map(label))
            let missing = Set(changes.updated.keys).subtracting(updated)
            try require(missing.isEmpty, "level \(level) does not list \(missing.sorted()) as changed")
            try compareUndo(level)
            try compareCounts(context, graph, level)
            context.checkInvariants()
        }
    }

    private func compare(_ object: NSManagedObject, _ graph: ReferenceGraph, _ label: Int, _ level: Int) throws {
        guard let expected = graph[label] else { return }
        let place = "\(expected.kind) \(label) at level \(level)"
        func check<Value: Equatable>(_ key: String, _ value: Value, _ wanted: Value) throws {
            try require(value == wanted, "\(place): \(key) is \(value), not \(wanted)")
        }
        switch expected.kind {
        case .author:
            try check("joined", seconds(object.value(forKey: "joined")), expected.first)
            try check("books", labels(object, "books"), graph.books(by: label))
        case .book:
            try check("pages", number(object.value(forKey: "pages")), expected.first)
            try check("note", object.value(forKey: "note") as? String, expected.second.map(String.init))
            try check("author", (object.value(forKey: "author") as? NSManagedObject).map(self.label), expected.author)
            try check("tags", labels(object, "tags"), expected.tags)
            try check(
                "shelf", (object.value(forKey: "shelf") as? NSManagedObject).map(self.label), graph.shelf(of: label))
        case .tag:
            try check("books", labels(object, "books"), graph.books(tagged: label))
        case .shelf:
            let items = (object.value(forKey: "items") as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
            try check("items", items.map(self.label), expected.items)
        }
    }

    /// Checks that unsaved objects that are found by a value are those for which the condition holds one by one.
    private func compareCounts(_ context: NSManagedObjectContext, _ graph: ReferenceGraph, _ level: Int) throws {
        guard let book = pick(position, graph.labels(of: .book)), let pages = graph[book]?.first else { return }
        for (key, value) in [("isbn", String(book) as Any), ("pages", pages)] {
            let asked = NSPredicate(format: "%K == %@", argumentArray: [key, value])
            // A condition with OR is not found by the index.
            let expected = NSPredicate(format: "%K == %@ OR %K == %@", argumentArray: [key, value, key, value])
            let counts = try [asked, expected].map { predicate in
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                request.predicate = predicate
                return try context.count(for: request)
            }
            try require(counts[0] == counts[1], "level \(level) counts \(counts) books with \(key) \(value)")
            try require(key != "isbn" || counts[0] == 1, "level \(level) counts \(counts[0]) books \(value)")
        }
    }

    func require(_ condition: Bool, _ text: @autoclosure () -> String) throws {
        if !condition { throw GraphMismatch(step: position, text: text()) }
    }

    // MARK: values

    private static func labelKey(_ kind: ReferenceObject.Kind) -> String { kind == .book ? "isbn" : "name" }

    private func label(_ object: NSManagedObject) -> Int {
        let key = object.entity.name == "Book" ? "isbn" : "name"
        return (object.value(forKey: key) as? String).flatMap(Int.init) ?? -1
    }

    private func labels(_ object: NSManagedObject, _ key: String) -> Set<Int> {
        Set(members(of: object, key).map(label))
    }

    private func members(of object: NSManagedObject, _ key: String) -> Set<NSManagedObject> {
        object.value(forKey: key) as? Set<NSManagedObject> ?? []
    }

    private func write(_ state: ReferenceObject?, to object: NSManagedObject?) {
        guard let state, let object, state.hasAttributes else { return }
        if state.kind == .author {
            if seconds(object.value(forKey: "joined")) != state.first {
                object.setValue(state.first.map { Date(timeIntervalSinceReferenceDate: Double($0)) }, forKey: "joined")
            }
        } else {
            if number(object.value(forKey: "pages")) != state.first { object.setValue(state.first, forKey: "pages") }
            if object.value(forKey: "note") as? String != state.second.map(String.init) {
                object.setValue(state.second.map(String.init), forKey: "note")
            }
        }
    }

    private func number(_ value: Any?) -> Int? { (value as? NSNumber)?.intValue }

    private func seconds(_ value: Any?) -> Int? { (value as? Date).map { Int($0.timeIntervalSinceReferenceDate) } }

    /// Reads every property, so that what the context saw is fixed.
    private func realise(_ object: NSManagedObject) {
        for relationship in object.entity.relationshipsByName.keys { _ = object.value(forKey: relationship) }
    }
}
