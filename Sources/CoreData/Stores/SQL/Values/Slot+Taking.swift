import Foundation

extension Slot {
    /// Whether a value, from a column that accepts any value, fits the slot's property. All texts and all bytes fit
    /// their kinds, whatever their content.
    func takes(_ value: SlotValue) -> Bool {
        switch (kind, value) {
        case (.integer, .int(let number)): range.contains(number)
        case (.boolean, .int(let number)): number == 0 || number == 1
        case (.float, .double(let number)): !number.isFinite || abs(number) <= Double(Float.greatestFiniteMagnitude)
        case (.decimal, .double(let number)): DecimalStorage.isDecimal(number)
        // Smaller numbers lead to no row.
        case (.reference, .int(let key)): key <= ObjectKey.primaryKeyMask
        case (.double, .int), (.double, .double), (.float, .int), (.date, .int), (.date, .double), (.decimal, .int):
            true
        case (.decimal, .string(let text)): text.isEmpty || DecimalStorage.decimal(text) != nil
        case (.uuid, .data(let bytes)): bytes.isEmpty || bytes.count == MemoryLayout<uuid_t>.size
        case (.uuid, .string(let text)): text.isEmpty || UUID(uuidString: text) != nil
        // SQLite uses the text of a number in computations like the number.
        case (.integer, .string(let text)): Int64(text).map { range.contains($0) } ?? false
        case (.boolean, .string(let text)): text == "0" || text == "1"
        case (.double, .string(let text)), (.float, .string(let text)), (.date, .string(let text)): Double(text) != nil
        default: false
        }
    }

    /// Whether a value fits the slot, for every kind of slot, in the form of the columns of a file.
    func holds(_ value: SlotValue) -> Bool {
        switch (kind, value) {
        case (_, .null), (.string, .string), (.uri, .string), (.data, .data), (.transformable, .data), (.order, .int),
            (.entityNumber, .int):
            true
        case (.uri, .int):
            if case .attribute(let attribute) = role {
                attribute.attributeType == .objectIDAttributeType
            } else {
                false
            }
        case (.reference, .int(let key)): ObjectKey.isPrimaryKey(key)
        default: takes(value)
        }
    }

    private var range: ClosedRange<Int64> {
        guard case .attribute(let attribute) = role else { return Int64.min...Int64.max }
        return switch attribute.attributeType {
        case .integer16AttributeType: Int64(Int16.min)...Int64(Int16.max)
        case .integer32AttributeType: Int64(Int32.min)...Int64(Int32.max)
        default: Int64.min...Int64.max
        }
    }
}
