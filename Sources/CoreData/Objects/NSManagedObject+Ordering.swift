import Foundation

// Values for comparisons, read from slots. A box for each value takes several times as long as the comparison.
extension NSManagedObject {
    /// The slot of an attribute, unless the object's class overrides the reading of keys.
    @inline(__always)
    private func plainSlot(_ key: String) -> Int? {
        guard case .attribute(let slot)? = binding.layout.access[key], isReadFromSlots else { return nil }
        return slot
    }

    /// The value of a property, sorted by kind.
    package final func expressionValue(forKey key: String) -> ExpressionValue {
        guard let slot = plainSlot(key) else { return ExpressionValue(value(inPredicateForKey: key)) }
        checkConfinement("reading", key)
        if flags.contains(.tracksReads) { noteRead(at: slot) }
        let kind = binding.layout.slots[slot].kind
        if kind == .transformable || kind == .uri { return ExpressionValue(boxedValue(at: slot)) }
        return switch slotValue(at: slot) {
        case .null: .null
        case .int(let value): .int(kind == .boolean && value != 0 ? 1 : value)
        case .double(let value): kind == .date ? .date(value) : .double(kind == .float ? Double(Float(value)) : value)
        case .string(let value): .string(value)
        case .data(let value): .data(value)
        case .uuid(let value): .uuid(value)
        case .decimal(let value): .decimal(value)
        }
    }

    /// The order of two objects of one entity by an attribute that a row has as it is. Nil for other attributes, and
    /// where a class overrides the reading of keys.
    package final func order(with other: Any, byKey key: String) -> ComparisonResult? {
        guard type(of: other) is AnyClass, let other = other as? NSManagedObject,
            other.binding.layout === binding.layout,
            let slot = plainSlot(key), other.plainSlot(key) != nil
        else { return nil }
        let kind = binding.layout.slots[slot].kind
        return Self.isOrdered(kind) ? order(with: other, at: slot, kind) : nil
    }

    /// Whether values of a kind have an order that needs no box.
    static func isOrdered(_ kind: SlotKind) -> Bool {
        switch kind {
        case .integer, .boolean, .double, .float, .date, .string: true
        default: false
        }
    }

    /// Whether keys of the object are read from its slots.
    @inline(__always)
    final var isReadFromSlots: Bool { !isRecorder && !ObjectOverrides.reading(type(of: self)) }

    /// The order of two objects of one entity by a slot of an ordered kind. Nil if one value is not a number.
    final func order(with other: NSManagedObject, at slot: Int, _ kind: SlotKind) -> ComparisonResult? {
        checkConfinement("reading")
        other.checkConfinement("reading")
        if flags.contains(.tracksReads) { noteRead(at: slot) }
        if other.flags.contains(.tracksReads) { other.noteRead(at: slot) }
        let (a, b) = (firedRow(), other.firedRow())
        // The overlays are checked after both objects have fired, because code of the program may change objects when
        // they fire.
        if overlay?.mask.contains(slot) == true || other.overlay?.mask.contains(slot) == true {
            return Self.order(of: slotValue(at: slot), other.slotValue(at: slot), kind)
        }
        if a.isNull(slot) || b.isNull(slot) {
            return Self.order(a.isNull(slot) ? 0 : 1, b.isNull(slot) ? 0 : 1)
        }
        switch kind {
        case .integer: return Self.order(a.int(slot), b.int(slot))
        case .boolean: return Self.order(a.int(slot) == 0 ? 0 : 1, b.int(slot) == 0 ? 0 : 1)
        case .double, .date, .float: return Self.order(of: a.double(slot), b.double(slot), kind)
        default:
            return withExtendedLifetime((a, b)) { Self.order(of: a.bytes(slot), b.bytes(slot)) }
        }
    }

    /// The order of two values of a slot, of which at least one is changed.
    private static func order(of a: SlotValue, _ b: SlotValue, _ kind: SlotKind) -> ComparisonResult? {
        switch (a, b) {
        case (.null, .null): .orderedSame
        case (.null, _): .orderedAscending
        case (_, .null): .orderedDescending
        case (.int(let a), .int(let b)) where kind == .boolean: order(a == 0 ? 0 : 1, b == 0 ? 0 : 1)
        case (.int(let a), .int(let b)): order(a, b)
        case (.double(let a), .double(let b)): order(of: a, b, kind)
        case (.string(let a), .string(let b)): StringComparison.compare(a, b, [])
        default: nil
        }
    }

    @inline(__always)
    static func order(of a: Double, _ b: Double, _ kind: SlotKind) -> ComparisonResult? {
        if a.isNaN || b.isNaN { return nil }
        return kind == .float ? order(Float(a), Float(b)) : order(a, b)
    }

    @inline(__always)
    static func order<Value: Comparable>(_ a: Value, _ b: Value) -> ComparisonResult {
        a < b ? .orderedAscending : a == b ? .orderedSame : .orderedDescending
    }

    /// The order of two texts by their bytes.
    static func order(of a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> ComparisonResult {
        let count = min(a.count, b.count)
        if count > 0, let x = a.baseAddress, let y = b.baseAddress {
            let difference = memcmp(x, y, count)
            if difference != 0 { return difference < 0 ? .orderedAscending : .orderedDescending }
        }
        return order(a.count, b.count)
    }
}
