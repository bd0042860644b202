import CoreData
import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Model final class Crate {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Bottle.crate) var bottles: [Bottle] = []

    init(name: String) { self.name = name }
}

@Model final class Bottle {
    var number: Int
    var crate: Crate?

    init(number: Int) { self.number = number }
}

/// Relationships to which a program appends one model after the other.
@Suite("Appends to relationships of SwiftData")
struct SwiftDataAppendTests {
    private let container: ModelContainer
    private let context: ModelContext
    private let crate = Crate(name: "north")

    init() throws {
        container = try ModelContainer(for: Crate.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
        context.insert(crate)
    }

    /// More members than those for which a relationship gets a list.
    private func fill(_ crate: Crate, to count: Int = 50) {
        for number in crate.bottles.count..<count { crate.bottles.append(Bottle(number: number)) }
    }

    private var numbers: [Int] { crate.bottles.map(\.number) }

    @Test("Members keep their order, lead back, and are saved", arguments: [1, 31, 32, 33, 50, 200])
    func appended(count: Int) throws {
        fill(crate, to: count)
        #expect(numbers == Array(0..<count))
        #expect(crate.bottles.allSatisfy { $0.crate === crate })
        try context.save()
        fill(crate, to: count + 40)
        #expect(numbers == Array(0..<count + 40))
        try context.save()
        let other = ModelContext(container)
        let saved = try #require(try other.fetch(FetchDescriptor<Crate>()).first)
        #expect(saved.bottles.map(\.number) == Array(0..<count + 40))
    }

    @Test("An array grows in the memory in which it was read")
    func inPlace() throws {
        fill(crate)
        let core = crate._$settle()
        let slot = ManagedSlot("bottles")
        let list = MemberList(crate.bottles, try #require(core.memberStamp(slot)), inverse: ManagedSlot("crate"))
        var array = try #require(list.array(in: core, slot))
        array.reserveCapacity(100)
        array.append(Bottle(number: 50))
        func address(_ array: [Bottle]) -> UnsafePointer<Bottle>? { array.withUnsafeBufferPointer { $0.baseAddress } }
        let before = address(array)
        #expect(list.extend(to: array, of: core, slot))
        array = []
        array = try #require(list.array(in: core, slot))
        #expect(address(array) == before)
        array.append(Bottle(number: 51))
        #expect(address(array) == before)
        #expect(list.extend(to: array, of: core, slot))
        #expect(numbers == Array(0..<52))
    }

    @Test("Changes that the program makes in another way are seen")
    func otherChanges() throws {
        fill(crate)
        crate.bottles[3].crate = nil
        #expect(numbers == Array(0..<3) + Array(4..<50))
        let late = Bottle(number: 70)
        late.crate = crate
        #expect(numbers.last == 70)
        crate.bottles.append(Bottle(number: 71))
        #expect(numbers.suffix(2) == [70, 71])
        crate.bottles.removeAll { $0.number < 20 }
        crate.bottles.append(Bottle(number: 72))
        #expect(numbers == Array(20..<50) + [70, 71, 72])
        crate.bottles[0] = Bottle(number: 73)
        #expect(numbers == Array(21..<50) + [70, 71, 72, 73])
        context.delete(crate.bottles[0])
        context.processPendingChanges()
        #expect(numbers == Array(22..<50) + [70, 71, 72, 73])
    }

    @Test("A member that is appended again counts once")
    func duplicates() throws {
        fill(crate)
        crate.bottles.append(crate.bottles[7])
        #expect(numbers == Array(0..<50))
        let new = Bottle(number: 50)
        crate.bottles += [new, new, Bottle(number: 51)]
        #expect(numbers == Array(0..<52))
        crate.bottles.append(Bottle(number: 52))
        #expect(numbers == Array(0..<53))
    }

    @Test("A member of another model changes its place")
    func moved() throws {
        fill(crate)
        let other = Crate(name: "south")
        context.insert(other)
        fill(other)
        crate.bottles.append(other.bottles[4])
        #expect(numbers == Array(0..<50) + [4])
        #expect(other.bottles.map(\.number) == Array(0..<4) + Array(5..<50))
        other.bottles.append(crate.bottles[50])
        #expect(numbers == Array(0..<50))
        #expect(other.bottles.count == 50)
    }

    @Test("A rollback takes appended members away")
    func rollback() throws {
        fill(crate)
        try context.save()
        fill(crate, to: 100)
        context.rollback()
        #expect(numbers == Array(0..<50))
        fill(crate, to: 60)
        #expect(numbers == Array(0..<60))
    }

    @Test("Models that only a list has referred to are freed with the context")
    func freed() throws {
        weak var member: Bottle?
        do {
            let context = ModelContext(container)
            let crate = Crate(name: "west")
            context.insert(crate)
            fill(crate)
            member = crate.bottles.last
            #expect(member != nil)
        }
        #expect(member == nil)
    }

    @MainActor
    @Test("A tracking hears of an append to a relationship that it has read from its list")
    func tracked() throws {
        let crate = Crate(name: "east")
        container.mainContext.insert(crate)
        fill(crate)
        let changes = Counter()
        withObservationTracking {
            _ = crate.bottles.count
        } onChange: {
            changes.add()
        }
        crate.bottles.append(Bottle(number: 50))
        #expect(changes.count == 1)
        #expect(crate.bottles.map(\.number) == Array(0...50))
    }
}

private final class Counter: @unchecked Sendable {  // used on the main thread
    private(set) var count = 0
    func add() { count += 1 }
}
