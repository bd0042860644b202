import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

extension KeyPathPerson.Rank: FetchedValue {}
extension KeyPathPerson.Mood: FetchedValue {}

@Suite("Fetches of tuples of values", .leavesNothingBehind, .onEveryKindOfStore)
struct FetchedRowsTests {
    private let context: NSManagedObjectContext

    init() throws {
        context = try KeyPathStore().context
        try context.performAndWait {
            for person in try context.fetch(Self.people()) {
                person.identifier = person.nickname == nil ? nil : UUID()
                person.money = Decimal(person.age) / 10
            }
            try context.save()
        }
    }

    private static func people(_ format: String? = nil) -> NSFetchRequest<KeyPathPerson> {
        let request = NSFetchRequest<KeyPathPerson>(entityName: "Person")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        request.predicate = format.map { NSPredicate(format: $0) }
        return request
    }

    @Test("Every kind of value is what the object has", arguments: [0, 1])
    func values(depth: Int) throws {
        var context = context
        for _ in 0..<depth {
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = context
            context = child
        }
        try context.performAndWait {
            let people = try context.fetch(Self.people())
            try #require(people.count == 3)
            let texts = try context.fetch(
                Self.people(), properties: \.name, \.nickname, \.team?.name, \.mood, \.identifier)
            let numbers = try context.fetch(
                Self.people(), properties: \.age, \.score, \.isActive, \.born, \.money, \.rank)
            for (place, person) in people.enumerated() {
                #expect(texts[place].0 == person.name)
                #expect(texts[place].1 == person.nickname)
                #expect(texts[place].2 == person.team?.name)
                #expect(texts[place].3 == person.mood)
                #expect(texts[place].4 == person.identifier)
                #expect(numbers[place].0 == person.age)
                #expect(numbers[place].1 == person.score)
                #expect(numbers[place].2 == person.isActive)
                #expect(numbers[place].3 == person.born)
                #expect(numbers[place].4 == person.money)
                #expect(numbers[place].5 == person.rank)
            }
        }
    }

    @Test("The request's predicate, order, offset and limit count, its properties and unsaved changes do not")
    func request() throws {
        try context.performAndWait {
            let request = Self.people("age > 0")
            request.propertiesToFetch = ["nickname"]
            (request.fetchOffset, request.fetchLimit) = (1, 1)
            let second = try context.fetch(request)[0]
            let saved = second.name
            second.name = "0"
            #expect(try context.fetch(request, properties: \.name) == [saved])
            #expect(try context.fetch(Self.people("age < 0"), properties: \.name, \.age).isEmpty)
            let twice = try context.fetch(request, properties: \.name, \.name)
            #expect(twice.map(\.0) == [saved] && twice.map(\.1) == [saved])
        }
    }

    @Test("A number without a value is 0, a text without one an error that names the property")
    func missing() throws {
        try context.performAndWait {
            let person = try context.fetch(Self.people())[0]
            for key in ["age", "score", "motto"] { person.setValue(nil, forKey: key) }
            try context.save()
            let request = Self.people("age == nil")
            let numbers = try context.fetch(request, properties: \.age, \.score)
            #expect(numbers.map(\.0) == [0] && numbers.map(\.1) == [0])
            let error = #expect(throws: NSError.self) { try context.fetch(request, properties: \.age, \.motto) }
            #expect(error?.code == NSCoreDataError)
            #expect(error.map { "\($0)".contains("“motto” has no value") } == true)
        }
    }

    @Test("A raw value without a case is an error that names the property and the value")
    func unknownCase() throws {
        try context.performAndWait {
            try context.fetch(Self.people())[0].setValue(4, forKey: "rank")
            try context.save()
            let error = #expect(throws: NSError.self) { try context.fetch(Self.people(), properties: \.rank) }
            #expect(error.map { "\($0)".contains("The value 4 of the property “rank”") } == true)
        }
    }
}
