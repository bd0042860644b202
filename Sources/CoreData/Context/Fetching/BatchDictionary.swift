import Foundation

/// The dictionary that the handler of a batch insertion fills, row after row.
///
/// `NSMutableDictionary` boxes keys and values as objects, which costs several times as much as the row itself. This
/// class keeps the values of attributes by their slots, as they were given.
final class BatchDictionary: NSMutableDictionary {
    /// Nil in a dictionary that was made from this one's class.
    private let layout: EntityLayout?
    /// By slot.
    private var values: [Any?]
    /// The keys of attributes in the order in which the previous row named them, with their slots. Rows mostly name
    /// their attributes in one order, and comparing a name with the next key takes a tenth of the time of a search.
    private var named: [(name: String, slot: Int)] = []
    private var nextName = 0
    /// The values under keys that are not attributes.
    private(set) var others: [AnyHashable: Any] = [:]

    init(_ layout: EntityLayout) {
        self.layout = layout
        values = Array(repeating: nil, count: layout.slots.count)
        super.init(objects: nil, forKeys: nil, count: 0)
    }

    required init(objects: UnsafePointer<AnyObject>!, forKeys keys: UnsafePointer<NSObject>!, count: Int) {
        layout = nil
        values = []
        super.init(objects: nil, forKeys: nil, count: 0)
        for place in 0..<count { others[Self.key(keys[place]) ?? AnyHashable(keys[place])] = objects[place] }
    }

    /// Calls a body with each slot that has a value.
    func forEachSlot(_ body: (Int, Any) throws -> Void) rethrows {
        for slot in values.indices {
            if let value = values[slot] { try body(slot, value) }
        }
    }

    /// The slot of the attribute that a key names.
    private func slot(_ key: Any) -> Int? {
        guard let name = exactly(key, String.self) ?? key as? String else { return nil }
        if nextName < named.count, named[nextName].name == name {
            nextName += 1
            return named[nextName - 1].slot
        }
        guard let layout, case .attribute(let slot)? = layout.access[name] else { return nil }
        if nextName < named.count {
            named[nextName] = (name, slot)
        } else if nextName < layout.slots.count {
            named.append((name, slot))
        } else {
            return slot
        }
        nextName += 1
        return slot
    }

    /// A key that names no attribute. Swift's and Foundation's strings of one text are one key.
    private static func key(_ key: Any) -> AnyHashable? {
        if let text = key as? String { text } else { key as? AnyHashable }
    }

    override func setObject(_ object: Any, forKey key: AnyHashable) {
        if let slot = slot(key.base) { values[slot] = object } else { others[Self.key(key.base) ?? key] = object }
    }

    override func removeObject(forKey key: Any) {
        if let slot = slot(key) {
            values[slot] = nil
        } else if let key = Self.key(key) {
            others[key] = nil
        }
    }

    override func removeAllObjects() {
        nextName = 0
        for slot in values.indices { values[slot] = nil }
        if !others.isEmpty { others = [:] }
    }

    override var count: Int { values.count { $0 != nil } + others.count }

    override func object(forKey key: Any) -> Any? {
        if let slot = slot(key) { return values[slot] }
        return Self.key(key).flatMap { others[$0] }
    }

    override func keyEnumerator() -> NSEnumerator {
        var keys: [Any] = others.keys.map(\.base)
        if let layout { forEachSlot { slot, _ in keys.append(layout.slots[slot].name) } }
        return NSArray(array: keys).objectEnumerator()
    }
}
