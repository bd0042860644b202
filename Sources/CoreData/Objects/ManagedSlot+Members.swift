import Foundation

/// The calls of accessor methods of to-many relationships, such as `addToTags(_:)` and `insertIntoItems(_:at:)`.
///
/// Inverses follow. Adding an object that is a member already does nothing, and so does removing one that is not. An
/// index beyond the members stops the process, and so does an object of another context.
extension ManagedSlot {
    /// Adds an object, at the end if the relationship is ordered.
    ///
    /// - Parameters:
    ///   - object: The new member.
    ///   - owner: The object that has the relationship.
    public func add(_ object: NSManagedObject, to owner: NSManagedObject) {
        owner.checkConfinement("adding to", name)
        owner.addMember(object, to: slot(in: owner, as: .toMany))
    }

    /// Adds the objects of a set, an ordered set or an array.
    ///
    /// - Parameters:
    ///   - objects: The new members. An element that is not a managed object stops the process.
    ///   - owner: The object that has the relationship.
    public func add(_ objects: some Sequence, to owner: NSManagedObject) {
        for object in managedObjects(objects, owner) { add(object, to: owner) }
    }

    /// Removes an object.
    ///
    /// - Parameters:
    ///   - object: The member to remove.
    ///   - owner: The object that has the relationship.
    public func remove(_ object: NSManagedObject, from owner: NSManagedObject) {
        owner.checkConfinement("removing from", name)
        owner.removeMember(object, from: slot(in: owner, as: .toMany))
    }

    /// Removes the objects of a set, an ordered set or an array.
    ///
    /// - Parameters:
    ///   - objects: The members to remove. An element that is not a managed object stops the process.
    ///   - owner: The object that has the relationship.
    public func remove(_ objects: some Sequence, from owner: NSManagedObject) {
        for object in managedObjects(objects, owner) { remove(object, from: owner) }
    }

    // MARK: Ordered relationships

    /// Inserts an object at a position of an ordered relationship. A member is moved there.
    ///
    /// - Parameters:
    ///   - object: The object to insert.
    ///   - index: Its position after the insertion.
    ///   - owner: The object that has the relationship.
    public func insert(_ object: NSManagedObject, at index: Int, into owner: NSManagedObject) {
        insert([object], at: IndexSet(integer: index), into: owner)
    }

    /// Inserts objects so that they have the given positions of an ordered relationship afterwards. Members are moved.
    ///
    /// - Parameters:
    ///   - objects: The objects to insert.
    ///   - indexes: One position for each object, in ascending order.
    ///   - owner: The object that has the relationship.
    public func insert(_ objects: [NSManagedObject], at indexes: IndexSet, into owner: NSManagedObject) {
        require(
            objects.count == indexes.count,
            "insertInto '\(name)' of entity '\(owner.entity.name ?? "")': \(objects.count) objects for \(indexes.count) positions"
        )
        let newcomers = Set(objects.map(ObjectIdentifier.init))
        var members = owner.toMany(self).filter { !newcomers.contains(ObjectIdentifier($0)) }
        for (object, index) in zip(objects, indexes) {
            check(index, below: members.count + 1, owner)
            members.insert(object, at: index)
        }
        owner.set(self, toMany: members)
    }

    /// Inserts objects at the positions of an `NSIndexSet`.
    ///
    /// - Parameters:
    ///   - objects: The objects to insert.
    ///   - indexes: One position for each object, in ascending order.
    ///   - owner: The object that has the relationship.
    public func insert(_ objects: [NSManagedObject], at indexes: NSIndexSet, into owner: NSManagedObject) {
        insert(objects, at: IndexSet(indexes), into: owner)
    }

    /// Removes the object at a position of an ordered relationship.
    ///
    /// - Parameters:
    ///   - index: The position of the member to remove.
    ///   - owner: The object that has the relationship.
    public func remove(at index: Int, from owner: NSManagedObject) {
        remove(at: IndexSet(integer: index), from: owner)
    }

    /// Removes the objects at the given positions of an ordered relationship.
    ///
    /// - Parameters:
    ///   - indexes: The positions of the members to remove.
    ///   - owner: The object that has the relationship.
    public func remove(at indexes: IndexSet, from owner: NSManagedObject) {
        var members = owner.toMany(self)
        for index in indexes.reversed() {
            check(index, below: members.count, owner)
            members.remove(at: index)
        }
        owner.set(self, toMany: members)
    }

    /// Removes the objects at the positions of an `NSIndexSet`.
    ///
    /// - Parameters:
    ///   - indexes: The positions of the members to remove.
    ///   - owner: The object that has the relationship.
    public func remove(at indexes: NSIndexSet, from owner: NSManagedObject) {
        remove(at: IndexSet(indexes), from: owner)
    }

    /// Replaces the object at a position of an ordered relationship.
    ///
    /// - Parameters:
    ///   - index: The position of the member to replace.
    ///   - object: The new member.
    ///   - owner: The object that has the relationship.
    public func replace(at index: Int, with object: NSManagedObject, in owner: NSManagedObject) {
        replace(at: IndexSet(integer: index), with: [object], in: owner)
    }

    /// Replaces the objects at the given positions of an ordered relationship.
    ///
    /// - Parameters:
    ///   - indexes: One position for each object, in ascending order.
    ///   - objects: The new members.
    ///   - owner: The object that has the relationship.
    public func replace(at indexes: IndexSet, with objects: [NSManagedObject], in owner: NSManagedObject) {
        require(
            objects.count == indexes.count,
            "replace '\(name)' of entity '\(owner.entity.name ?? "")': \(objects.count) objects for \(indexes.count) positions"
        )
        var members = owner.toMany(self)
        for (object, index) in zip(objects, indexes) {
            check(index, below: members.count, owner)
            members[index] = object
        }
        owner.set(self, toMany: members)
    }

    /// Replaces the objects at the positions of an `NSIndexSet`.
    ///
    /// - Parameters:
    ///   - indexes: One position for each object, in ascending order.
    ///   - objects: The new members.
    ///   - owner: The object that has the relationship.
    public func replace(at indexes: NSIndexSet, with objects: [NSManagedObject], in owner: NSManagedObject) {
        replace(at: IndexSet(indexes), with: objects, in: owner)
    }

    private func check(_ index: Int, below bound: Int, _ owner: NSManagedObject) {
        require(
            index >= 0 && index < bound,
            "Index \(index) is beyond the \(bound) positions of '\(name)' of entity '\(owner.entity.name ?? "")'")
    }

    private func managedObjects(_ objects: some Sequence, _ owner: NSManagedObject) -> [NSManagedObject] {
        objects.map { element in
            if let object = element as? NSManagedObject { return object }
            fatalError(
                """
                Unacceptable type of value for to-many relationship: property = "\(name)"; given type = \
                \(type(of: element)); entity = \(owner.entity.name ?? "").
                """)
        }
    }
}
