import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Swift's predicates", .leavesNothingBehind)
struct SwiftPredicateTests {
    typealias Person = KeyPathPerson
    typealias Team = KeyPathTeam

    private func format(_ predicate: Predicate<Person>) throws -> String {
        try #require(NSPredicate(predicate)).description
    }

    @Test("Comparisons and their combinations become predicates of the same meaning")
    func comparisons() throws {
        let limit: Int32 = 30
        let name = "Cleo"
        #expect(try format(#Predicate { $0.age == limit }) == "age == 30")
        #expect(try format(#Predicate { $0.age != 3 && $0.age >= 1 }) == "age != 3 AND age >= 1")
        #expect(try format(#Predicate { $0.name < name || !($0.age <= 7) }) == #"name < "Cleo" OR (NOT age <= 7)"#)
        #expect(try format(#Predicate { $0.nickname == nil }) == "nickname == nil")
        #expect(try format(#Predicate { $0.isActive }) == "isActive == 1")
        #expect(try format(#Predicate { !$0.isActive }) == "NOT isActive == 1")
        #expect(try format(#Predicate { _ in true }) == "TRUEPREDICATE")
    }

    @Test("Arithmetic, ranges and lists become formats")
    func numbers() throws {
        let ages: [Int32] = [20, 30]
        let range: Range<Int32> = 18..<30
        #expect(try format(#Predicate { $0.age * 2 + 1 > 60 }) == "age * 2 + 1 > 60")
        #expect(try format(#Predicate { $0.age % 7 == 2 }) == "modulus:by:(age, 7) == 2")
        #expect(try format(#Predicate { $0.score / 2 > -1 }).hasPrefix("score / 2 >"))
        #expect(try format(#Predicate { ages.contains($0.age) }) == "age IN {20, 30}")
        #expect(try format(#Predicate { range.contains($0.age) }) == "age >= 18 AND age < 30")
        #expect(try format(#Predicate { (18...30).contains($0.age) }) == "age BETWEEN {18, 30}")
    }

    @Test("Conditions on strings become formats")
    func strings() throws {
        let same = ComparisonResult.orderedSame
        #expect(try format(#Predicate { $0.name.contains("nn") }) == #"name CONTAINS "nn""#)
        #expect(try format(#Predicate { $0.name.starts(with: "A") }) == #"name BEGINSWITH "A""#)
        #expect(try format(#Predicate { $0.name.localizedStandardContains("ANN") }) == #"name CONTAINS[cd] "ANN""#)
        #expect(
            try format(#Predicate { $0.name.caseInsensitiveCompare("cleo") == same })
                == #"name ==[c] "cleo""#)
        #expect(try format(#Predicate { $0.name.isEmpty }) == #"name == """#)
        #expect(try format(#Predicate { $0.name.count > 4 }) == "length:(name) > 4")
    }

    @Test(
        "Conditions on optionals, relationships and members mean the same in a store and in memory",
        .onEveryKindOfStore)
    func meaning() throws {
        let store = try KeyPathStore()
        func names(_ predicate: Predicate<Person>) throws -> [String] {
            let translated = try #require(NSPredicate(predicate))
            let (stored, inMemory) = try store.names(where: translated)
            let direct = try store.context.performAndWait {
                try store.context.fetch(NSFetchRequest<Person>(entityName: "Person")).filter {
                    try predicate.evaluate($0)
                }
                .map(\.name).sorted()
            }
            #expect(inMemory == direct, "\(translated)")
            #expect(stored == direct, "\(translated)")
            return direct
        }
        let none: String? = nil
        #expect(try names(#Predicate { $0.team?.name == "red" }) == ["Ann 10"])
        #expect(try names(#Predicate { $0.team == nil }) == ["Cleo"])
        #expect(try names(#Predicate { $0.nickname == none }) == ["ben 9"])
        #expect(try names(#Predicate { $0.nickname?.contains("nn") == true }) == ["Ann 10", "Cleo"])
        #expect(try names(#Predicate { $0.nickname?.contains("nn") ?? true }) == ["Ann 10", "Cleo", "ben 9"])
        #expect(try names(#Predicate { ($0.nickname ?? "none") == "none" }) == ["ben 9"])
        #expect(try names(#Predicate { $0.nickname != nil && $0.nickname!.starts(with: "A") }) == ["Cleo"])
        #expect(try names(#Predicate { $0.name.localizedStandardContains("ANN") }) == ["Ann 10"])
        #expect(try names(#Predicate { $0.nickname?.localizedStandardContains("ann") == true }) == ["Ann 10", "Cleo"])
        #expect(try names(#Predicate { $0.age * 2 > 50 && $0.score < 18 }) == ["Ann 10"])
        #expect(try names(#Predicate { if $0.isActive { $0.age > 35 } else { $0.age < 25 } }) == ["Cleo", "ben 9"])
        #expect(try names(#Predicate { $0.name.count == 4 }) == ["Cleo"])
        #expect(try names(#Predicate { $0.team?.members.isEmpty == false }) == ["Ann 10", "ben 9"])
        #expect(try names(#Predicate { $0.team?.members.contains { $0.age > 25 } == true }) == ["Ann 10"])
        #expect(try names(#Predicate { (20...30).contains($0.age) }) == ["Ann 10", "ben 9"])
    }

    @Test("Members of a to-many relationship: count, any, all, some of them", .onEveryKindOfStore)
    func members() throws {
        let store = try KeyPathStore()
        func names(_ predicate: Predicate<Team>) throws -> [String] {
            let translated = try #require(NSPredicate(predicate))
            return try store.context.performAndWait {
                let request = NSFetchRequest<Team>(entityName: "Team")
                let all = try store.context.fetch(request)
                request.predicate = translated
                let stored = try store.context.fetch(request).map(\.name).sorted()
                #expect(try all.filter { try predicate.evaluate($0) }.map(\.name).sorted() == stored, "\(translated)")
                #expect(all.filter { translated.evaluate(with: $0) }.map(\.name).sorted() == stored, "\(translated)")
                return stored
            }
        }
        #expect(try names(#Predicate { $0.members.count == 1 }) == ["blue", "red"])
        #expect(try names(#Predicate { $0.members.isEmpty }) == [])
        #expect(try names(#Predicate { $0.members.contains { $0.age > 25 } }) == ["red"])
        #expect(try names(#Predicate { $0.members.allSatisfy { $0.age < 25 } }) == ["blue"])
        #expect(try names(#Predicate { $0.members.filter { $0.isActive }.count == 0 }) == ["blue"])
        #expect(
            try names(#Predicate { team in team.members.contains { $0.name == team.name } }) == [])
    }

    @Test("Enumerations are compared by their raw values")
    func enumerations() throws {
        let senior = Person.Rank.senior
        let wild: Person.Mood? = .wild
        #expect(try format(#Predicate { $0.rank == senior }) == "rank == 7")
        #expect(try format(#Predicate { $0.mood == wild }) == #"mood == "wild""#)
    }

    @Test("A predicate there are no words for gives nothing")
    func untranslatable() {
        #expect(NSPredicate(#Predicate<Person> { $0.title == "x" }) == nil)
        #expect(NSPredicate(#Predicate<Person> { $0.born.timeIntervalSince1970 > 3 }) == nil)
    }

    @Test("Expressions are translated too")
    func expressions() throws {
        let expression = #Expression<Person, Int32> { $0.age + 1 }
        #expect(try #require(NSExpression(expression)).description == "age + 1")
    }
}
