import TestSupport
import Testing

@testable import CoreData

@Suite("Sets of keys")
struct KeySetTests {
    @Test("A key is entered once")
    func insert() {
        var (keys, set) = (KeySet(), Set<Int64>())
        var random = SplitMix(state: 7)
        for _ in 0..<5_000 {
            let key = Int64.random(in: -500...500, using: &random)
            let other = Int64.random(in: -600...600, using: &random)
            #expect(keys.insert(key) == set.insert(key).inserted)
            #expect(keys.contains(key) && keys.contains(other) == set.contains(other))
        }
        #expect(keys.count == set.count)
    }
}
