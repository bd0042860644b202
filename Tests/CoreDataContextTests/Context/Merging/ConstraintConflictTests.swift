import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// Other kinds of stores do not check constraints: `KindLimitsTests`.
@Suite("Uniqueness constraints and merge policies", .leavesNothingBehind, .onStores(.sqlite, .inMemory))
struct ConstraintConflictTests {
    private let library: Library
    private let context: NSManagedObjectContext
    /// The saved person of code "c": with a pet, a group and a score.
    private let saved: Held<NSManagedObject>

    init() throws {
        library = try Library.registry()
        context = library.context()
        saved = try context.performAndWait { [context] in
            let person = context.make("Person", ["code": "c", "name": "old", "note": "old", "score": 1])
            context.make("Pet", ["name": "first", "owner": person])
            context.make("Group", ["name": "first", "persons": NSSet(object: person)])
            try context.save()
            return Held(person)
        }
    }

    private func persons() throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.sortDescriptors = [NSSortDescriptor(key: "code", ascending: true)]
        return try context.fetch(request)
    }

    /// A new person of the same code, tied to everything.
    private func makeRival() -> NSManagedObject {
        let rival = context.make("Person", ["code": "c", "name": "new", "age": 5])
        context.make("Pet", ["name": "second", "owner": rival])
        context.make("Group", ["name": "second", "persons": NSSet(object: rival)])
        context.make("Home", ["street": "s", "inhabitant": rival])
        context.make("Person", ["code": "friend", "friend": rival])
        return rival
    }

    @Test("The error policy lists the clash with the row: 133021, the constraint, both sides")
    func errorPolicy() throws {
        try context.performAndWait {
            let rival = makeRival()
            let error = try #require(throws: NSError.self) { try context.save() }
            #expect(error.domain == NSCocoaErrorDomain)
            #expect(error.code == 133_021)
            let conflicts = try #require(
                error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict])
            let conflict = try #require(conflicts.first)
            #expect(conflicts.count == 1)
            #expect(conflict.constraint == ["code"])
            #expect(conflict.constraintValues["code"] as? String == "c")
            #expect(conflict.databaseObject === saved.value)
            #expect(conflict.databaseSnapshot?["name"] as? String == "old")
            #expect(conflict.conflictingObjects == [rival])
            #expect(conflict.conflictingSnapshots.count == 1)
            #expect(context.insertedObjects.count == 5)
        }
        #expect(try library.saved("Person", "code") == ["c"])
    }

    @Test(
        "A new object gives way to the saved one: values by policy, relationships united",
        arguments: [
            (NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, ["old", "nil", "old", "1"]),
            (.mergeByPropertyObjectTrumpMergePolicyType, ["new", "5", "old", "1"]),
            (.overwriteMergePolicyType, ["new", "5", "nil", "7"]),
            (.rollbackMergePolicyType, ["old", "nil", "old", "1"]),
        ])
    func insertedAgainstSaved(expected: (type: NSMergePolicyType, values: [String])) throws {
        try context.performAndWait {
            context.mergePolicy = NSMergePolicy(merge: expected.type)
            let rival = makeRival()
            try context.save()
            #expect(rival.managedObjectContext == nil)
            #expect(!context.hasChanges)
            context.checkInvariants()
        }
        let objectWins =
            expected.type == .mergeByPropertyObjectTrumpMergePolicyType || expected.type == .overwriteMergePolicyType
        func check(_ context: NSManagedObjectContext) throws {
            let persons = try context.all("Person")
            #expect(persons.count == 2)
            let person = try #require(persons.first { $0.text("code") == "c" })
            let values = [
                person.text("name") ?? "nil", person.number("age").map { "\($0)" } ?? "nil",
                person.text("note") ?? "nil", person.number("score").map { "\($0)" } ?? "nil",
            ]
            #expect(values == expected.values)
            #expect(person.texts("pets", "name") == ["first", "second"])
            #expect(person.texts("groups", "name") == ["first", "second"])
            #expect((person.value(forKey: "home") as? NSManagedObject)?.text("street") == (objectWins ? "s" : nil))
            let friend = try #require(persons.first { $0.text("code") == "friend" })
            #expect(friend.value(forKey: "friend") as? NSManagedObject === person)
        }
        try context.performAndWait { try check(context) }
        let beside = library.context()
        try beside.performAndWait { try check(beside) }
    }

    @Test(
        "New objects with the same values become one",
        arguments: [
            (NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, ["a", "1", "x"]),
            (.mergeByPropertyObjectTrumpMergePolicyType, ["b", "1", "x"]),
            (.overwriteMergePolicyType, ["b", "nil", "x"]),
            (.rollbackMergePolicyType, ["a", "1", "nil"]),
        ])
    func amongNewOnes(expected: (type: NSMergePolicyType, values: [String])) throws {
        try context.performAndWait {
            context.mergePolicy = NSMergePolicy(merge: .errorMergePolicyType)
            let first = context.make("Person", ["code": "d", "name": "a", "age": 1])
            context.make("Pet", ["name": "of a", "owner": first])
            let second = context.make("Person", ["code": "d", "name": "b", "note": "x"])
            context.make("Pet", ["name": "of b", "owner": second])
            let error = try #require(throws: NSError.self) { try context.save() }
            let conflict = try #require((error.userInfo["conflictList"] as? [NSConstraintConflict])?.first)
            #expect(conflict.databaseObject == nil)
            #expect(conflict.databaseSnapshot == nil)
            #expect(Set(conflict.conflictingObjects) == [first, second])
            context.mergePolicy = NSMergePolicy(merge: expected.type)
            try context.save()
            let persons = try context.all("Person", "code == 'd'")
            let person = try #require(persons.first)
            #expect(persons.count == 1)
            #expect(person === first)
            #expect(
                [
                    person.text("name") ?? "nil", person.number("age").map { "\($0)" } ?? "nil",
                    person.text("note") ?? "nil",
                ] == expected.values)
            #expect(person.texts("pets", "name") == ["of a", "of b"])
        }
    }

    @Test("Three new objects and a saved one with the same values, of several entities and constraints, become one")
    func manyAtOnce() throws {
        try context.performAndWait {
            context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
            context.make("Member", ["code": "c", "name": "m", "rank": 3])
            context.make("Person", ["code": "c", "age": 9])
            context.make("Person", ["code": "c", "note": "last"])
            for number in 0..<3 { context.make("Person", ["code": "x\(number)", "name": "twin", "age": 1]) }
            try context.save()
            let persons = try persons()
            #expect(persons.count == 2)
            #expect(persons[0] === saved.value)
            #expect(persons[0].number("age") == 9)
            #expect(persons[0].text("note") == "last")
            #expect(persons[0].text("name") == "m")
            #expect(persons[1].text("name") == "twin")
        }
        #expect(try library.saved("Person", "name") == ["m", "twin"])
    }

    @Test(
        "A saved object that takes the value of another saved one: the other goes, or the change is taken back",
        arguments: [
            NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
            .overwriteMergePolicyType, .rollbackMergePolicyType,
        ])
    func updatedAgainstSaved(type: NSMergePolicyType) throws {
        try context.performAndWait {
            let other = context.make("Person", ["code": "o", "name": "other"])
            try context.save()
            context.mergePolicy = NSMergePolicy(merge: type)
            other.setValuesForKeys(["code": "c", "note": "changed"])
            try context.save()
            switch type {
            case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
                #expect(try persons() == [other])
                #expect(other.text("code") == "c")
                #expect(other.texts("pets", "name") == ["first"])
                #expect(other.texts("groups", "name") == ["first"])
                #expect(saved.value.managedObjectContext == nil)
            default:
                #expect(try persons() == [saved.value, other])
                #expect(other.text("code") == "o")
                #expect(other.text("note") == (type == .rollbackMergePolicyType ? nil : "changed"))
            }
            #expect(!context.hasChanges)
        }
    }

    @Test("Objects of one save may exchange their unique values, hand them on, and give them to new ones")
    func exchange() throws {
        try context.performAndWait {
            let other = context.make("Person", ["code": "o"])
            let third = context.make("Person", ["code": "t"])
            try context.save()
            saved.value.setValue("o", forKey: "code")
            other.setValue("t", forKey: "code")
            third.setValue("c", forKey: "code")
            try context.save()
            #expect([saved.value, other, third].map { $0.text("code") } == ["o", "t", "c"])
            saved.value.setValue("free", forKey: "code")
            context.make("Person", ["code": "o"])
            context.delete(other)
            context.make("Person", ["code": "t"])
            try context.save()
        }
        #expect(try library.saved("Person", "code") == ["c", "free", "o", "t"])
    }

    @Test("The child's object follows the one that stays when the root has saved")
    func throughTheChain() throws {
        let middle = library.child(of: context)
        let child = library.child(of: middle)
        let id = context.performAndWait { saved.value.objectID }
        let pair = try child.performAndWait {
            let rival = child.make("Person", ["code": "c", "name": "new"])
            let pet = child.make("Pet", ["name": "second", "owner": rival])
            try child.save()
            return Held((rival, pet))
        }
        try middle.performAndWait { try middle.save() }
        try context.performAndWait {
            context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
            try context.save()
        }
        try child.performAndWait {
            child.processPendingChanges()
            let (rival, pet) = pair.value
            #expect(rival.objectID == id)
            #expect(rival.text("note") == "old")
            #expect(rival.text("name") == "new")
            #expect(pet.value(forKey: "owner") as? NSManagedObject === rival)
            #expect(rival.texts("pets", "name") == ["first", "second"])
            rival.setValue("by the child", forKey: "note")
            try child.save()
        }
        try middle.performAndWait { try middle.save() }
        try context.performAndWait { try context.save() }
        #expect(try library.saved("Person", "note") == ["by the child"])
    }

    /// Keeps the saved object's values where the new one was not given any, as applications do.
    private final class FillingPolicy: NSMergePolicy {
        override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
            for conflict in list {
                guard let database = conflict.databaseObject else { continue }
                for object in conflict.conflictingObjects {
                    let changed = Set(object.changedValues().keys)
                    for key in database.entity.attributesByName.keys where !changed.contains(key) {
                        object.setValue(database.value(forKey: key), forKey: key)
                    }
                }
            }
            try super.resolve(constraintConflicts: list)
        }
    }

    @Test("A policy of one's own fills the new object from the saved one before super resolves")
    func filling() throws {
        try context.performAndWait {
            context.mergePolicy = FillingPolicy(merge: .overwriteMergePolicyType)
            _ = makeRival()
            try context.save()
            let person = try #require(try persons().first)
            #expect(person.text("name") == "new")
            #expect(person.text("note") == "old")
            #expect(person.number("score") == 1)
        }
    }
}
