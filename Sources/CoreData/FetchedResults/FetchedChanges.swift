import Foundation

/// The effect of one change of a context on the results of a fetched-results controller.
struct FetchedChanges {
    struct Object {
        let object: NSObject
        let type: NSFetchedResultsChangeType
        /// Places among all objects, before and after.
        let oldIndex: Int?
        let newIndex: Int?
    }

    /// Places of deleted sections among the sections before the change, rising.
    var deletedSections: [Int] = []
    /// Places of inserted sections among the sections after the change, rising.
    var insertedSections: [Int] = []
    /// Deletions (from the last to the first), insertions (rising), moves and updates (rising).
    var objects: [Object] = []

    var isEmpty: Bool { deletedSections.isEmpty && insertedSections.isEmpty && objects.isEmpty }

    /// Sorts the objects' changes into the order in which the delegate gets them.
    mutating func sortObjects() {
        func rank(_ change: Object) -> (Int, Int) {
            switch change.type {
            case .delete: (0, -(change.oldIndex ?? 0))
            case .insert: (1, change.newIndex ?? 0)
            case .move: (2, change.newIndex ?? 0)
            case .update: (3, change.newIndex ?? 0)
            }
        }
        objects.sort { rank($0) < rank($1) }
    }

    /// The difference between two arrangements. `isChanged` says which of the remaining objects are updates.
    init(
        from old: FetchedArrangement, to new: FetchedArrangement, isChanged: (NSObject) -> Bool
    ) {
        let oldNames = Dictionary(
            old.sections.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        let survivors = new.sections.enumerated().compactMap { index, section in
            oldNames[section.name].map { (old: $0, new: index) }
        }
        let keptSections = zip(survivors, IncreasingRun.members(of: survivors.map(\.old))).filter(\.1).map(\.0)
        let staying = Dictionary(uniqueKeysWithValues: keptSections.map { ($0.old, $0.new) })
        deletedSections = old.sections.indices.filter { staying[$0] == nil }
        let stayed = Set(staying.values)
        insertedSections = new.sections.indices.filter { !stayed.contains($0) }

        var places: [ObjectIdentifier: Int] = [:]
        for (index, item) in old.items.enumerated() { places[ObjectIdentifier(item)] = index }
        var pairs: [(object: NSObject, old: Int, new: Int)] = []
        for (index, item) in new.items.enumerated() {
            if let place = places.removeValue(forKey: ObjectIdentifier(item)) {
                pairs.append((item, place, index))
            } else {
                objects.append(Object(object: item, type: .insert, oldIndex: nil, newIndex: index))
            }
        }
        for place in places.values {
            objects.append(Object(object: old.objects[place], type: .delete, oldIndex: place, newIndex: nil))
        }
        for (pair, isInOrder) in zip(pairs, IncreasingRun.members(of: pairs.map(\.old))) {
            let isStill = isInOrder && staying[old.section(at: pair.old)] == new.section(at: pair.new)
            if isStill, !isChanged(pair.object) { continue }
            objects.append(
                Object(
                    object: pair.object, type: isStill ? .update : .move, oldIndex: pair.old, newIndex: pair.new))
        }
        sortObjects()
    }

    init() {}
}

// The changes by ids.
extension FetchedChanges {
    /// The removals and insertions; those of an object that moved are associated. `former` is the id under which an
    /// object was reported, where that is another one.
    func steps(
        former: (NSObject) -> NSManagedObjectID?
    ) -> [CollectionDifference<NSManagedObjectID>.Change] {
        var steps: [CollectionDifference<NSManagedObjectID>.Change] = []
        for change in objects where change.type != .update {
            let id = Self.id(of: change.object)
            if let old = change.oldIndex {
                steps.append(
                    .remove(offset: old, element: former(change.object) ?? id, associatedWith: change.newIndex))
            }
            if let new = change.newIndex {
                steps.append(.insert(offset: new, element: id, associatedWith: change.oldIndex))
            }
        }
        return steps
    }

    /// The id of a result that is an object.
    static func id(of item: NSObject) -> NSManagedObjectID {
        unsafeDowncast(item, to: NSManagedObject.self).objectID
    }
}
