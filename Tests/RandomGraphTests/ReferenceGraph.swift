/// An object of the reference graph: Core Data's expected answers about it, in Swift values.
struct ReferenceObject: Equatable, Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case author = "Author"
        case book = "Book"
        case tag = "Tag"
        case shelf = "Shelf"
    }

    let kind: Kind
    /// Two attributes, or none for a tag and a shelf.
    var first: Int?
    var second: Int?
    /// A book's author and tags, a shelf's books; the other side of each is computed.
    var author: Int?
    var tags: Set<Int> = []
    var items: [Int] = []

    var hasAttributes: Bool { kind == .author || kind == .book }

    /// Whether two states of one object differ in a relationship.
    func relatesOtherwise(than other: ReferenceObject) -> Bool {
        author != other.author || tags != other.tags || items != other.items
    }
}

/// A graph of objects by label: a value, so that a state is kept by copying it.
struct ReferenceGraph: Equatable, Sendable {
    private(set) var objects: [Int: ReferenceObject] = [:]

    subscript(label: Int) -> ReferenceObject? { objects[label] }

    func labels(of kind: ReferenceObject.Kind) -> [Int] {
        objects.filter { $0.value.kind == kind }.keys.sorted()
    }

    func books(by author: Int) -> Set<Int> { Set(objects.filter { $0.value.author == author }.keys) }
    func books(tagged tag: Int) -> Set<Int> { Set(objects.filter { $0.value.tags.contains(tag) }.keys) }
    func shelf(of book: Int) -> Int? { objects.first { $0.value.items.contains(book) }?.key }

    mutating func insert(_ label: Int, _ object: ReferenceObject) { objects[label] = object }
    mutating func set(_ label: Int, _ path: WritableKeyPath<ReferenceObject, Int?>, _ value: Int?) {
        objects[label]?[keyPath: path] = value
    }

    mutating func tag(_ book: Int, _ tag: Int) { objects[book]?.tags.insert(tag) }
    mutating func untag(_ book: Int, _ tag: Int) { objects[book]?.tags.remove(tag) }

    /// Sets a shelf's books; one that stood on another shelf leaves it.
    mutating func arrange(_ shelf: Int, _ items: [Int]) {
        for (other, object) in objects where other != shelf && object.kind == .shelf {
            objects[other]?.items.removeAll { items.contains($0) }
        }
        objects[shelf]?.items = items
    }

    /// Deletes an object by the model's rules: an author's books are deleted, too, other references are cleared.
    mutating func delete(_ label: Int) {
        guard let object = objects[label] else { return }
        if object.kind == .author { books(by: label).forEach { delete($0) } }
        remove(label)
    }

    /// Removes an object without its related objects, and clears all references to it.
    mutating func remove(_ label: Int) {
        objects[label] = nil
        for other in objects.keys {
            if objects[other]?.author == label { objects[other]?.author = nil }
            objects[other]?.tags.remove(label)
            objects[other]?.items.removeAll { $0 == label }
        }
    }

    /// The changes that lead from one graph to another.
    func changes(since base: ReferenceGraph) -> ReferenceChanges { ReferenceChanges(from: base, to: self) }

    mutating func apply(_ changes: ReferenceChanges) {
        for label in changes.deleted { objects[label] = nil }
        for (label, object) in changes.inserted { objects[label] = object }
        for (label, change) in changes.updated {
            guard var object = objects[label] else { continue }
            change.apply(to: &object)
            objects[label] = object
        }
    }

    /// Replaces one object's state, or adds it.
    mutating func replace(_ label: Int, with object: ReferenceObject?) { objects[label] = object }
}

/// The difference of two graphs, key by key.
struct ReferenceChanges: Sendable {
    struct Update: Sendable {
        var first: Int??
        var second: Int??
        var author: Int??
        var addedTags: Set<Int> = []
        var removedTags: Set<Int> = []
        var items: [Int]?
        /// The earlier values of the relationships that are set.
        var formerAuthor: Int??
        var formerItems: [Int]?

        var isStructural: Bool { author != nil || !addedTags.isEmpty || !removedTags.isEmpty || items != nil }

        func apply(to object: inout ReferenceObject) {
            if let first { object.first = first }
            if let second { object.second = second }
            if let author { object.author = author }
            object.tags.formUnion(addedTags)
            object.tags.subtract(removedTags)
            if let items { object.items = items }
        }
    }

    private(set) var inserted: [Int: ReferenceObject] = [:]
    /// Of the inserted ones: the context's earlier reads of them, where it had any.
    private(set) var read: [Int: ReferenceObject] = [:]
    private(set) var deleted: Set<Int> = []
    private(set) var updated: [Int: Update] = [:]

    /// The changes, to be taken back later in a context that has read this.
    func noting(_ base: ReferenceGraph) -> ReferenceChanges {
        var changes = self
        for label in inserted.keys { changes.read[label] = base[label] }
        return changes
    }

    init(from base: ReferenceGraph, to graph: ReferenceGraph) {
        for (label, object) in graph.objects {
            guard let old = base[label] else {
                inserted[label] = object
                continue
            }
            guard old != object else { continue }
            var update = Update()
            if old.first != object.first { update.first = .some(object.first) }
            if old.second != object.second { update.second = .some(object.second) }
            if old.author != object.author {
                (update.author, update.formerAuthor) = (.some(object.author), .some(old.author))
            }
            update.addedTags = object.tags.subtracting(old.tags)
            update.removedTags = old.tags.subtracting(object.tags)
            if old.items != object.items { (update.items, update.formerItems) = (object.items, old.items) }
            updated[label] = update
        }
        deleted = Set(base.objects.keys).subtracting(graph.objects.keys)
    }

    /// All objects that changed.
    var labels: Set<Int> { deleted.union(inserted.keys).union(updated.keys) }

    var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && updated.isEmpty }

    /// Whether more changed than attributes of objects that were there before.
    var isStructural: Bool {
        !inserted.isEmpty || !deleted.isEmpty || updated.values.contains { $0.isStructural }
    }
}
