import Foundation
import Observation
import TestSupport
import Testing

@testable import CoreData

private class Animal {
    var name = "animal"
    let ended: (String) -> Void
    init(ended: @escaping (String) -> Void = { _ in }) { self.ended = ended }
    deinit { ended(sound()) }
    func sound() -> String { "none" }
    func legs() -> Int { 4 }
}

private class Dog: Animal {
    override func sound() -> String { "wuff" }
}

private final class Puppy: Dog {}

private final class Bird: Animal {
    var wings = 2
    override func legs() -> Int { 2 }
}

private struct OneReference { let animal: Animal }

/// Each assumption of Sources/CoreData/Foundation/Runtime: these tests fail on a toolchain for which it does not hold.
@Suite("What the framework assumes of the Swift runtime")
struct RuntimeAssumptionTests {
    @Test("`Any` holds a reference in its first word and the type in its last, and only a class's begins with zero")
    func existentials() throws {
        let animal = Puppy()
        let found = try #require(objectWithin(animal))
        #expect(ObjectIdentifier(found.takeUnretainedValue()) == ObjectIdentifier(animal))
        let seen = try #require(objectWithin(animal as Animal))
        #expect(ObjectIdentifier(seen.takeUnretainedValue()) == ObjectIdentifier(animal))
        #expect(objectWithin(NSNumber(value: 1))?.takeUnretainedValue() is NSNumber)
        let others: [Any?] = [
            nil, 1, "text", OneReference(animal: animal), Optional(animal) as Any, Animal.self,
            { 1 } as () -> Int, [1],
        ]
        for other in others { #expect(objectWithin(other) == nil, "\(String(describing: other))") }
        #expect(exactly(animal, Puppy.self).map { ObjectIdentifier($0) } == ObjectIdentifier(animal))
        #expect(exactly(animal, Dog.self) == nil)
        #expect(exactly(1, Int.self) == 1 && exactly(1, Int64.self) == nil)
    }

    @Test("A method has one slot in its class's metadata, which an override changes")
    func slots() {
        let sound = VTableSlot(in: Animal.self, same: Same.self, other: Sound.self)
        let legs = VTableSlot(in: Animal.self, same: Same.self, other: Legs.self)
        #expect(!sound.isOverridden(by: Animal.self) && !sound.isOverridden(by: Same.self))
        #expect(!sound.isOverridden(by: Bird.self) && !legs.isOverridden(by: Puppy.self))
        for type in [Dog.self, Puppy.self, Sound.self] { #expect(sound.isOverridden(by: type), "\(type)") }
        #expect(legs.isOverridden(by: Bird.self) && legs.isOverridden(by: Legs.self))
    }

    private class Same: Animal {}
    private class Sound: Animal { override func sound() -> String { "any" } }
    private class Legs: Animal { override func legs() -> Int { 3 } }

    @Test("An instance begins with its class, and a subclass without properties adds no bytes")
    func instances() {
        #expect(InstanceLayout.size(ofInstancesOf: Puppy.self) == InstanceLayout.size(ofInstancesOf: Animal.self))
        #expect(InstanceLayout.size(ofInstancesOf: Bird.self) == InstanceLayout.size(ofInstancesOf: Animal.self) + 8)
        var sounds: [String] = []
        do {
            let animal = InstanceLayout.setClass(of: Animal { sounds.append($0) }, to: Puppy.self)
            #expect(type(of: animal) == Puppy.self && animal is Dog && animal.sound() == "wuff")
            #expect(animal.name == "animal")
        }
        #expect(sounds == ["wuff"])
        #expect(isClass(Puppy.self, atOrBelow: Animal.self) && isClass(Dog.self, atOrBelow: Dog.self))
        #expect(!isClass(Dog.self, atOrBelow: Puppy.self))
    }

    @Test("An array of objects is the same memory whatever class its type names")
    func arrays() {
        let puppies = (0..<3).map { _ in Puppy() }
        let animals = sameArray(puppies as [Animal], of: Puppy.self)
        #expect(animals.map { ObjectIdentifier($0) } == puppies.map { ObjectIdentifier($0) })
        #expect(sameArray([Animal](), of: Puppy.self).isEmpty)
        #expect(ObjectIdentifier(sameObject(puppies[0] as Animal, of: Puppy.self)) == ObjectIdentifier(puppies[0]))
    }

    @Test("An array shows whether another one has its buffer")
    func buffers() {
        var animals: [Animal] = []
        for _ in 0..<3 { animals.append(Puppy()) }
        // An expectation would copy the array.
        let alone = isUnshared(&animals)
        let others = animals
        let beside = isUnshared(&animals)
        #expect(alone)
        #expect(!beside)
        #expect(others.count == animals.count)
    }

    @Test("Mangled names lead to classes inside classes, structures and enumerations")
    func names() {
        let parts = String(reflecting: RuntimeNames.Middle.Inner.Found.self).split(separator: ".")
        #expect(NestedClassName(parts)?.anyClass == RuntimeNames.Middle.Inner.Found.self)
        #expect(NestedClassName(parts.dropLast() + ["Missing"])?.anyClass == nil)
    }

    @Test("An object whose last reference is gone cannot be retained")
    func dying() {
        var retained: [Bool] = []
        do {
            let witness = Witness { retained.append(tryRetain($0)) }
            let pointer = Unmanaged.passUnretained(witness).toOpaque()
            let isAlive = tryRetain(pointer)
            #expect(isAlive)
            if isAlive { Unmanaged<Witness>.fromOpaque(pointer).release() }
        }
        #expect(retained == [false])
    }

    private final class Witness {
        let dying: (UnsafeMutableRawPointer) -> Void
        init(dying: @escaping (UnsafeMutableRawPointer) -> Void) { self.dying = dying }
        deinit { dying(Unmanaged.passUnretained(self).toOpaque()) }
    }

    @Test(
        "No source outside the folder leans on the layout of objects, or on functions that the runtime does not publish"
    )
    func folder() throws {
        let marks = ["unsafeBitCast(", "@_silgen_name(\"$", "swift_", "opencoredata_try_retain"]
        // The marks of C's functions and of immutable key paths are no assumptions about the runtime.
        let allowed = ["sqlite3_destructor_type", "KeyPath<Root, Value> & Sendable"]
        let sources = Toolchain.package.appendingPathComponent("Sources/CoreData")
        var found: [String] = []
        for case let path as String in FileManager.default.enumerator(atPath: sources.path) ?? .init() {
            guard path.hasSuffix(".swift"), !path.hasPrefix("Foundation/Runtime/") else { continue }
            let text = try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
            for mark in marks where text.contains(mark) {
                for line in text.split(separator: "\n")
                where line.contains(mark) && !allowed.contains(where: line.contains) {
                    found.append("\(path): \(line)")
                }
            }
        }
        #expect(found.isEmpty)
    }

    @Test("A registrar of Observation hashes the key path of an access only during a tracking")
    func tracking() {
        let probe = TrackingProbe()
        let subject = TrackedSubject()
        let argument = TrackingProbe.Argument(1)
        func isTracking() -> Bool {
            probe.registrar(of: subject, reading: \TrackedSubject[argument], argument, known: nil) != nil
        }
        #expect(!isTracking())
        for _ in 0..<3 {
            let isSeen = withObservationTracking {
                isTracking() && isTracking()
            } onChange: {
            }
            #expect(isSeen && !isTracking())
        }
    }

    @Test("Two declarations of one linker name are one function: an initialiser of a metatype makes its class's object")
    func initialisers() {
        func made<T: ValueTransformer>(_ type: T.Type) -> ValueTransformer { type.init() }
        #expect(type(of: made(RuntimeTransformer.self)) == RuntimeTransformer.self)
    }
}

final class RuntimeTransformer: ValueTransformer {}

enum RuntimeNames {
    class Middle {
        struct Inner {
            final class Found {}
        }
    }
}

private final class TrackedSubject: Observable {
    subscript(argument: TrackingProbe.Argument) -> Int { 0 }
}
