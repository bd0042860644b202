/// The undo and redo of one context: for each group the changes that take it back, in the order in which they were
/// made.
struct ReferenceUndo: Sendable {
    private(set) var undo: [[ReferenceChanges]] = []
    private(set) var redo: [[ReferenceChanges]] = []
    /// The group that stays open over several steps, if there is one.
    private(set) var openGroup: [ReferenceChanges]?
    /// The most groups that are kept; 0 for any number.
    var limit = 0

    /// Notes what takes a change back.
    mutating func record(_ inverse: ReferenceChanges) {
        if inverse.isEmpty { return }
        redo = []
        if openGroup == nil { keep([inverse]) } else { openGroup?.append(inverse) }
    }

    private mutating func keep(_ group: [ReferenceChanges]) {
        if group.isEmpty { return }
        undo.append(group)
        if limit > 0, undo.count > limit { undo.removeFirst() }
    }

    mutating func beginGroup() { openGroup = [] }

    mutating func endGroup() {
        let group = openGroup ?? []
        openGroup = nil
        keep(group)
    }

    mutating func clear() {
        undo = []
        redo = []
        if openGroup != nil { openGroup = [] }
    }

    /// The effect of undo, or redo, now.
    func next(redoing: Bool) -> [ReferenceChanges]? { redoing ? redo.last : undo.last }

    /// Undo or redo was done; `inverse` takes that back.
    mutating func turn(redoing: Bool, inverse: [ReferenceChanges]) {
        if redoing { redo.removeLast() } else { undo.removeLast() }
        if inverse.isEmpty { return }
        if redoing { keep(inverse) } else { redo.append(inverse) }
    }

    /// Whether the record has an object come or go.
    func movesAway(_ label: Int) -> Bool {
        (undo + redo + [openGroup ?? []]).contains {
            $0.contains { $0.deleted.contains(label) || $0.inserted[label] != nil }
        }
    }

    /// The objects that undo, or redo, would have come.
    func labelsThatCome(redoing: Bool) -> Set<Int> {
        (redoing ? redo : undo).joined().reduce(into: []) { $0.formUnion($1.inserted.keys) }
    }

    /// Whether the record speaks of one of these objects.
    func mentions(_ labels: Set<Int>) -> Bool {
        (undo + redo + [openGroup ?? []]).contains { $0.contains { !$0.labels.isDisjoint(with: labels) } }
    }
}

extension ReferenceStack {
    /// Whether a level can undo (or redo) its last group: all its relationships are as they were left, and the result
    /// is consistent. Where another context has changed the same relationships in between, Core Data leaves open what
    /// happens.
    func allowsTurn(at level: Int, redoing: Bool) -> Bool {
        guard let group = levels[level].undo.next(redoing: redoing) else { return true }
        let isStructural = group.contains { $0.isStructural }
        guard isStructural ? allowsStructure(at: level) : allowsAttributes(at: level) else { return false }
        return true
    }

    /// Undoes (or redoes) the last group. False when it no longer fits; nothing has happened then.
    mutating func turn(_ level: Int, redoing: Bool) -> Bool {
        guard let group = levels[level].undo.next(redoing: redoing) else { return true }
        let old = levels[level]
        var returned = old.undo.labelsThatCome(redoing: !redoing)
        var inverse: [ReferenceChanges] = []
        var isStructural = false
        for changes in group.reversed() {
            let before = levels[level].graph
            guard before.canTakeBack(changes) else {
                levels[level] = old
                return false
            }
            levels[level].graph.takeBack(changes, in: levels[level].base, returned: returned)
            returned.formUnion(changes.deleted)
            guard levels[level].graph.isWhole else {
                levels[level] = old
                return false
            }
            let done = levels[level].graph.changes(since: before)
            for label in done.updated.keys {
                if levels[level].graph[label] == levels[level].base[label] {
                    levels[level].touched.remove(label)
                } else {
                    levels[level].touched.insert(label)
                }
            }
            levels[level].touched.subtract(done.deleted)
            isStructural = isStructural || done.isStructural
            let back = before.changes(since: levels[level].graph).noting(levels[level].base)
            if !back.isEmpty { inverse.append(back) }
        }
        levels[level].undo.turn(redoing: redoing, inverse: inverse)
        markOutOfDate(below: level, if: isStructural)
        return true
    }
}

extension ReferenceGraph {
    /// Whether nothing leads to an object that is not there, and no book stands twice.
    var isWhole: Bool {
        var placed: Set<Int> = []
        for object in objects.values {
            if let author = object.author, objects[author] == nil { return false }
            if object.tags.contains(where: { objects[$0] == nil }) { return false }
            for item in object.items where objects[item] == nil || !placed.insert(item).inserted { return false }
        }
        return true
    }

    /// Applies changes that were noted earlier. References to a deleted object are cleared. An unsaved deletion that is
    /// taken back leaves the object with its present values in the base, except for the values it had of its own. If
    /// the object had `returned` in between and that was taken back, too, it has the values with which it was first
    /// deleted.
    mutating func takeBack(_ changes: ReferenceChanges, in base: ReferenceGraph, returned: Set<Int>) {
        apply(changes)
        changes.deleted.forEach { remove($0) }
        for (label, object) in changes.inserted where !returned.contains(label) {
            guard let old = changes.read[label], let new = base[label] else { continue }
            for path in [\ReferenceObject.first, \ReferenceObject.second]
            where object[keyPath: path] == old[keyPath: path] {
                set(label, path, new[keyPath: path])
            }
        }
    }

    /// Whether the relationships that the changes set are as they were when the changes were noted.
    func canTakeBack(_ changes: ReferenceChanges) -> Bool {
        for (label, update) in changes.updated {
            guard let object = objects[label] else { continue }
            if let was = update.formerAuthor, was != object.author { return false }
            if !update.addedTags.isDisjoint(with: object.tags) { return false }
            if !update.removedTags.isSubset(of: object.tags) { return false }
            if let was = update.formerItems, was != object.items { return false }
        }
        return true
    }
}
