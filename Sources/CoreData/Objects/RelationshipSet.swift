import Foundation

/// The live set of an unordered relationship: see `NSManagedObject.mutableSetValue(forKey:)`.
///
/// Foundation casts only its own set classes to `Set`: such a cast of this class gives an empty set (DEVIATIONS.md).
final class RelationshipSet: NSMutableSet {
    private let owner: NSManagedObject
    private let index: Int

    init(owner: NSManagedObject, index: Int) {
        self.owner = owner
        self.index = index
        super.init(objects: nil, count: 0)
    }

    @available(*, unavailable, message: "ask an object for it")
    required init(capacity numItems: Int) { fatalError("a relationship's set belongs to an object") }

    @available(*, unavailable, message: "ask an object for it")
    required init?(coder aDecoder: NSCoder) { fatalError("a relationship's set belongs to an object") }

    private var members: [NSManagedObject] {
        owner.checkConfinement("reading", owner.binding.layout.toManys[index].relationship.name)
        return owner.flags.contains(.tracksReads) ? owner.observedMembers(of: index) : owner.memberObjects(of: index)
    }

    // MARK: Reading

    override var count: Int {
        owner.checkConfinement("reading", owner.binding.layout.toManys[index].relationship.name)
        owner.noteRead(ofToMany: index)
        return owner.members(of: index).count
    }

    override func member(_ object: Any) -> Any? {
        guard let object = object as? NSManagedObject else { return nil }
        owner.checkConfinement("reading", owner.binding.layout.toManys[index].relationship.name)
        owner.noteRead(ofToMany: index)
        return object.binding.context === owner.binding.context && owner.members(of: index).contains(object.objectKey)
            ? object : nil
    }

    override func objectEnumerator() -> NSEnumerator {
        NSArray(array: members).objectEnumerator()
    }

    // A copy is no longer live.
    override func copy(with zone: NSZone? = nil) -> Any { NSSet(array: members) }
    override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableSet(array: members) }

    override func isEqual(_ value: Any?) -> Bool {
        if value as AnyObject? === self { return true }
        guard let other = value as? NSSet, other.count == count else { return false }
        return members.allSatisfy { other.contains($0) }
    }

    override var hash: Int { count }
    override var description: String { NSSet(array: members).description }

    // MARK: Changing

    override func add(_ object: Any) {
        owner.addMember(managedObject(object), to: index)
    }

    override func remove(_ object: Any) {
        owner.removeMember(managedObject(object), from: index)
    }

    override func addObjects(from array: [Any]) {
        for object in array { add(object) }
    }

    override func removeAllObjects() { replace(by: []) }

    override func union(_ otherSet: Set<AnyHashable>) {
        for object in otherSet { add(object.base) }
    }

    override func minus(_ otherSet: Set<AnyHashable>) {
        for object in otherSet { remove(object.base) }
    }

    override func intersect(_ otherSet: Set<AnyHashable>) {
        replace(by: members.filter { otherSet.contains($0) })
    }

    override func setSet(_ otherSet: Set<AnyHashable>) {
        replace(by: otherSet.map { managedObject($0.base) })
    }

    private func replace(by objects: [NSManagedObject]) {
        owner.checkConfinement("writing", owner.binding.layout.toManys[index].relationship.name)
        owner.setMembers(objects, of: index)
    }

    private func managedObject(_ object: Any) -> NSManagedObject {
        owner.checkConfinement("writing", owner.binding.layout.toManys[index].relationship.name)
        return owner.requireManagedObject(object, of: index)
    }
}
