import Foundation

/// The ranges of the numbers of an entity, which are the only validation of batches. An integer that does not fit its
/// 16 or 32 bits would be read as another number, and NaN would be read as nil.
struct BatchRanges {
    private let layout: EntityLayout
    /// The range of each slot.
    private let ranges: [ClosedRange<Int64>?]

    init(_ layout: EntityLayout) {
        self.layout = layout
        var ranges = [ClosedRange<Int64>?](repeating: nil, count: layout.slots.count)
        for (slot, range) in layout.validationRules.rangedSlots { ranges[slot] = range }
        self.ranges = ranges
    }

    /// Throws the error of a save if the attribute cannot hold the value: 1610 or 1620 for an integer, 1550 (for a date
    /// 1650) for NaN.
    func check(_ value: SlotValue, _ slot: Int) throws {
        if case .double(let number) = value, number.isNaN {
            throw layout.slots[slot].notANumber(entity: layout.name)
        }
        guard let range = ranges[slot], case .int(let number) = value, !range.contains(number) else { return }
        throw failure("\(number)", isTooLarge: number > range.upperBound, slot, range)
    }

    /// A computed number as the value of an integer attribute: truncated to a whole number.
    func whole(_ number: Double, _ slot: Int) throws -> SlotValue {
        guard let whole = Int64(exactly: number.rounded(.towardZero)) else {
            throw failure("\(number)", isTooLarge: number > 0, slot, ranges[slot] ?? Int64.min...Int64.max)
        }
        return .int(whole)
    }

    private func failure(
        _ number: String, isTooLarge: Bool, _ slot: Int, _ range: ClosedRange<Int64>
    ) -> NSError {
        let name = layout.slots[slot].name
        return NSError.coreData(
            isTooLarge ? NSValidationNumberTooLargeError : NSValidationNumberTooSmallError,
            reason: "\(number) does not fit \(name), which holds \(range.lowerBound) to \(range.upperBound). "
                + "(entity \(layout.name))",
            userInfo: [NSValidationKeyErrorKey: name])
    }
}
