import Foundation

// Values for comparisons, read from slots. A box for each value takes several times as long as the comparison.
extension NSManagedObject {
    /// The slot of an attribute, unless the object's class overrides the reading of keys.
    @inline(__always)
    private func plainSlot(_ key: String) -> Int? {
        guard case .attribute(let slot)? = binding.layout.access[key], !isRecorder,
            !ObjectOverrides.reading(type(of: self))
        else { return nil }
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

    /// The order of two objects of one entity by an attribute that both have in their rows as it is.
    package final func order(with other: Any, byKey key: String) -> ComparisonResult? {
        guard type(of: other) is AnyClass, let other = other as? NSManagedObject,
            other.binding.layout === binding.layout,
            let slot = plainSlot(key), other.plainSlot(key) != nil
        else { return nil }
        let kind = binding.layout.slots[slot].kind
        switch kind {
        case .integer, .boolean, .double, .date, .string: break
        default: return nil
        }
        checkConfinement("reading", key)
        other.checkConfinement("reading", key)
        if flags.contains(.tracksReads) { noteRead(at: slot) }
        if other.flags.contains(.tracksReads) { other.noteRead(at: slot) }
        let (a, b) = (firedRow(), other.firedRow())
        // The overlays are checked after both objects have fired, because code of the program may change objects when
        // they fire.
        if overlay?.mask.contains(slot) == true || other.overlay?.mask.contains(slot) == true { return nil }
        if a.isNull(slot) || b.isNull(slot) {
            return Self.order(a.isNull(slot) ? 0 : 1, b.isNull(slot) ? 0 : 1)
        }
        switch kind {
        case .integer: return Self.order(a.int(slot), b.int(slot))
        case .boolean: return Self.order(a.int(slot) == 0 ? 0 : 1, b.int(slot) == 0 ? 0 : 1)
        case .double, .date:
            let (x, y) = (a.double(slot), b.double(slot))
            return x.isNaN || y.isNaN ? nil : Self.order(x, y)
        default:
            return withExtendedLifetime((a, b)) { Self.order(of: a.bytes(slot), b.bytes(slot)) }
        }
    }

    @inline(__always)
    private static func order<Value: Comparable>(_ a: Value, _ b: Value) -> ComparisonResult {
        a < b ? .orderedAscending : a == b ? .orderedSame : .orderedDescending
    }

    /// The order of two texts by their bytes.
    private static func order(of a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> ComparisonResult {
        let count = min(a.count, b.count)
        if count > 0, let x = a.baseAddress, let y = b.baseAddress {
            let difference = memcmp(x, y, count)
            if difference != 0 { return difference < 0 ? .orderedAscending : .orderedDescending }
        }
        return order(a.count, b.count)
    }
}
