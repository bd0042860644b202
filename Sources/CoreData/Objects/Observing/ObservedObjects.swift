import Foundation
import Observation

// Implementation notes: Observing.
//
// - An object's record (`ObservedObject`) has the registrar of Observation and the observers of keys. It exists from
//   the first read during a tracking, or from the first `observe(_:options:changeHandler:)`. The records of a
//   context's objects are in one table (`ObservedObjects`), to which each entity binding refers. Without observing
//   there is no table.
// - An object has two flags: `tracksReads` in a context that observes properties, and `watched` with a record. Reads
//   test the first one together with `unfired`, so they cost nothing without it. Writes of attributes test the second
//   one.
// - A change by the program is foreseen: `change(_:apply:)` gets every property on both sides that will differ, informs
//   observers, and then makes the change.
// - An operation of the framework (a merge, a save, undo and the like) is compared: `during(_:of:)` takes the values of
//   all objects with a record before it, and compares them afterwards. So no code within an operation can be forgotten,
//   and observers never run in the middle of one. While they run, the objects show their former values
//   (`ObservedObject.former`), until the first change by an observer. So observers see in both cases the values before
//   the change.
// - `reset()` is foreseen, because its objects lose their context.

/// The objects of a context that a program observes. Used on the context's queue, except where a comment says
/// otherwise.
final class ObservedObjects {
    /// Objects end on any thread, so the table is behind a lock.
    private let table = Locked<[ObjectIdentifier: ObservedObject]>([:])
    /// Whether reads register with the tracking that is under way.
    var tracksReads = false
    /// The number of running operations of the framework.
    private var depth = 0
    /// Counts changes and operations, so that a change knows whether its observers have made one.
    private var eventCount = 0
    /// The number of changes that are being made, whose observers have been informed.
    private var applying = 0
    /// The number of running primitive setters, of which observers of keys hear nothing.
    private var primitives = 0
    /// Whether objects show the values before a change.
    private(set) var showsFormer = false
    /// The objects that show them.
    private var showing: [Taken] = []
    private let probe = TrackingProbe()
    /// By place: the arguments and key paths with which this table asks for trackings.
    private var asking: [Int: (argument: TrackingProbe.Argument, path: ObservedPlaces.Path)] = [:]
    /// The observers of the context's `hasChanges`, and the value that they know.
    private var contextObservers: [KeyValueObserver] = []
    private var hadChanges = false

    /// Registers the read of a property with the tracking that is under way.
    ///
    /// - Returns: The object's registrar; nil if no tracking is under way.
    func registrar(
        forReading place: Int, of object: NSManagedObject, known: ObservationRegistrar?
    ) -> ObservationRegistrar? {
        let (argument, path) = asking[place] ?? makeAsking(place)
        return probe.registrar(of: object, reading: path, argument, known: known)
    }

    private func makeAsking(_ place: Int) -> (argument: TrackingProbe.Argument, path: ObservedPlaces.Path) {
        let argument = TrackingProbe.Argument(place)
        let new = (argument, ObservedPlaces.path(argument))
        asking[place] = new
        return new
    }

    // MARK: Records

    /// The number of records.
    var count: Int { table.withLock { $0.count } }

    /// The record of an object; nil if no property of the object is observed.
    func record(of object: NSManagedObject) -> ObservedObject? {
        table.withLock { $0[ObjectIdentifier(object)] }
    }

    func ensureRecord(of object: NSManagedObject) -> ObservedObject {
        if let known = record(of: object) { return known }
        let new = ObservedObject(object)
        add(new, of: object)
        return new
    }

    func add(_ record: ObservedObject, of object: NSManagedObject) {
        object.flags.insert(.watched)
        table.withLock { $0[ObjectIdentifier(object)] = record }
    }

    /// Removes the record of an object. May be called on any thread.
    @discardableResult
    func remove(_ object: NSManagedObject) -> ObservedObject? {
        // The record ends outside of the lock.
        table.withLock { $0.removeValue(forKey: ObjectIdentifier(object)) }
    }

    // MARK: Changes by the program

    /// A property that a change by the program gives a value.
    struct Change {
        let object: NSManagedObject
        let place: Int
        /// Whether it is another value.
        var differs = true
        /// How members change; nil for a new value.
        var members: MemberChange?
    }

    /// Members that join or leave a to-many relationship.
    struct MemberChange {
        let objects: [NSManagedObject]
        let joins: Bool
        /// The positions in an ordered relationship.
        var indexes: IndexSet?
    }

    /// Informs the observers of properties, and makes a change. Within an operation, the end of the operation does it.
    ///
    /// An observer may make changes of its own. Then the changes are determined again, and the observers of further
    /// properties are informed.
    func change(_ changes: @autoclosure () -> [Change], apply: () -> Void) {
        if depth > 0 || applying > 0 { return apply() }
        endFormer()
        eventCount += 1
        var watched: [(Change, ObservedObject)] = []
        var firing: [(ObservedObject, NSManagedObject, Int)] = []
        var informed: Set<SeenPlace> = []
        var known = 0
        repeat {
            known = eventCount
            watched = changes().compactMap { change in
                change.object.flags.contains(.watched) ? record(of: change.object).map { (change, $0) } : nil
            }
            let next = Self.distinct(watched.filter(\.0.differs).map { ($1, $0.object, $0.place) }, &informed)
            firing += next
            for (record, object, place) in next { record.informBefore(place, of: object) }
        } while known != eventCount
        let notices = primitives == 0 ? KeyValueNotice.gather(watched) : []
        for notice in notices { notice.willChange() }
        applying += 1
        apply()
        applying -= 1
        for (change, record) in watched where record.known != nil { keep(record, of: change.object) }
        for (record, object, place) in firing { record.informAfter(place, of: object) }
        for notice in notices { notice.didChange() }
        noteHasChanges()
    }

    /// Keeps the values of an object that is a fault still.
    private func keep(_ record: ObservedObject, of object: NSManagedObject) {
        let places = record.places(object.binding.layout)
        record.known = object.row == nil ? ObservedValues.present(of: object, at: places) : nil
    }

    /// The places by which the registrars know the values, each once.
    private static func distinct(
        _ all: [(ObservedObject, NSManagedObject, Int)], _ seen: inout Set<SeenPlace>
    ) -> [(ObservedObject, NSManagedObject, Int)] {
        all.compactMap { record, object, place in
            let place = object.binding.layout.firingPlace(of: place)
            let isNew = seen.insert(SeenPlace(object: ObjectIdentifier(object), place: place)).inserted
            return isNew ? (record, object, place) : nil
        }
    }

    private struct SeenPlace: Hashable {
        let object: ObjectIdentifier
        let place: Int
    }

    /// Runs a primitive setter, which observers of keys do not follow.
    func primitively(_ body: () -> Void) {
        primitives += 1
        body()
        primitives -= 1
    }

    /// Runs a setter that uses a primitive one and is none.
    func withAccessor(_ body: () -> Void) {
        let outer = primitives
        primitives = -1
        body()
        primitives = outer
    }

    /// Whether a call of `willChangeValue(forKey:)` or `didChangeValue(forKey:)` informs observers. Within an operation
    /// the comparison at its end does it, except for keys that the entity does not have.
    func informsByHand(_ key: String, _ object: NSManagedObject) -> Bool {
        depth == 0 || object.binding.layout.access[key] == nil
    }

    // MARK: Operations of the framework

    /// Runs an operation, and informs the observers of the properties that have other values after it.
    func during<Result>(
        _ operation: () throws -> Result, of context: NSManagedObjectContext
    ) rethrows -> Result {
        if depth > 0 || applying > 0 { return try operation() }
        endFormer()
        eventCount += 1
        let taken = take(of: context)
        depth += 1
        defer { deliver(compare(taken), of: taken) }
        return try operation()
    }

    /// Informs the observers before the objects of a context lose all values, and runs the body that takes them.
    func beforeReset(of context: NSManagedObjectContext, _ body: () -> Void) {
        if depth > 0 || applying > 0 { return body() }
        endFormer()
        eventCount += 1
        let changed = take(of: context).compactMap { taken -> Changed? in
            let layout = taken.object.binding.layout
            let empty = ObservedValues.empty(taken.object)
            let places = taken.record.places(layout).filter { taken.values.differs(from: empty, at: $0) }
            return places.isEmpty ? nil : Changed(taken: taken, places: places)
        }
        inform(changed)
        applying += 1
        body()
        applying -= 1
        conclude(changed)
    }

    /// An observed object and its values before an operation.
    private struct Taken {
        let record: ObservedObject
        let object: NSManagedObject
        let values: ObservedValues
        let notices: [KeyValueNotice]
    }

    private struct Changed {
        let taken: Taken
        let places: [Int]
    }

    private func take(of context: NSManagedObjectContext) -> [Taken] {
        var all: [Taken] = []
        // An old value may be that of a fault.
        context.toleratingReadErrors {
            let records = table.withLock { $0.values.compactMap { record in record.live().map { (record, $0) } } }
            for (record, object) in records where object.binding.context === context {
                let notices = KeyValueNotice.gather(record)
                let values = object.row == nil ? record.known : nil
                all.append(
                    Taken(
                        record: record, object: object, values: values ?? ObservedValues(of: object),
                        notices: notices))
            }
        }
        return all
    }

    private func compare(_ all: [Taken]) -> [Changed] {
        all.compactMap { taken in
            let (record, object) = (taken.record, taken.object)
            let places = record.places(object.binding.layout)
            if places.isEmpty { return nil }
            let present = ObservedValues.present(of: object, at: places)
            record.known = object.row == nil ? present : nil
            let different = places.filter { taken.values.differs(from: present, at: $0) }
            return different.isEmpty ? nil : Changed(taken: taken, places: different)
        }
    }

    private func deliver(_ changed: [Changed], of all: [Taken]) {
        depth -= 1
        let gone = changed.isEmpty ? [] : all.map(\.object).filter { $0.binding.observation !== self }
        if !changed.isEmpty { showFormer(changed, gone) }
        inform(changed)
        conclude(changed)
    }

    private func inform(_ changed: [Changed]) {
        for (record, object, place) in Self.firing(changed) { record.informBefore(place, of: object) }
        endFormer()
    }

    private static func firing(_ changed: [Changed]) -> [(ObservedObject, NSManagedObject, Int)] {
        var seen: Set<SeenPlace> = []
        return distinct(
            changed.flatMap { change in change.places.map { (change.taken.record, change.taken.object, $0) } }, &seen)
    }

    /// Lets changed objects show the values before the operation, also those that it took out of the context.
    private func showFormer(_ changed: [Changed], _ gone: [NSManagedObject]) {
        let goneByKey = Dictionary(gone.map { ($0.objectKey, $0) }, uniquingKeysWith: { first, _ in first })
        for change in changed {
            change.taken.values.gone = goneByKey
            change.taken.record.former = change.taken.values
        }
        showing = changed.map(\.taken)
        showsFormer = true
        for object in gone { object.binding.observation?.showsFormer = true }
    }

    private func conclude(_ changed: [Changed]) {
        for (record, object, place) in Self.firing(changed) { record.informAfter(place, of: object) }
        var informed: Set<ObjectIdentifier> = []
        for change in changed {
            let layout = change.taken.object.binding.layout
            let keys = Set(change.places.flatMap(layout.observedKeys))
            for notice in change.taken.notices where !notice.keys.isDisjoint(with: keys) {
                if informed.insert(ObjectIdentifier(notice.observer)).inserted { notice.didChange() }
            }
        }
        noteHasChanges()
    }

    /// Lets all objects show their present values.
    private func endFormer() {
        if !showsFormer { return }
        showsFormer = false
        for taken in showing {
            taken.record.former = nil
            if taken.object.binding.observation !== self { taken.object.binding.observation?.showsFormer = false }
        }
        showing = []
    }

    // MARK: The context's own property

    func addObserverOfChanges(_ observer: KeyValueObserver, with hasChanges: Bool) {
        if contextObservers.isEmpty { hadChanges = hasChanges }
        contextObservers.removeAll { $0.isEnded }
        contextObservers.append(observer)
    }

    /// The context that has the objects; it does not end before its observing does.
    weak var context: NSManagedObjectContext?

    /// Informs the observers of `hasChanges` if it has another value.
    func noteHasChanges() {
        guard !contextObservers.isEmpty, depth == 0, applying == 0, let context else { return }
        let now = context.hasChanges
        if now == hadChanges { return }
        let old = hadChanges
        hadChanges = now
        for observer in contextObservers { observer.tell(context, from: old, to: now) }
    }
}
