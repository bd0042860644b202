import Foundation

/// The values of an observed object at one moment, as the object's readers get them.
final class ObservedValues {
    private let layout: EntityLayout
    private let state: ObjectState
    /// The members of the to-many relationships that were in memory, or that had to be compared.
    private let members: [Int: [ObjectKey]]
    /// The new objects to which values lead. They keep their identity when a save gives them other keys.
    private let newcomers: [Int64: NSManagedObject]
    let isDeleted: Bool
    /// Whether the object belongs to a context. Without one its relationships lead nowhere.
    private let hasContext: Bool
    private weak var context: NSManagedObjectContext?
    /// The observed objects that an operation took out of the context.
    var gone: [ObjectKey: NSManagedObject] = [:]

    /// The values in memory.
    convenience init(of object: NSManagedObject) {
        self.init(of: object, ObjectState(of: object), members: [:])
    }

    private init(of object: NSManagedObject, _ state: ObjectState, members read: [Int: [ObjectKey]]) {
        layout = object.binding.layout
        self.state = state
        isDeleted = object.flags.contains(.deleted) && !object.flags.contains(.gone)
        hasContext = object.binding.context != nil
        context = object.binding.context
        var members = read
        for (index, memento) in state.toManys.enumerated() where members[index] == nil {
            members[index] = memento?.members
        }
        self.members = members
        newcomers = Self.newObjects(of: object, state, members)
    }

    private static func newObjects(
        of object: NSManagedObject, _ state: ObjectState, _ members: [Int: [ObjectKey]]
    ) -> [Int64: NSManagedObject] {
        guard let context = object.binding.context else { return [:] }
        var keys = members.values.joined().filter(\.isTemporary)
        let layout = object.binding.layout
        for slot in layout.referenceSlots {
            guard case .toOne = layout.slots[slot].role,
                case .slot(.int(let key)) = state.value(at: slot, kind: .reference), key < 0
            else { continue }
            keys.append(ObjectKey(layoutIndex: layout.destinations[slot].layoutIndex, key: key))
        }
        return keys.reduce(into: [:]) { known, key in known[key.key] = context.registeredObject(for: key) }
    }

    /// The values of an object that has lost its context and its row.
    static func empty(_ object: NSManagedObject) -> ObservedValues {
        ObservedValues(emptyOf: object.binding.layout, ObjectState(cleanStateOf: object, isNew: false))
    }

    private init(emptyOf layout: EntityLayout, _ clean: ObjectState) {
        self.layout = layout
        var state = clean
        state.row = layout.defaultRow
        self.state = state
        members = [:]
        newcomers = [:]
        isDeleted = false
        hasContext = false
    }

    /// The values that the next readers of an object get. An object that is a fault stays one: its row and its members
    /// are read and kept here.
    ///
    /// - Parameter places: The places that are to be compared.
    static func present(of object: NSManagedObject, at places: [Int]) -> ObservedValues {
        var state = ObjectState(of: object)
        let layout = object.binding.layout
        let isFault = state.row == nil
        guard let context = object.binding.context else {
            if isFault { state.row = layout.defaultRow }
            return ObservedValues(of: object, state, members: [:])
        }
        var members: [Int: [ObjectKey]] = [:]
        context.toleratingReadErrors {
            if isFault { state.row = (try? context.readRow(for: object.objectKey)) ?? layout.defaultRow }
            for place in places where place >= layout.slots.count && place < layout.observedPlaceOfDeletion {
                let index = place - layout.slots.count
                if isFault {
                    members[index] = faultMembers(of: object, index, state.toMany(index), context)
                } else if state.toMany(index)?.members == nil {
                    members[index] = object.members(of: index)
                }
            }
        }
        return ObservedValues(of: object, state, members: members)
    }

    private static func faultMembers(
        of object: NSManagedObject, _ index: Int, _ changes: ToManyState.Memento?, _ context: NSManagedObjectContext
    ) -> [ObjectKey]? {
        if let known = changes?.members { return known }
        let toMany = object.binding.layout.toManys[index]
        guard let base = try? context.loadMembers(of: toMany, owner: object) else { return nil }
        let state = ToManyState(base: nil, isOrdered: toMany.isOrdered)
        for member in changes?.removed ?? [] { state.noteRemoval(of: member) }
        for member in changes?.added ?? [] { state.noteAddition(of: member) }
        state.load(base)
        return state.members
    }

    /// Whether the values at a place differ in `later`. A member that was not in memory counts as changed.
    func differs(from later: ObservedValues, at place: Int) -> Bool {
        if place == layout.observedPlaceOfDeletion { return isDeleted != later.isDeleted }
        guard place < layout.slots.count else { return differ(later, inToMany: place - layout.slots.count) }
        let kind = layout.slots[place].kind
        if state.row == nil, !state.mask.contains(place), !state.boxedChanges.contains(place) { return true }
        switch kind {
        case .reference: return reference(at: place) != later.reference(at: place)
        case .transformable:
            return !Self.isSame(object(at: place), later.object(at: place))
        default:
            return !state.value(at: place, kind: kind).isSame(as: later.state.value(at: place, kind: kind))
        }
    }

    private func differ(_ later: ObservedValues, inToMany index: Int) -> Bool {
        guard let old = keys(ofToMany: index), let new = later.keys(ofToMany: index) else { return true }
        return layout.toManys[index].isOrdered ? old != new : Set(old) != Set(new)
    }

    static func isSame(_ old: Any?, _ new: Any?) -> Bool {
        guard let old, let new else { return old == nil && new == nil }
        return (old as AnyObject as? NSObject)?.isEqual(new as AnyObject) ?? false
    }

    // MARK: Reading

    /// The value of an attribute; nil for one that has only an object.
    func value(at slot: Int) -> SlotValue? {
        guard case .slot(let value) = state.value(at: slot, kind: layout.slots[slot].kind) else { return nil }
        return value
    }

    /// The present key of the object to which a to-one relationship leads.
    private func reference(at slot: Int) -> Int64? {
        guard hasContext, case .slot(.int(let key)) = state.value(at: slot, kind: .reference) else { return nil }
        return newcomers[key]?.key ?? key
    }

    private func keys(ofToMany index: Int) -> [Int64]? {
        if !hasContext { return [] }
        return members[index]?.map { newcomers[$0.key]?.key ?? $0.key }
    }

    /// The value of a transformable attribute.
    func object(at slot: Int) -> Any? {
        switch state.value(at: slot, kind: .transformable) {
        case .boxed(let object): return object
        case .slot(.data(let data)):
            guard case .attribute(let attribute) = layout.slots[slot].role else { return nil }
            return TransformableCoding.object(from: data, of: attribute)
        case .slot:
            guard case .attribute(let attribute) = layout.slots[slot].role, !layout.slots[slot].isPersistent else {
                return nil
            }
            return attribute.defaultValue
        }
    }

    /// The object to which a to-one relationship led.
    func destination(at slot: Int) -> NSManagedObject? {
        guard hasContext, case .slot(.int(let key)) = state.value(at: slot, kind: .reference) else { return nil }
        if let newcomer = newcomers[key] { return newcomer }
        let destination = layout.destinations[slot]
        var index = destination.layoutIndex
        if destination.companion >= 0,
            case .slot(.int(let concrete)) = state.value(at: destination.companion, kind: .entityNumber)
        {
            index = Int(concrete)
        }
        return object(for: ObjectKey(layoutIndex: index, key: key))
    }

    /// The members of a to-many relationship; nil if they were not in memory.
    func memberObjects(of index: Int) -> [NSManagedObject]? {
        members[index]?.compactMap { newcomers[$0.key] ?? object(for: $0) }
    }

    private func object(for key: ObjectKey) -> NSManagedObject? { gone[key] ?? context?.object(for: key) }
}
