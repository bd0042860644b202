import Testing

@testable import CoreData

@Suite("Lists of the keys that a fetch found")
struct FetchedKeysTests {
    /// More than two pieces of a list.
    private static let count = 40_000

    /// Lists of different shapes: near keys, far ones, of one entity or several, saved or not.
    static let lists: [[ObjectKey]] = [
        [], [ObjectKey(layoutIndex: 3, key: 7)],
        (0..<count).map { ObjectKey(layoutIndex: 1, key: Int64($0 * 31 % count + 1)) },
        (0..<count).map { ObjectKey(layoutIndex: $0 / 20_000, key: ObjectKey.key(storeNumber: 2, primaryKey: 9)) },
        (0..<count).map { ObjectKey(layoutIndex: $0 % 3, key: ObjectKey.primaryKeyMask - Int64($0)) },
        (0..<count).map {
            ObjectKey(layoutIndex: 4, key: ObjectKey.key(storeNumber: $0 % 5, primaryKey: Int64($0 + 1)))
        },
        (0..<count).map { ObjectKey(layoutIndex: 0, key: $0 == 30_000 ? -5 : Int64($0) << 30 | 1) },
        [ObjectKey(layoutIndex: 0, key: .min), ObjectKey(layoutIndex: 0, key: .max)]
            + (0..<count).map { ObjectKey(layoutIndex: 0, key: Int64($0)) },
        (0..<16_384).map { ObjectKey(layoutIndex: 300 + $0 % 2, key: -Int64($0)) },
    ]

    // By their places: the description of an argument of so many keys takes longer than the test.
    @Test("A list gives back its elements, one by one, by ranges, and in turn", arguments: lists.indices)
    func contents(place: Int) {
        let keys = Self.lists[place]
        let list = FetchedKeys(keys)
        #expect(list.count == keys.count && list.isEmpty == keys.isEmpty && list.first == keys.first)
        #expect(Array(list) == keys)
        #expect(keys.indices.allSatisfy { list[$0] == keys[$0] })
        if keys.count > 20_000 { #expect(list[16_300..<16_500] == Array(keys[16_300..<16_500])) }
        #expect(list.hasTemporary == keys.contains(where: \.isTemporary))
        var iterator = list.makeIterator()
        for _ in keys { _ = iterator.next() }
        #expect(iterator.next() == nil && iterator.next() == nil)
    }

    @Test(
        "A page is the rest after an offset and up to a limit",
        arguments: [(0, 0), (0, 5), (3, 0), (16_384, 20), (50_000, 1)])
    func pages(offset: Int, limit: Int) {
        for keys in Self.lists {
            let rest = keys.dropFirst(offset)
            #expect(Array(FetchedKeys(keys).page(offset, limit)) == Array(limit > 0 ? rest.prefix(limit) : rest))
        }
    }

    @Test("Temporary keys are replaced where they stand, all other keys stay", arguments: lists.indices)
    func replacing(place: Int) {
        let keys = Self.lists[place]
        func saved(_ key: ObjectKey) -> ObjectKey { ObjectKey(layoutIndex: key.layoutIndex, key: 77) }
        var list = FetchedKeys(keys)
        list.replaceTemporary(saved)
        #expect(Array(list) == keys.map { $0.isTemporary ? saved($0) : $0 })
        #expect(!list.hasTemporary)
    }
}
