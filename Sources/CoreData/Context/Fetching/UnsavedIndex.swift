/// Finds unsaved objects by the value of an attribute.
///
/// A fetch evaluates unsaved objects by their present values. Find-or-create fetches once for each object that it
/// makes: evaluating all that it has made before grows with the square of their number. So a fetch for one value of an
/// attribute, or for some, looks them up here.
///
/// The index reads the context's lists of inserted and of changed objects as far as they have grown. The context drops
/// the index when it shortens a list. An object that changes is noted once, and read again at the next look-up. An
/// object that was found may have another value by now, and the fetch evaluates it. An object with the value is always
/// found.
final class UnsavedIndex {
    /// A value with which a fetch compares an attribute.
    enum Value: Hashable {
        case text(String)
        case integer(Int64)
    }

    /// An attribute of an entity, and of those below it.
    struct Attribute: Hashable {
        let layoutIndex: Int
        let name: String
    }

    fileprivate enum Reading: Equatable {
        case value(Value)
        case null
        /// The object's row would have to be read first, or its class computes the value: each look-up finds the
        /// object.
        case unknown
    }

    fileprivate struct Table {
        let range: Range<Int>
        /// The number of objects of each list that have been read.
        var inserted = 0
        var updated = 0
        /// Objects stay under values that they had.
        var objects: [Value: [NSManagedObject]] = [:]
        var unknown: [NSManagedObject] = []
        /// The place of each object in its list, and the value with which it was read last.
        var known: [ObjectIdentifier: (position: Int, reading: Reading)] = [:]
    }

    private var tables: [Attribute: Table] = [:]
    private var stale: [NSManagedObject] = []

    /// Notes an object whose values may differ from those that were read.
    func noteChange(of object: NSManagedObject) {
        stale.append(object)
    }

    /// The unsaved objects of an attribute's entity that may have one of some values, without deleted ones: inserted
    /// objects, then changed ones, each in the order of their list.
    func objects(_ values: [Value], of attribute: Attribute, in context: NSManagedObjectContext) -> [NSManagedObject] {
        readStale()
        var table = tables.removeValue(forKey: attribute) ?? Table(range: context.subtree(of: attribute.layoutIndex))
        table.read(context, attribute.name)
        var found: [NSManagedObject] = []
        var seen: Set<ObjectIdentifier> = []
        for object in values.flatMap({ table.objects[$0] ?? [] }) + table.unknown
        where object.isInsertedOrUpdated && seen.insert(ObjectIdentifier(object)).inserted { found.append(object) }
        tables[attribute] = table
        func place(_ object: NSManagedObject) -> (Int, Int) {
            (object.flags.contains(.inserted) ? 0 : 1, table.known[ObjectIdentifier(object)]?.position ?? 0)
        }
        return found.count < 2 ? found : found.sorted { place($0) < place($1) }
    }

    private func readStale() {
        if stale.isEmpty { return }
        let changed = stale
        stale = []
        for attribute in tables.keys {
            for object in changed { tables[attribute]?.readAgain(object, attribute.name) }
        }
    }

    /// The reason why an unsaved object would not be found by its value; nil if every one would be found.
    func contradiction(in context: NSManagedObjectContext) -> String? {
        let isStale = Set(stale.map(ObjectIdentifier.init))
        for (attribute, table) in tables {
            if let contradiction = table.contradiction(in: context, attribute.name, isStale.contains) {
                return "\(contradiction) (\(attribute.name))"
            }
        }
        return nil
    }
}

extension UnsavedIndex.Table {
    fileprivate func contradiction(
        in context: NSManagedObjectContext, _ name: String, _ isStale: (ObjectIdentifier) -> Bool
    ) -> String? {
        if inserted > context.tracked.inserted.count { return "The index has read more objects than were inserted" }
        if updated > context.tracked.updated.count { return "The index has read more objects than were changed" }
        let found = objects.mapValues { Set($0.map(ObjectIdentifier.init)) }
        let isUnknown = Set(unknown.map(ObjectIdentifier.init))
        for object in context.tracked.inserted[..<inserted] + context.tracked.updated[..<updated]
        where range.contains(object.binding.layout.index) && object.isInsertedOrUpdated {
            let identifier = ObjectIdentifier(object)
            guard let (position, reading) = known[identifier] else { return "The index has not read an object" }
            let isInPlace = [context.tracked.inserted, context.tracked.updated].contains {
                $0.indices.contains(position) && $0[position] === object
            }
            if !isInPlace { return "The index has an object in another place than its list" }
            if isStale(identifier) { continue }
            if !object.flags.contains(.indexed) { return "An object will not tell the index that it changes" }
            switch reading {
            case .unknown:
                if !isUnknown.contains(identifier) { return "The index finds an object under no value" }
            case .value(let value):
                if found[value]?.contains(identifier) != true { return "The index finds an object under no value" }
                fallthrough
            case .null:
                if reading != Self.reading(of: object, name) {
                    return "The index has an object under a value that it has no longer"
                }
            }
        }
        return nil
    }
}

extension UnsavedIndex.Table {
    fileprivate mutating func read(_ context: NSManagedObjectContext, _ name: String) {
        while inserted < context.tracked.inserted.count {
            read(context.tracked.inserted[inserted], name, inserted)
            inserted += 1
        }
        while updated < context.tracked.updated.count {
            read(context.tracked.updated[updated], name, updated)
            updated += 1
        }
    }

    fileprivate mutating func readAgain(_ object: NSManagedObject, _ name: String) {
        if let position = known[ObjectIdentifier(object)]?.position { read(object, name, position) }
    }

    private mutating func read(_ object: NSManagedObject, _ name: String, _ position: Int) {
        guard range.contains(object.binding.layout.index) else { return }
        object.flags.insert(.indexed)
        let former = known[ObjectIdentifier(object)]
        let reading = Self.reading(of: object, name)
        known[ObjectIdentifier(object)] = (former?.position ?? position, reading)
        if former?.reading == reading { return }
        switch reading {
        case .value(let value): objects[value, default: []].append(object)
        case .unknown: unknown.append(object)
        case .null: break
        }
    }

    fileprivate static func reading(of object: NSManagedObject, _ name: String) -> UnsavedIndex.Reading {
        guard object.row != nil, !ObjectOverrides.reading(type(of: object)),
            case .attribute(let slot)? = object.binding.layout.access[name]
        else { return .unknown }
        switch object.slotValue(at: slot) {
        case .string(let text): return .value(.text(text))
        case .int(let number): return .value(.integer(number))
        case .null: return .null
        default: return .unknown
        }
    }
}

extension NSManagedObject {
    fileprivate final var isInsertedOrUpdated: Bool {
        !flags.isDisjoint(with: [.inserted, .updated]) && !flags.contains(.deleted)
    }

    /// Notes that values of the object have changed, or may have.
    @inline(__always)
    final func noteNewValues() {
        guard flags.contains(.indexed) else { return }
        flags.remove(.indexed)
        binding.context?.tracked.unsavedIndex?.noteChange(of: self)
    }
}
