/// The expected answers of four contexts on one file: three nested ones and one of another coordinator.
///
/// A context's graph is what it read from its parent (its base) with its own changes on top. Where Core Data leaves
/// open what a context sees of a change made elsewhere until it reads again, `allows` keeps such steps out: attributes
/// may change anywhere at any time, relationships only where no other context holds unsaved changes of its own.
struct ReferenceStack: Sendable {
    struct Level: Sendable {
        var base = ReferenceGraph()
        var graph = ReferenceGraph()
        /// The version of each object's row that the context's coordinator last saw; used at the levels on a
        /// coordinator.
        var seen: [Int: Int] = [:]
        /// Objects that were written to since the last save, though perhaps to the same value.
        var touched: Set<Int> = []
        /// Whether a relationship was written to since the last save: also what it led to may count as changed, though
        /// all is as it was.
        var isRelated = false
        /// Whether the parent's objects and relationships changed since this context read them.
        var isOutOfDate = false
        var undo = ReferenceUndo()

        var changes: ReferenceChanges { graph.changes(since: base) }
        var isClean: Bool { base == graph && touched.isEmpty && !isRelated }
    }

    enum SaveOutcome: Equatable, Sendable {
        case saved
        case conflict(Set<Int>)
    }

    /// How a save at a coordinator ends conflicts; one for all contexts of a run.
    enum Policy: CaseIterable, Sendable {
        case error, objectTrump, storeTrump, overwrite, rollback
    }

    let policy: Policy

    private(set) var file = ReferenceGraph()
    private(set) var versions: [Int: Int] = [:]
    var levels = [Level](repeating: Level(), count: 4)
    private var nextLabel = 1
    private var nextValue = 1

    init(policy: Policy) {
        self.policy = policy
    }

    static let chain = 0...2
    static let other = 3

    func graph(at level: Int) -> ReferenceGraph { levels[level].graph }

    private func descendants(of level: Int) -> Range<Int> {
        level == Self.other ? 4..<4 : (level + 1)..<3
    }

    private func parentGraph(of level: Int) -> ReferenceGraph {
        level == 0 || level == Self.other ? file : levels[level - 1].graph
    }

    /// Whether attributes may be changed at a level: no other level holds unsaved relationships.
    func allowsAttributes(at level: Int) -> Bool {
        level == Self.other
            ? Self.chain.allSatisfy { !levels[$0].changes.isStructural }
            : !levels[Self.other].changes.isStructural
                && descendants(of: level).allSatisfy { !levels[$0].changes.isStructural }
    }

    /// Whether objects and relationships may be changed at a level: below it and at the other coordinator all is saved.
    func allowsStructure(at level: Int) -> Bool {
        level == Self.other
            ? Self.chain.allSatisfy { levels[$0].isClean }
            : levels[Self.other].isClean && descendants(of: level).allSatisfy { levels[$0].isClean }
    }

    // MARK: changes

    mutating func makeLabel() -> Int {
        defer { nextLabel += 1 }
        return nextLabel
    }

    /// A value that no attribute had before, so that every write is a change.
    mutating func makeValue() -> Int {
        defer { nextValue += 1 }
        return nextValue
    }

    mutating func change(at level: Int, isRecorded: Bool = true, _ body: (inout ReferenceGraph) -> Void) {
        let before = levels[level].graph
        body(&levels[level].graph)
        let change = levels[level].graph.changes(since: before)
        levels[level].touched.formUnion(change.updated.keys)
        levels[level].touched.subtract(change.deleted)
        if change.updated.values.contains(where: \.isStructural) { levels[level].isRelated = true }
        markOutOfDate(below: level, if: change.isStructural)
        if isRecorded {
            levels[level].undo.record(before.changes(since: levels[level].graph).noting(levels[level].base))
        }
    }

    mutating func markOutOfDate(below level: Int, if isStructural: Bool) {
        guard isStructural else { return }
        for descendant in descendants(of: level) { levels[descendant].isOutOfDate = true }
    }

    mutating func rollBack(_ level: Int) {
        let undone = levels[level].changes
        levels[level].graph = levels[level].base
        levels[level].touched = []
        levels[level].isRelated = false
        levels[level].undo.clear()
        markOutOfDate(below: level, if: undone.isStructural)
    }

    // MARK: reading anew

    /// The context reads everything anew and keeps its unsaved changes.
    mutating func synchronize(_ level: Int) {
        let changes = levels[level].changes
        let before = levels[level].graph
        levels[level].base = parentGraph(of: level)
        levels[level].graph = levels[level].base
        levels[level].graph.apply(changes)
        let unseen = levels[level].graph.changes(since: before)
        // An object that another context has deleted is not identical to the one that comes back.
        if levels[level].undo.mentions(unseen.deleted.union(unseen.inserted.keys)) { levels[level].undo.clear() }
        levels[level].isOutOfDate = false
        if level == 0 || level == Self.other { levels[level].seen = versions }
    }

    /// One object is read anew; its unsaved attributes are kept or dropped.
    mutating func refresh(_ label: Int, at level: Int, keepingChanges: Bool) {
        guard let mine = levels[level].graph[label], let old = levels[level].base[label],
            let theirs = parentGraph(of: level)[label]
        else { return }
        var new = theirs
        if keepingChanges {
            if mine.first != old.first { new.first = mine.first }
            if mine.second != old.second { new.second = mine.second }
        } else {
            levels[level].touched.remove(label)
        }
        new.author = mine.author
        new.tags = mine.tags
        new.items = mine.items
        var base = theirs
        base.author = old.author
        base.tags = old.tags
        base.items = old.items
        levels[level].graph.replace(label, with: new)
        levels[level].base.replace(label, with: base)
        if level == 0 || level == Self.other { levels[level].seen[label] = versions[label] }
    }

    // MARK: saving

    /// The conflicts of a level's save: the objects whose rows another coordinator changed since they were read.
    func conflicts(at level: Int) -> Set<Int> {
        guard level == 0 || level == Self.other else { return [] }
        let changes = levels[level].changes
        let written = changes.deleted.union(changes.updated.keys).union(levels[level].touched)
        return written.filter { versions[$0] != nil && versions[$0] != levels[level].seen[$0] }
    }

    /// The objects whose rows were changed elsewhere since this level read them.
    func staleLabels(at level: Int) -> [Int] {
        guard level == 0 || level == Self.other else { return [] }
        return versions.filter { levels[level].seen[$0.key] != $0.value }.keys.sorted()
    }

    /// The result of a conflict: the attributes that the policy lets win.
    private func resolved(
        mine: ReferenceObject, base: ReferenceObject, theirs: ReferenceObject
    ) -> ReferenceObject {
        var result = mine
        for path in [\ReferenceObject.first, \ReferenceObject.second] {
            switch policy {
            case .error, .overwrite: break
            case .objectTrump:
                if mine[keyPath: path] == base[keyPath: path] { result[keyPath: path] = theirs[keyPath: path] }
            case .storeTrump:
                if theirs[keyPath: path] != base[keyPath: path] || mine[keyPath: path] == base[keyPath: path] {
                    result[keyPath: path] = theirs[keyPath: path]
                }
            case .rollback: result[keyPath: path] = theirs[keyPath: path]
            }
        }
        return result
    }

    mutating func save(_ level: Int) -> SaveOutcome {
        let conflicts = conflicts(at: level)
        if policy == .error, !conflicts.isEmpty { return .conflict(conflicts) }
        for label in conflicts {
            guard let mine = levels[level].graph[label], let base = levels[level].base[label], let theirs = file[label]
            else { continue }
            levels[level].graph.replace(label, with: resolved(mine: mine, base: base, theirs: theirs))
            levels[level].base.replace(label, with: theirs)
        }
        let changes = levels[level].changes
        let touched = levels[level].touched
        levels[level].base = levels[level].graph
        levels[level].touched = []
        levels[level].isRelated = false
        if level == 0 || level == Self.other {
            file.apply(changes)
            for label in changes.deleted { versions[label] = nil }
            for label in changes.inserted.keys { versions[label] = 1 }
            // A value that was set back is not written.
            for label in changes.updated.keys { versions[label, default: 0] += 1 }
            for label in touched.union(changes.inserted.keys) { levels[level].seen[label] = versions[label] }
            // Which rows a changed relationship or a resolved conflict touches is the store's affair: the other side
            // reads anew.
            let beside = level == 0 ? Self.other : 0
            if changes.isStructural || !conflicts.isEmpty {
                levels[beside].isOutOfDate = true
                markOutOfDate(below: beside, if: true)
            }
        } else {
            let before = levels[level - 1].graph
            levels[level - 1].graph.apply(changes)
            levels[level - 1].undo.record(
                before.changes(since: levels[level - 1].graph).noting(levels[level - 1].base))
            levels[level - 1].touched.formUnion(touched.subtracting(changes.inserted.keys))
            levels[level - 1].touched.subtract(changes.deleted)
        }
        return .saved
    }
}
