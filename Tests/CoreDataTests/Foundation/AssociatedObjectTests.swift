import CoreData
import Foundation
import Testing

@Suite("Objects that are tied to another one")
struct AssociatedObjectTests {
    private final class Owner {}
    private final class Value: NSObject, NSCopying {
        let text: String
        init(_ text: String) { self.text = text }
        func copy(with zone: NSZone? = nil) -> Any { Value("\(text), copied") }
    }

    private nonisolated(unsafe) static var first: Void?
    private nonisolated(unsafe) static var second: Void?

    private func text(_ owner: Any, _ key: UnsafeRawPointer = UnsafeRawPointer(&Self.first)) -> String? {
        (objc_getAssociatedObject(owner, key) as? Value)?.text
    }

    @Test("A value belongs to an object and a key, until another value or nil takes its place")
    func values() {
        let (owner, other) = (NSManagedObjectModel(), Owner())
        #expect(objc_getAssociatedObject(owner, &Self.first) == nil)
        objc_setAssociatedObject(owner, &Self.first, Value("a"), .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
        objc_setAssociatedObject(owner, &Self.second, 7, .OBJC_ASSOCIATION_RETAIN)
        objc_setAssociatedObject(other, &Self.first, Value("b"), .OBJC_ASSOCIATION_RETAIN)
        #expect(text(owner) == "a" && text(other) == "b")
        #expect(objc_getAssociatedObject(owner, &Self.second) as? Int == 7)
        objc_setAssociatedObject(owner, &Self.first, Value("c"), .OBJC_ASSOCIATION_RETAIN)
        #expect(text(owner) == "c" && text(other) == "b")
        objc_setAssociatedObject(owner, &Self.first, nil, .OBJC_ASSOCIATION_RETAIN)
        #expect(text(owner) == nil && objc_getAssociatedObject(owner, &Self.second) as? Int == 7)
        objc_removeAssociatedObjects(owner)
        #expect(objc_getAssociatedObject(owner, &Self.second) == nil && text(other) == "b")
    }

    @Test("The policy says whether the object owns the value, a copy, or nothing")
    func policies() {
        let owner = Owner()
        objc_setAssociatedObject(owner, &Self.first, Value("a"), .OBJC_ASSOCIATION_COPY_NONATOMIC)
        #expect(text(owner) == "a, copied")
        objc_setAssociatedObject(owner, &Self.first, Value("a"), .OBJC_ASSOCIATION_ASSIGN)
        #expect(objc_getAssociatedObject(owner, &Self.first) == nil)
        let kept = Value("kept")
        objc_setAssociatedObject(owner, &Self.first, kept, .OBJC_ASSOCIATION_ASSIGN)
        #expect(objc_getAssociatedObject(owner, &Self.first) as? Value === kept)
        // A class is no object that may go.
        objc_setAssociatedObject(owner, &Self.first, Value.self, .OBJC_ASSOCIATION_ASSIGN)
        #expect(objc_getAssociatedObject(owner, &Self.first) as? Value.Type == Value.self)
    }

    @Test("A value that is no object has nothing tied to it")
    func structures() {
        objc_setAssociatedObject(1, &Self.first, Value("a"), .OBJC_ASSOCIATION_RETAIN)
        #expect(objc_getAssociatedObject(1, &Self.first) == nil)
    }

    @Test("An object at the address of one that is gone has none of its values, which go in the end")
    func goneOwners() {
        weak var value: Value?
        do {
            let tied = Value("a")
            value = tied
            objc_setAssociatedObject(Owner(), &Self.first, tied, .OBJC_ASSOCIATION_RETAIN)
        }
        // Some of these get the address of the first one.
        let owners = (0..<1000).map { _ in Owner() }
        #expect(owners.allSatisfy { objc_getAssociatedObject($0, &Self.first) == nil })
        for owner in owners { objc_setAssociatedObject(owner, &Self.second, 1, .OBJC_ASSOCIATION_RETAIN) }
        #expect(value == nil)
    }

    @Test("The end of a value may tie another one")
    func nested() {
        final class Last {
            let owner: Owner
            init(_ owner: Owner) { self.owner = owner }
            deinit { objc_setAssociatedObject(owner, &AssociatedObjectTests.second, 1, .OBJC_ASSOCIATION_RETAIN) }
        }
        let owner = Owner()
        objc_setAssociatedObject(owner, &Self.first, Last(owner), .OBJC_ASSOCIATION_RETAIN)
        objc_setAssociatedObject(owner, &Self.first, nil, .OBJC_ASSOCIATION_RETAIN)
        #expect(objc_getAssociatedObject(owner, &Self.second) as? Int == 1)
    }
}
