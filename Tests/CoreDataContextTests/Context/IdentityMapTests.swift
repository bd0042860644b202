import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite("The objects of a context by their keys")
struct IdentityMapTests {
    /// New objects of a context, which the test registers in a map of its own.
    private func withObjects<Result>(_ count: Int, _ body: ([NSManagedObject]) throws -> Result) throws -> Result {
        let context = try Library(.inMemory).context()
        return try context.performAndWait {
            try body((0..<count).map { context.make("Book", ["isbn": "\($0)"]) })
        }
    }

    @Test("Objects that come and go in any order are found while they are there", arguments: [1, 2, 3] as [UInt64])
    func comingAndGoing(seed: UInt64) throws {
        try withObjects(300) { objects in
            var random = SplitMix(state: seed)
            let map = IdentityMap()
            var registered: [Int64: NSManagedObject] = [:]
            for step in 0..<6_000 {
                let object = objects[Int.random(in: objects.indices, using: &random)]
                if registered[object.key] == nil {
                    map.register(object)
                    registered[object.key] = object
                } else {
                    map.unregister(object)
                    registered[object.key] = nil
                }
                if step.isMultiple(of: 500) { map.checkInvariants() }
            }
            map.checkInvariants()
            for object in objects { #expect(map.object(for: object.key) === registered[object.key]) }
            #expect(map.count == registered.count)
            for object in registered.values { map.unregister(object) }
            map.checkInvariants()
            #expect(map.objects.isEmpty)
        }
    }

    @Test("Many new objects get their permanent keys at once, and few one by one", arguments: [3, 200])
    func permanentKeys(count: Int) throws {
        let context = try Library(.sqlite).context()
        try context.performAndWait {
            let objects = (0..<200).map { context.make("Book", ["isbn": "\($0)"]) }
            let map = try #require(objects[0].binding.identityMap)
            var permanent: PermanentKeys = [:]
            for (place, object) in objects.prefix(count).enumerated() { permanent[object.key] = Int64(place + 1) }
            map.rekey(Array(objects.prefix(count)), to: permanent)
            map.checkInvariants()
            for place in 0..<count { #expect(map.object(for: Int64(place + 1)) === objects[place]) }
            for object in objects { #expect(map.object(for: object.key) === object) }
            #expect(map.count == 200)
        }
    }

    @Test("An object whose permanent key another object has takes its place")
    func takenKey() throws {
        let context = try Library(.sqlite).context()
        try context.performAndWait {
            let objects = (0..<20).map { context.make("Book", ["isbn": "\($0)"]) }
            let map = try #require(objects[0].binding.identityMap)
            map.rekey(objects[19], to: 5)
            var permanent: PermanentKeys = [:]
            for (place, object) in objects.dropLast().enumerated() { permanent[object.key] = Int64(place + 1) }
            map.rekey(objects, to: permanent)
            map.checkInvariants()
            for place in 0..<19 { #expect(map.object(for: Int64(place + 1)) === objects[place]) }
            #expect(map.count == 19)
        }
    }

    private final class Awakened: NSManagedObject {
        override func awakeFromFetch() { super.awakeFromFetch() }
    }
    private final class Quiet: NSManagedObject {}

    @Test("A fetch makes fired objects at once unless their class overrides awakeFromFetch()")
    func firedAtOnce() throws {
        #expect(ObjectOverrides.awakening(Awakened.self))
        #expect(!ObjectOverrides.awakening(Quiet.self))
        #expect(!ObjectOverrides.awakening(NSManagedObject.self))
        let library = try Library(.sqlite)
        let (writer, context) = (library.context(), library.context())
        try writer.performAndWait {
            for number in 0..<3 { writer.make("Book", ["isbn": "\(number)"]) }
            try writer.save()
        }
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            let faults = try context.fetch(request)
            #expect(faults.count == 3 && faults.allSatisfy(\.isFault))
            request.returnsObjectsAsFaults = false
            #expect(try context.fetch(request).allSatisfy { !$0.isFault })
            context.reset()
            #expect(try context.fetch(request).allSatisfy { !$0.isFault })
        }
    }

    @Test("Permanent keys are those of a dictionary, near or far apart", arguments: [1, 7, 1_000_000_007] as [Int64])
    func permanentKeysByTemporaryOnes(distance: Int64) {
        var random = SplitMix(state: 5)
        var keys: PermanentKeys = [:]
        var expected: [Int64: Int64] = [:]
        keys.makeRoom(for: -100 * distance ... -1, count: 100)
        for number in 1...400 as ClosedRange<Int64> {
            let temporary = -Int64.random(in: 1...150, using: &random) * distance
            let permanent = number.isMultiple(of: 5) ? nil : number
            keys[temporary] = permanent
            expected[temporary] = permanent
        }
        #expect(keys.count == expected.count)
        #expect(keys.isEmpty == expected.isEmpty)
        #expect(Set(keys.temporaryKeys) == Set(expected.keys))
        for number in -1...200 as ClosedRange<Int64> {
            #expect(keys[-number * distance] == expected[-number * distance])
        }
        var merged: PermanentKeys = [-1 * distance: 1_000, -1_000 * distance: 1_001]
        merged.merge(keys)
        #expect(merged[-1_000 * distance] == 1_001)
        #expect(merged[-1 * distance] == expected[-1 * distance] ?? 1_000)
        #expect(merged.count == Set(expected.keys).union([-1 * distance, -1_000 * distance]).count)
    }
}
