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
    public static func generator(_ name: String) -> SplitMix {
        var random = SplitMix(
            state: seed ^ name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
        _ = random.next()
        return random
    }

    /// One in so many of the items, all with `bin/test --long`. As many seeds one after the other choose every item,
    /// and neighbours belong to different seeds.
    ///
    /// - Parameter name: shifts the choice, so that the tests of one run do not all take the first item.
    public static func slice<Item>(_ items: [Item], oneIn count: Int, _ name: String = "") -> [Item] {
        if isWhole || count < 2 { return items }
        let count = min(count, max(1, items.count))
        let shift = Int(name.utf8.reduce(0) { $0 &* 31 &+ UInt32($1) } % 1009)
        let turn = (Int(seed % UInt64(count)) + shift) % count
        return items.enumerated().filter { $0.offset % count == turn }.map(\.element)
    }

    /// The seeds of a test that makes its own data from numbers: some that follow from the seed of this run, or the
    /// first so many with `bin/test --long`.
    public static func seeds(_ count: Int, long: Int) -> [Int] {
        if isWhole { return Array(1...long) }
        let first = Int(seed % UInt64(max(1, long / max(1, count)))) * count
        return (0..<count).map { (first + $0) % long + 1 }
    }
}
