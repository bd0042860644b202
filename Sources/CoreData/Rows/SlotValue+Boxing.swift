import Foundation

extension SlotValue {
    /// The value as key-value coding returns it: `NSNumber`, `String`, `Date`, `Data`, `NSDecimalNumber`, `UUID`,
    /// `URL`.
    ///
    /// Kinds that need more than the value (transformable, references) are not handled here.
    package func boxed(as kind: SlotKind) -> Any? {
        switch self {
        case .null: nil
        case .int(let value):
            kind == .boolean ? NSNumber(value: value != 0) : NSNumber(value: value)
        case .double(let value):
            switch kind {
            case .date: Date(timeIntervalSinceReferenceDate: value)
            case .float: NSNumber(value: Float(value))
            default: NSNumber(value: value)
            }
        case .string(let value):
            kind == .uri ? URL(string: value) ?? URL(fileURLWithPath: value) : value
        case .data(let value): value
        case .uuid(let value): value
        case .decimal(let value): NSDecimalNumber(decimal: value)
        }
    }

    /// The slot's form of a value in the types of key-value coding; nil when its type does not fit the kind of slot.
    package init?(_ value: Any?, as kind: SlotKind) {
        // Casts take most of the time here, and most values are of the types that the slots have.
        if let value, let exact = Self.exact(value, as: kind) {
            self = exact
            return
        }
        guard let value, !(value is NSNull) else {
            self = .null
            return
        }
        switch kind {
        case .integer, .order, .entityNumber, .reference:
            guard let number = Self.integer(value) else { return nil }
            self = .int(number)
        case .boolean:
            if let flag = value as? Bool {
                self = .int(flag ? 1 : 0)
            } else if let number = Self.integer(value) {
                self = .int(number != 0 ? 1 : 0)
            } else {
                return nil
            }
        case .double:
            guard let number = Self.double(value) else { return nil }
            self = .double(number)
        case .float:
            guard let number = Self.double(value) else { return nil }
            self = .double(Double(Float(number)))
        case .date:
            guard let date = value as? Date else { return nil }
            self = .double(date.timeIntervalSinceReferenceDate)
        case .string:
            guard let string = value as? String else { return nil }
            self = .string(string)
        case .uri:
            guard let url = value as? URL else { return nil }
            self = .string(url.absoluteString)
        case .data, .transformable:
            guard let data = Data(of: value) else { return nil }
            self = .data(data)
        case .uuid:
            guard let uuid = value as? UUID else { return nil }
            self = .uuid(uuid)
        case .decimal:
            if let decimal = value as? Decimal {
                self = .decimal(decimal)
            } else if let number = value as? NSDecimalNumber {
                self = .decimal(number.decimalValue)
            } else if let number = value as? NSNumber {
                // Foundation stops the process at an infinite number.
                self = .decimal(number.doubleValue.isFinite ? number.decimalValue : .nan)
            } else if let number = Self.double(value) {
                self = .decimal(number.isFinite ? Decimal(number) : .nan)
            } else {
                return nil
            }
        }
    }

    /// The slot's form of a value whose type is exactly that of the kind; nil for any other value.
    private static func exact(_ value: Any, as kind: SlotKind) -> SlotValue? {
        switch kind {
        case .string: exactly(value, String.self).map { .string($0) }
        case .integer:
            exactly(value, Int.self).map { .int(Int64($0)) } ?? exactly(value, Int64.self).map { .int($0) }
                ?? exactly(value, Int32.self).map { .int(Int64($0)) }
        case .boolean: exactly(value, Bool.self).map { .int($0 ? 1 : 0) }
        case .double: exactly(value, Double.self).map { .double($0) }
        case .float:
            exactly(value, Float.self).map { .double(Double($0)) }
                ?? exactly(value, Double.self).map { .double(Double(Float($0))) }
        case .date: exactly(value, Date.self).map { .double($0.timeIntervalSinceReferenceDate) }
        case .data: exactly(value, Data.self).map { .data($0) }
        case .uuid: exactly(value, UUID.self).map { .uuid($0) }
        case .decimal: exactly(value, Decimal.self).map { .decimal($0) }
        case .uri, .transformable, .reference, .entityNumber, .order: nil
        }
    }

    private static func integer(_ value: Any) -> Int64? {
        switch value {
        case let number as Int: Int64(number)
        case let number as any BinaryInteger: Int64(truncatingIfNeeded: number)
        case let number as NSNumber: number.int64Value
        case let number as any BinaryFloatingPoint: Int64(exactly: Double(number).rounded(.towardZero))
        default: nil
        }
    }

    private static func double(_ value: Any) -> Double? {
        switch value {
        case let number as Double: number
        case let number as any BinaryFloatingPoint: Double(number)
        case let number as NSNumber: number.doubleValue
        case let number as any BinaryInteger: Double(number)
        default: nil
        }
    }

    /// The number of bytes that the value takes behind the slots of a snapshot.
    package var tailBytes: Int {
        switch self {
        case .null, .int, .double: 0
        case .string(let value): value.utf8.count
        case .data(let value): value.count
        case .uuid: 16
        case .decimal: SnapshotBuilder.decimalSize
        }
    }
}

extension SnapshotBuilder {
    /// Sets a slot from the general form of its value.
    package mutating func set(_ slot: Int, value: SlotValue) {
        switch value {
        case .null: break
        case .int(let number): set(slot, int: number)
        case .double(let number): set(slot, double: number)
        case .string(let string): set(slot, string: string)
        case .data(let data): data.withUnsafeBytes { set(slot, bytes: $0) }
        case .uuid(let uuid): set(slot, uuid: uuid)
        case .decimal(let decimal): set(slot, decimal: decimal)
        }
    }
}
