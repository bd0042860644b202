import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// A person whose class has rules beyond those of its model.
final class CheckedPerson: NSManagedObject {
    static let nameIsTaken = 9001
    static let domain = "Checks"
    var asked: [String] = []
    var checks: [String] = []

    override func validateValue(
        _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
    ) throws {
        asked.append(key)
        switch key {
        case "name":
            let name = value.pointee as? String
            if name == "taken" { throw NSError(domain: Self.domain, code: Self.nameIsTaken) }
            let trimmed = name?.trimmingCharacters(in: .whitespaces)
            if trimmed != name { value.pointee = trimmed as NSString? }
        default: break
        }
        try super.validateValue(value, forKey: key)
    }

    override func validateForInsert() throws {
        checks.append("insert")
        try super.validateForInsert()
    }

    override func validateForUpdate() throws {
        checks.append("update")
        try super.validateForUpdate()
        // A rule over two properties.
        if value(forKey: "age") as? Int == 17, value(forKey: "mail") != nil {
            throw NSError(domain: Self.domain, code: 2)
        }
    }

    override func validateForDelete() throws {
        checks.append("delete")
        try super.validateForDelete()
        if value(forKey: "name") as? String == "keeper" { throw NSError(domain: Self.domain, code: 3) }
    }
}

/// A person without a word of its own.
final class QuietPerson: NSManagedObject {}

@Suite("Validation", .leavesNothingBehind, .onEveryKindOfStore)
struct ValidationTests {
    private static func model(_ managedClass: NSManagedObject.Type = NSManagedObject.self) -> NSManagedObjectModel {
        let person = NSEntityDescription()
        person.name = "Person"
        person.managedObjectClassName = NSStringFromClass(managedClass)
        let pet = NSEntityDescription()
        pet.name = "Pet"
        func attribute(
            _ name: String, _ type: NSAttributeType, _ rules: [(String, Int)] = [], isOptional: Bool = true
        ) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = isOptional
            attribute.setValidation(
                predicates: rules.map { NSPredicate(format: $0.0) }, warnings: rules.map { $0.1 as NSNumber })
            return attribute
        }
        func relationship(
            _ name: String, _ destination: NSEntityDescription, _ minimum: Int, _ maximum: Int,
            _ rule: NSDeleteRule = .nullifyDeleteRule, isOptional: Bool = true
        ) -> NSRelationshipDescription {
            let relationship = NSRelationshipDescription()
            relationship.name = name
            relationship.destinationEntity = destination
            (relationship.minCount, relationship.maxCount) = (minimum, maximum)
            relationship.deleteRule = rule
            relationship.isOptional = isOptional
            return relationship
        }
        let pets = relationship("pets", pet, 2, 3)
        let keeper = relationship("keeper", person, 0, 1)
        (pets.inverseRelationship, keeper.inverseRelationship) = (keeper, pets)
        let guests = relationship("guests", pet, 0, 0, .denyDeleteRule)
        let host = relationship("host", person, 0, 1)
        (guests.inverseRelationship, host.inverseRelationship) = (host, guests)
        let friend = relationship("friend", person, 0, 1, .denyDeleteRule)
        let friendOf = relationship("friendOf", person, 0, 1)
        (friend.inverseRelationship, friendOf.inverseRelationship) = (friendOf, friend)
        person.properties = [
            attribute(
                "name", .stringAttributeType,
                [
                    ("length >= 2", NSValidationStringTooShortError), ("length <= 10", NSValidationStringTooLongError),
                ], isOptional: false),
            attribute(
                "mail", .stringAttributeType, [("SELF MATCHES '.+@.+'", NSValidationStringPatternMatchingError)]),
            attribute(
                "age", .integer16AttributeType,
                [("SELF >= 0", NSValidationNumberTooSmallError), ("SELF <= 150", NSValidationNumberTooLargeError)]),
            attribute(
                "born", .dateAttributeType,
                [
                    ("SELF >= CAST(0, 'NSDate')", NSValidationDateTooSoonError),
                    ("SELF <= CAST(1000, 'NSDate')", NSValidationDateTooLateError),
                ]),
            pets, guests, friend, friendOf,
        ]
        pet.properties = [attribute("name", .stringAttributeType), keeper, host]
        let model = NSManagedObjectModel()
        model.entities = [person, pet]
        return model
    }

    private func withContext(
        _ managedClass: NSManagedObject.Type = NSManagedObject.self, _ body: (NSManagedObjectContext) throws -> Void
    ) throws {
        let context = try Library(model: Self.model(managedClass)).context()
        try context.performAndWait { try body(context) }
    }

    /// The errors of a save that has to fail, flat.
    private func failures(of context: NSManagedObjectContext) -> [NSError] {
        guard let error = #expect(throws: NSError.self, performing: { try context.save() }) else { return [] }
        #expect(error.domain == NSCocoaErrorDomain || error.domain == CheckedPerson.domain)
        guard error.code == NSValidationMultipleErrorsError else { return [error] }
        return error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
    }

    @Test(
        "Each rule of an attribute has its error, which names object, key, value and predicate",
        arguments: [
            ("name", "a" as any Sendable, NSValidationStringTooShortError),
            ("name", "abcdefghijk", NSValidationStringTooLongError),
            ("mail", "nobody", NSValidationStringPatternMatchingError),
            ("age", -1, NSValidationNumberTooSmallError), ("age", 151, NSValidationNumberTooLargeError),
            ("born", Date(timeIntervalSinceReferenceDate: -1), NSValidationDateTooSoonError),
            ("born", Date(timeIntervalSinceReferenceDate: 1001), NSValidationDateTooLateError),
        ])
    func attributes(key: String, value: any Sendable, code: Int) throws {
        try withContext { context in
            let person = context.make("Person", ["name": "Anna", "mail": "a@b", "age": 0])
            try context.save()
            person.setValue(value, forKey: key)
            let errors = failures(of: context)
            #expect(errors.map(\.code) == [code])
            let info = errors.first?.userInfo ?? [:]
            #expect(info[NSValidationObjectErrorKey] as? NSManagedObject === person)
            #expect(info[NSValidationKeyErrorKey] as? String == key)
            #expect("\(info[NSValidationValueErrorKey] ?? "")" == "\(person.value(forKey: key) ?? "-")")
            #expect(info[NSValidationPredicateErrorKey] is NSPredicate)
            // Nothing is lost, and the right value goes through.
            #expect(context.updatedObjects == [person])
            let good: [String: Any] = [
                "name": "Bo", "mail": "x@y", "age": 150, "born": Date(timeIntervalSinceReferenceDate: 1000),
            ]
            person.setValue(good[key], forKey: key)
            try context.save()
        }
    }

    @Test("Missing and unfit values are found in every place of a row, of new and of changed objects")
    func everyPlace() throws {
        let count = 70
        let attributes = (0..<count).map { place in
            place % 7 == 0 ? "  a\(place) int16!" : place % 7 == 1 ? "  a\(place) double!" : "  a\(place) string!"
        }
        let model = ModelText.model("entity Thing\n" + attributes.joined(separator: "\n"))
        let context = try Library(model: model).context()
        try context.performAndWait {
            func good(_ place: Int) -> Any { place % 7 < 2 ? NSNumber(value: place) : "text" }
            let thing = context.make("Thing", [:])
            #expect(failures(of: context).count == count)
            for place in 0..<count { thing.setValue(good(place), forKey: "a\(place)") }
            try context.save()
            for place in 0..<count {
                thing.setValue(nil, forKey: "a\(place)")
                #expect(failures(of: context).map(\.code) == [NSValidationMissingMandatoryPropertyError])
                if place % 7 < 2 {
                    thing.setValue(place % 7 == 0 ? 40_000 : Double.nan, forKey: "a\(place)")
                    let errors = failures(of: context)
                    #expect(errors.count == 1)
                    #expect(errors.first?.code != NSValidationMissingMandatoryPropertyError)
                    #expect(errors.first?.userInfo[NSValidationKeyErrorKey] as? String == "a\(place)")
                }
                thing.setValue(good(place), forKey: "a\(place)")
            }
            try context.save()
        }
    }

    @Test("A relationship has at least and at most so many members, or none where it is optional")
    func counts() throws {
        try withContext { context in
            let person = context.make("Person", ["name": "Anna"])
            try context.save()
            func set(_ count: Int) {
                person.setValue(Set((0..<count).map { _ in context.make("Pet") }), forKey: "pets")
            }
            set(1)
            #expect(failures(of: context).map(\.code) == [NSValidationRelationshipLacksMinimumCountError])
            set(2)
            try context.save()
            set(3)
            try context.save()
            set(4)
            let errors = failures(of: context)
            #expect(errors.map(\.code) == [NSValidationRelationshipExceedsMaximumCountError])
            #expect(errors.first?.userInfo[NSValidationKeyErrorKey] as? String == "pets")
            #expect((errors.first?.userInfo[NSValidationValueErrorKey] as? Set<NSManagedObject>)?.count == 4)
        }
    }

    @Test("All failures of all objects come in one error: 1560, with each of them inside, none nested")
    func severalErrors() throws {
        try withContext { context in
            let one = context.make("Person", ["name": "x", "age": 200, "mail": "none"])
            let other = context.make("Person", ["age": -5])
            let saved = failures(of: context)
            #expect(saved.count == 5)
            #expect(saved.allSatisfy { $0.userInfo[NSDetailedErrorsKey] == nil })
            func codes(_ object: NSManagedObject) -> Set<Int> {
                Set(saved.filter { $0.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === object }.map(\.code))
            }
            #expect(
                codes(one) == [
                    NSValidationStringTooShortError, NSValidationNumberTooLargeError,
                    NSValidationStringPatternMatchingError,
                ])
            #expect(codes(other) == [NSValidationMissingMandatoryPropertyError, NSValidationNumberTooSmallError])
            #expect(context.insertedObjects.count == 2)
        }
    }

    @Test("Deletions that relationships deny are gathered, too; an object that goes along denies nothing")
    func deniedDeletions() throws {
        try withContext { context in
            let anna = context.make("Person", ["name": "Anna"])
            let bo = context.make("Person", ["name": "Bo"])
            let guest = context.make("Pet")
            anna.setValue(bo, forKey: "friend")
            anna.setValue(Set([guest]), forKey: "guests")
            try context.save()
            context.delete(anna)
            let errors = failures(of: context)
            #expect(
                errors.map(\.code) == [
                    NSValidationRelationshipDeniedDeleteError, NSValidationRelationshipDeniedDeleteError,
                ])
            #expect(Set(errors.compactMap { $0.userInfo[NSValidationKeyErrorKey] as? String }) == ["friend", "guests"])
            context.delete(bo)
            #expect(failures(of: context).compactMap { $0.userInfo[NSValidationKeyErrorKey] as? String } == ["guests"])
            context.delete(guest)
            try context.save()
            let rest = try context.all("Person")
            #expect(rest.isEmpty)
        }
    }

    @Test("Inserting, updating and deleting each have their check, which a class adds to")
    func kindsOfSaves() throws {
        try withContext(CheckedPerson.self) { context in
            let person = try #require(context.make("Person", ["name": "Anna", "age": 17]) as? CheckedPerson)
            try context.save()
            #expect(person.checks == ["insert"])
            person.setValue("a@b", forKey: "mail")
            #expect(failures(of: context).map(\.code) == [2])
            person.setValue("a", forKey: "mail")
            #expect(failures(of: context).map(\.code) == [NSValidationStringPatternMatchingError])
            person.setValue(18, forKey: "age")
            person.setValue("a@b", forKey: "mail")
            try context.save()
            #expect(person.checks == ["insert", "update", "update", "update"])
            person.setValue("keeper", forKey: "name")
            try context.save()
            person.checks = []
            context.delete(person)
            #expect(failures(of: context).map(\.code) == [3])
            #expect(person.checks == ["delete"])
            #expect(context.deletedObjects == [person])
        }
    }

    @Test("A class's own validateValue is asked about each property at each save, refuses values and replaces them")
    func ownValues() throws {
        try withContext(CheckedPerson.self) { context in
            let person = try #require(context.make("Person", ["name": " Anna "]) as? CheckedPerson)
            try context.save()
            #expect(person.value(forKey: "name") as? String == "Anna")
            #expect(Set(person.asked).isSuperset(of: ["name", "age", "born", "mail", "friend"]))
            #expect(!context.hasChanges)
            context.refresh(person, mergeChanges: false)
            #expect(person.value(forKey: "name") as? String == "Anna")

            person.setValue("taken", forKey: "name")
            person.setValue(200, forKey: "age")
            let errors = failures(of: context)
            #expect(Set(errors.map(\.code)) == [CheckedPerson.nameIsTaken, NSValidationNumberTooLargeError])
            person.setValue(20, forKey: "age")
            person.setValue("Bo ", forKey: "name")
            try context.save()
            #expect(person.value(forKey: "name") as? String == "Bo")
        }
    }

    @Test("A class's validateValue is asked about to-many relationships that have changed or have a limited count")
    func ownToManys() throws {
        try withContext(CheckedPerson.self) { context in
            let person = try #require(context.make("Person", ["name": "Anna"]) as? CheckedPerson)
            try context.save()
            person.asked = []
            person.setValue("Bo", forKey: "name")
            try context.save()
            #expect(person.asked.contains("pets") && !person.asked.contains("guests"))
            person.asked = []
            person.setValue(Set([context.make("Pet")]), forKey: "guests")
            try context.save()
            #expect(person.asked.contains("guests"))
        }
    }

    @Test("Values can be asked about before they are set")
    func askingDirectly() throws {
        try withContext(CheckedPerson.self) { context in
            let person = context.make("Person", ["name": "Anna"])
            var name: AnyObject? = " Bo " as NSString
            try person.validateValue(&name, forKey: "name")
            #expect(name as? String == "Bo")
            #expect(person.value(forKey: "name") as? String == "Anna")
            func code(_ value: AnyObject?, _ key: String) -> Int? {
                var value = value
                do {
                    try person.validateValue(&value, forKey: key)
                    return nil
                } catch {
                    return (error as NSError).code
                }
            }
            #expect(code(nil, "name") == NSValidationMissingMandatoryPropertyError)
            #expect(code("taken" as NSString, "name") == CheckedPerson.nameIsTaken)
            #expect(code(NSNumber(value: 151), "age") == NSValidationNumberTooLargeError)
            #expect(code(NSNumber(value: 1_000_000), "age") == NSValidationMultipleErrorsError)
            #expect(code(NSNumber(value: 15), "age") == nil)
            #expect(code(nil, "age") == nil)
            #expect(code(NSSet(array: [context.make("Pet")]), "pets") == NSValidationRelationshipLacksMinimumCountError)
            #expect(code(NSSet(), "pets") == nil)
            #expect(code(nil, "nothing") == nil)
        }
    }

    @Test("A save validates objects of a class that overrides no validation by the model alone")
    func quietClass() throws {
        try withContext(QuietPerson.self) { context in
            context.make("Person", ["name": "x"])
            #expect(failures(of: context).map(\.code) == [NSValidationStringTooShortError])
        }
        #expect(!ObjectOverrides.validation(QuietPerson.self))
        #expect(!ObjectOverrides.validation(NSManagedObject.self))
        #expect(ObjectOverrides.validation(CheckedPerson.self))
    }
}
