import Foundation

/// Integers as objects. Small ones, which are the most frequent, are made once.
struct NumberBoxes {
    private static let count: Int64 = 1_024
    private var small = ContiguousArray<NSNumber?>(repeating: nil, count: Int(count))

    @inline(__always)
    mutating func box(_ value: Int64) -> NSNumber {
        guard value >= 0, value < Self.count else { return NSNumber(value: value) }
        if let known = small[Int(value)] { return known }
        let made = NSNumber(value: value)
        small[Int(value)] = made
        return made
    }
}
