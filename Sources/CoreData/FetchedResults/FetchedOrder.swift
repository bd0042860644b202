import Foundation

/// The order of the results of a fetched-results controller, and their sections.
struct FetchedOrder {
    let sortDescriptors: [NSSortDescriptor]
    let sectionKeyPath: KeyValuePath?
    /// The order of objects of the request's entity by their slots, where slots decide it.
    private let slotOrder: SlotOrder?
    private let sectionSlot: SectionSlot?

    /// The order of results of a request. `layout` is nil if the results are not objects.
    init(sortDescriptors: [NSSortDescriptor], sectionKeyPath: KeyValuePath?, of layout: EntityLayout?) {
        self.sortDescriptors = sortDescriptors
        self.sectionKeyPath = sectionKeyPath
        slotOrder = layout.flatMap { SlotOrder(sortDescriptors, of: $0) }
        sectionSlot = layout.flatMap { layout in sectionKeyPath.flatMap { SectionSlot(at: $0, of: layout) } }
    }

    /// The attribute whose values are the names of sections, if a name depends on nothing else.
    private struct SectionSlot {
        let layout: EntityLayout
        let slot: Int

        init?(at path: KeyValuePath, of layout: EntityLayout) {
            guard path.keys.count == 1, case .attribute(let slot)? = layout.access[path.text],
                NSManagedObject.isOrdered(layout.slots[slot].kind)
            else { return nil }
            self.layout = layout
            self.slot = slot
        }

        /// The present value of an object. Nil if the slot does not decide: the object has another entity, its class
        /// overrides the reading of keys, or a tracking follows its reads.
        func value(of item: NSObject) -> SlotValue? {
            let object = unsafeDowncast(item, to: NSManagedObject.self)
            guard object.binding.layout === layout, object.isReadFromSlots, !object.flags.contains(.tracksReads) else {
                return nil
            }
            object.checkConfinement("reading", layout.slots[slot].name)
            return object.slotValue(at: slot)
        }
    }

    /// Makes the names of the sections of many objects. Objects that follow each other are mostly of one section, whose
    /// name is made once: the text of a number costs more than everything else about a moved object.
    struct SectionNames {
        private let order: FetchedOrder
        private var latest: (value: SlotValue, name: String)?

        init(_ order: FetchedOrder) { self.order = order }

        /// The name of the section an object belongs to by its present values.
        mutating func name(of item: NSObject) -> String {
            guard let value = order.sectionSlot?.value(of: item) else { return order.sectionName(of: item) }
            if let latest, Self.isSame(latest.value, value) { return latest.name }
            let name = order.sectionName(of: item)
            latest = (value, name)
            return name
        }

        private static func isSame(_ one: SlotValue, _ other: SlotValue) -> Bool {
            switch (one, other) {
            case (.null, .null): true
            case (.int(let one), .int(let other)): one == other
            case (.double(let one), .double(let other)): one.bitPattern == other.bitPattern
            case (.string(let one), .string(let other)): StringComparison.areIdentical(one, other)
            default: false
            }
        }
    }

    var isSectioned: Bool { sectionKeyPath != nil }

    /// Whether a comparison of two objects costs little, so that their values need not be kept for the next one.
    var isBySlots: Bool { slotOrder != nil }

    /// The order of two objects by their present values.
    func compare(_ a: NSObject, _ b: NSObject) -> ComparisonResult {
        if let result = slotOrder?.compare(a, b) { return result }
        for descriptor in sortDescriptors {
            let result = descriptor.compare(a, to: b)
            if result != .orderedSame { return result }
        }
        return .orderedSame
    }

    /// The values of an object by which it is ordered; nil where its slots do not decide.
    func values(of object: NSObject) -> SlotOrder.Values? { slotOrder?.values(of: object) }

    /// The order of an object and one whose values are given if slots decide its order.
    @inline(__always)
    func compare(_ a: Unmanaged<NSObject>, _ b: NSObject, _ values: SlotOrder.Values?) -> ComparisonResult {
        if let values, let result = slotOrder?.compare(a, values) { return result }
        return a._withUnsafeGuaranteedRef { compare($0, b) }
    }

    /// The word of an object's row that is compared first; any word if slots do not decide.
    @inline(__always)
    func word(of object: Unmanaged<NSObject>) -> Int64 { slotOrder?.word(of: object) ?? 0 }

    /// The name of the section an object belongs to by its present values.
    func sectionName(of object: NSObject) -> String {
        guard let sectionKeyPath else { return "" }
        if let object = object as? NSManagedObject { return Self.sectionName(of: sectionKeyPath.value(of: object)) }
        return Self.sectionName(of: sectionKeyPath.value(in: object))
    }

    /// The name that a value at the section's key path gives.
    static func sectionName(of value: Any?) -> String {
        // A cast from an optional of `Any` costs several times as much as a cast of its value.
        guard let value else { return "" }
        return switch value {
        case let text as String: text
        case let number as NSNumber: number.stringValue
        case is NSNull: ""
        default: "\(value)"
        }
    }

    /// The sections of objects in order. `outOfOrder` is the first object whose section already ended before it.
    func sections(of items: [NSObject]) -> (sections: [FetchedArrangement.Section], outOfOrder: Int?) {
        guard isSectioned else { return ([FetchedArrangement.Section(name: "", start: 0)], nil) }
        var sections: [FetchedArrangement.Section] = []
        var known: Set<String> = []
        // Most objects have the value of the object before, so its name need not be made again.
        var latest: SectionValue?
        for (index, item) in items.enumerated() {
            if let latest, latest.isValue(of: item) { continue }
            let name = sectionName(of: item)
            if sections.last?.name != name {
                guard known.insert(name).inserted else { return (sections, index) }
                sections.append(FetchedArrangement.Section(name: name, start: index))
            }
            latest = sectionKeyPath.flatMap { SectionValue(of: item, at: $0) }
        }
        return (sections, nil)
    }

    /// The value of an object's row at the section's key path, if that is one of its attributes.
    private struct SectionValue {
        private let row: Snapshot
        private let layout: EntityLayout
        private let slot: Int
        private let kind: SlotKind

        init?(of item: NSObject, at path: KeyValuePath) {
            guard path.keys.count == 1, let object = item as? NSManagedObject,
                case .attribute(let slot)? = object.binding.layout.access[path.text],
                let row = Self.row(of: object, slot)
            else { return nil }
            self.row = row
            self.slot = slot
            layout = object.binding.layout
            kind = layout.slots[slot].kind
            if kind == .transformable { return nil }
        }

        /// Whether another object of the same entity has the value, too. False if the row does not decide: the object
        /// has an unsaved change of the value, or its class overrides the reading of keys.
        func isValue(of item: NSObject) -> Bool {
            guard let object = item as? NSManagedObject, object.binding.layout === layout,
                let other = Self.row(of: object, slot)
            else { return false }
            return Snapshot.isSame(row, other, at: slot, kind: kind)
        }

        /// The row of an object; fires a fault, as reading the value would.
        private static func row(of object: NSManagedObject, _ slot: Int) -> Snapshot? {
            if ObjectOverrides.reading(type(of: object)) { return nil }
            let row = object.firedRow()
            return object.overlay?.mask.contains(slot) == true ? nil : row
        }
    }

    /// The objects grouped by section, with the sections in the order of their first object.
    func grouped(_ items: [NSObject]) -> [NSObject] {
        var names: [String] = []
        var groups: [String: [NSObject]] = [:]
        for item in items {
            let name = sectionName(of: item)
            if groups[name] == nil { names.append(name) }
            groups[name, default: []].append(item)
        }
        return names.flatMap { groups[$0] ?? [] }
    }
}
