/// Makes the objects of a fetch from its rows, one batch after another.
///
/// For the context's queue only.
final class ObjectIntake {
    // Unchecked, and in a class: a fetch of one row would take longer for the checks, and for the variables that the
    // closure of the fetch captures, than for the row.
    @exclusivity(unchecked) private(set) var objects: [NSManagedObject] = []
    /// Whether the objects have been made as fired ones, because no method has to be called when they fire.
    @exclusivity(unchecked) private(set) var areAllFired: Bool
    @exclusivity(unchecked) private var materializer: ObjectMaterializer
    @exclusivity(unchecked) private var flags: NSManagedObject.Flags
    private let context: NSManagedObjectContext
    private let map: IdentityMap
    /// A fetch returns every row once: if the map was empty before the fetch, no row needs a search of the map.
    private let isFresh: Bool
    private let firesAtOnce: Bool
    let isRefreshing: Bool

    init(_ plan: FetchPlan, in context: NSManagedObjectContext) {
        let layout = plan.store.layout
        self.context = context
        materializer = ObjectMaterializer(binding: context.binding(at: layout.index))
        map = context.identityMap(of: layout.rootIndex)
        isFresh = map.count == 0
        isRefreshing = plan.parameters.shouldRefreshRefetchedObjects
        firesAtOnce = !plan.parameters.returnsObjectsAsFaults
        areAllFired = firesAtOnce
        flags = Self.flags(materializer.binding, fires: firesAtOnce)
    }

    /// The flags of an object that is made with its row. An object that fires is no fault, unless a method of its class
    /// is to be called then.
    private static func flags(_ binding: EntityBinding, fires: Bool) -> NSManagedObject.Flags {
        fires && !ObjectOverrides.awakening(binding.managedClass) ? [.registered] : [.registered, .unfired]
    }

    /// Takes objects that are there as the results.
    func take(faults: [NSManagedObject]) {
        objects = faults
        areAllFired = false
    }

    /// Makes the objects of rows, or finds them in the context.
    func take(_ rows: [Snapshot]) {
        // Local variables, because each object would otherwise be appended through the class.
        var current = materializer
        var all: [NSManagedObject] = []
        swap(&all, &objects)
        let start = all.count
        // If the map has objects, one search for all rows shows whether any of them has one. Mostly none has.
        let isNew = isFresh || !map.holdsAny(of: rows) && !context.hasPendingUpdates.load(ordering: .acquiring)
        for row in rows {
            if row.layoutIndex != current.layoutIndex {
                current = ObjectMaterializer(binding: context.binding(at: row.layoutIndex))
                flags = Self.flags(current.binding, fires: firesAtOnce)
            }
            if isNew {
                all.append(current.materialize(key: row.key, row: row, flags: flags))
                if flags.contains(.unfired) { areAllFired = false }
            } else {
                areAllFired = false
                all.append(context.object(for: row, materializer: current, map: map, isRefreshing: isRefreshing))
            }
        }
        materializer = current
        if isNew { map.register(contentsOf: all[start...]) }
        swap(&all, &objects)
    }
}
