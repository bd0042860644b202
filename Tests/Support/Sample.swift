import Foundation

/// What a test plays of all that it could play: a small sample, which differs from commit to commit, or everything with
/// `bin/test --long`.
///
/// `bin/test` sets `OPENCOREDATA_SEED` to the number of commits. Without the variable the seed is 0.
public enum Sample {
    /// Whether tests play everything.
    public static let isWhole = ProcessInfo.processInfo.environment["OPENCOREDATA_LONG"] != nil

    /// The seed of this run.
    public static let seed = ProcessInfo.processInfo.environment["OPENCOREDATA_SEED"].flatMap(UInt64.init) ?? 0

    /// The words for a failure that explain how to play the sample again.
    public static let repetition = "OPENCOREDATA_SEED=\(seed)"

    /// A generator for the samples of one test. Tests with other names get other numbers.
    public static func generator(_ name: String) -> SplitMix { mixed(seed, name) }

    /// One in so many of the items, all with `bin/test --long`. As many seeds, from a multiple of that number on,
    /// choose every item once, in an order of their own: a choice within a chosen item does not depend on the first.
    ///
    /// - Parameter name: Another name is another order, so that the tests of one run do not all take the first item.
    public static func slice<Item>(_ items: [Item], oneIn count: Int, _ name: String = "") -> [Item] {
        if isWhole || count < 2 { return items }
        let count = min(count, max(1, items.count))
        let (round, place) = seed.quotientAndRemainder(dividingBy: UInt64(count))
        var order = mixed(round &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(count), name)
        let turn = Array(0..<count).shuffled(using: &order)[Int(place)]
        return items.enumerated().filter { $0.offset % count == turn }.map(\.element)
    }

    private static func mixed(_ seed: UInt64, _ name: String) -> SplitMix {
        var random = SplitMix(
            state: seed ^ name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
        _ = random.next()
        return random
    }

    /// The seeds of a test that makes its own data from numbers: some that follow from the seed of this run, or the
    /// first so many with `bin/test --long`.
    public static func seeds(_ count: Int, long: Int) -> [Int] {
        if isWhole { return Array(1...long) }
        let first = Int(seed % UInt64(max(1, long / max(1, count)))) * count
        return (0..<count).map { (first + $0) % long + 1 }
    }
}
