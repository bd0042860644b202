import Testing

@testable import CoreData

@Suite("Members in order that another context has changed in the store")
struct RebasedMembersTests {
    /// The members that the store had, those that the program has made of them, and those that the store has now.
    struct Change: CustomTestStringConvertible, Sendable {
        var base: [Int64]
        var mine: [Int64]
        var theirs: [Int64]
        var expected: [Int64]
        var testDescription: String { "\(base) as \(mine) over \(theirs)" }
    }

    static let changes = [
        Change(base: [1, 2, 3], mine: [1, 2, 3], theirs: [3, 1, 4], expected: [3, 1, 4]),
        // Arranged here.
        Change(base: [1, 2, 3], mine: [3, 1, 2], theirs: [1, 2, 3, 4], expected: [3, 1, 2, 4]),
        Change(base: [1, 2, 3], mine: [3, 1, 2], theirs: [2, 3], expected: [3, 2]),
        Change(base: [1, 2, 3], mine: [3, 2, 1], theirs: [5, 1, 3, 4], expected: [3, 1, 5, 4]),
        // Removed here.
        Change(base: [1, 2, 3], mine: [1, 3], theirs: [4, 1, 2, 3], expected: [4, 1, 3]),
        Change(base: [1, 2, 3], mine: [3, 1], theirs: [1, 2, 3, 4], expected: [3, 1, 4]),
        Change(base: [1, 2, 3], mine: [3, 1], theirs: [1, 3], expected: [3, 1]),
        // Added here, and by another context as well.
        Change(base: [1, 2, 3], mine: [1, 2, 3, 5], theirs: [4, 3, 2], expected: [4, 3, 2, 5]),
        Change(base: [1, 2, 3], mine: [1, 2, 3, 5], theirs: [1, 2, 5, 3], expected: [1, 2, 5, 3]),
        Change(base: [1, 2, 3], mine: [5, 1, 2, 3], theirs: [1, 2, 3, 6], expected: [5, 1, 2, 3, 6]),
        Change(base: [1, 2], mine: [5, 2, 1], theirs: [1, 5, 6], expected: [5, 1, 6]),
        Change(base: [], mine: [2, 1], theirs: [1, 3], expected: [1, 3, 2]),
    ]

    @Test("What was added, removed and arranged here stays so; other members join and leave", arguments: changes)
    func rebase(_ change: Change) {
        func keys(_ numbers: [Int64]) -> [ObjectKey] { numbers.map { ObjectKey(layoutIndex: 0, key: $0) } }
        let state = ToManyState(base: keys(change.base), isOrdered: true)
        _ = state.replaceMembers(keys(change.mine), isOrdered: true)
        state.rebase(on: keys(change.theirs))
        #expect(state.members.map(\.key) == change.expected)
        // What is saved then is what the store has.
        let (added, removed) = (state.added.keys.map(\.key), state.removed.map(\.key))
        #expect(Set(added) == Set(change.expected).subtracting(change.theirs))
        #expect(Set(removed) == Set(change.theirs).subtracting(change.expected))
    }

    @Test("A search finds the members, also after many searches, removals and additions")
    func searches() {
        let all = (1...100).map { ObjectKey(layoutIndex: 0, key: $0) }
        let state = ToManyState(base: Array(all[..<90]), isOrdered: false)
        func expectMembers() { #expect(all.filter(state.contains) == all.filter(Set(state.members).contains)) }
        expectMembers()
        for key in all[..<40] {
            #expect(state.contains(key))
            state.noteRemoval(of: key)
        }
        state.noteAddition(of: all[95])
        state.noteAddition(of: all[3])
        expectMembers()
        state.rebase(on: Array(all[10...]))
        expectMembers()
    }
}
