import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Sort descriptors by key")
struct SortDescriptorTests {
    private let rows: [[String: Any]] = [
        ["name": "b", "age": 2, "n": ["x": 3]], ["name": "a", "age": 2, "n": ["x": 1]], ["name": "C", "n": ["x": 2]],
    ]

    private func names(_ descriptors: NSSortDescriptor...) -> String {
        rows.sorted(byDescriptors: descriptors).compactMap { $0["name"] as? String }.joined()
    }

    @Test("Objects are sorted by their values at the keys, missing values first")
    func sorting() {
        #expect(names(NSSortDescriptor(key: "name", ascending: true)) == "Cab")
        #expect(names(NSSortDescriptor(key: "age", ascending: true)) == "Cba")
        #expect(names(NSSortDescriptor(key: "age", ascending: false)) == "baC")
        #expect(
            names(NSSortDescriptor(key: "age", ascending: false), NSSortDescriptor(key: "name", ascending: true))
                == "abC")
        #expect(names(NSSortDescriptor(key: "n.x", ascending: true)) == "aCb")
        #expect(names(NSSortDescriptor(key: "name", ascending: true, selector: .caseInsensitiveCompare)) == "abC")
    }

    @Test("Foundation's collections sort by them")
    func foundationCollections() {
        let descriptor = NSSortDescriptor(key: nil, ascending: false)
        #expect(NSArray(array: [1, 3, 2]).sortedArray(using: [descriptor]) as? [Int] == [3, 2, 1])
        #expect(NSSet(array: [1, 3, 2]).sortedArray(using: [descriptor]) as? [Int] == [3, 2, 1])
        let array = NSMutableArray(array: ["b", "a"])
        array.sort(using: [NSSortDescriptor(key: "self", ascending: true)])
        #expect(array as? [String] == ["a", "b"])
        #expect(NSSet(array: [1, 2, 3]).filtered(using: NSPredicate(format: "SELF > 2")).count == 1)
        #expect(NSArray(array: [1, 2, 3]).filtered(using: NSPredicate(format: "SELF > 1")) as? [Int] == [2, 3])
        #expect(NSArray(array: rows).value(forKeyPath: "n.x") as? [Int] == [3, 1, 2])
        #expect(NSSet(array: rows).value(forKeyPath: "@max.n.x") as? Int == 3)
        #expect((NSSet(array: rows).value(forKey: "age") as? NSSet)?.count == 1)
    }

    @Test("A comparator decides between values that are there")
    func comparator() {
        let byLength = NSSortDescriptor(key: "name", ascending: true) { a, b in
            ("\(b)" as NSString).compare("\(a)")
        }
        #expect(names(byLength) == "baC")
        #expect(byLength.sortSelector == nil && byLength.sortKey == "name")
    }

    @Test("A descriptor has key and direction, reverses, prints and compares")
    func properties() {
        let descriptor = NSSortDescriptor(key: "a.b", ascending: true)
        #expect(descriptor.key == "a.b" && descriptor.sortKey == "a.b" && descriptor.ascending)
        #expect(descriptor == NSSortDescriptor(key: "a.b", ascending: true))
        #expect(descriptor != NSSortDescriptor(key: "a.b", ascending: false))
        #expect(
            descriptor.reversedSortDescriptor as? NSSortDescriptor == NSSortDescriptor(key: "a.b", ascending: false))
        #expect(descriptor.copy() as? NSSortDescriptor == descriptor)
        #expect(descriptor.description == "(a.b, ascending, compare:)")
        #expect(descriptor.compare(["a": ["b": 1]], to: ["a": ["b": 2]]) == .orderedAscending)
        let typed = NSSortDescriptor(keyPath: \String.count, ascending: true)
        #expect(typed.sortKey == nil && !typed.isByKey && typed.keyPath == \String.count)
        #expect(typed != descriptor && descriptor != typed)
    }

    @Test("Sorting by values that have no order stops the process")
    func unordered() async {
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = [["a": [1]], ["a": [2]]].sorted(byDescriptors: [NSSortDescriptor(key: "a", ascending: true)])
        }
        #expect(end.said("values of the key a cannot be ordered"))
    }
}
