import Foundation
import SwiftData
import Testing

@Model final class Dial {
    var text: String
    var number: Int
    var ratio: Double
    var isOn: Bool
    var day: Date
    var key: UUID
    var note: String?
    var after: Dial?

    init(_ number: Int) {
        text = "dial \(number)"
        self.number = number
        ratio = Double(number) / 4
        isOn = number == 2
        day = Date(timeIntervalSinceReferenceDate: Double(number))
        key = UUID()
        note = number % 2 == 0 ? "even" : nil
    }
}

/// Conditions that a property equals a value, which are not translated as trees are.
@Suite("Equality in predicates of SwiftData")
struct SwiftDataEqualityTests {
    private let context: ModelContext
    private let dials = (0..<5).map { Dial($0) }

    init() throws {
        let container = try ModelContainer(
            for: Dial.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
        for dial in dials { context.insert(dial) }
        dials[4].after = dials[3]
        try context.save()
    }

    private func numbers(_ predicate: Predicate<Dial>) throws -> [Int] {
        try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.number)])).map(\.number)
    }

    @Test("Values of the plain types, saved and unsaved")
    func plain() throws {
        let (text, number, ratio, day, key) = ("dial 3", 3, 0.75, dials[3].day, dials[3].key)
        let on = true
        func check() throws {
            #expect(try numbers(#Predicate { $0.text == text }) == [3])
            #expect(try numbers(#Predicate { $0.number == number }) == [3])
            #expect(try numbers(#Predicate { $0.ratio == ratio }) == [3])
            #expect(try numbers(#Predicate { $0.day == day }) == [3])
            #expect(try numbers(#Predicate { $0.key == key }) == [3])
            #expect(try numbers(#Predicate { $0.isOn == on }) == [2])
            #expect(try numbers(#Predicate { $0.isOn == false }) == [0, 1, 3, 4])
            #expect(try numbers(#Predicate { $0.text == "none" }) == [])
        }
        try check()
        dials[3].text = "another"
        #expect(try numbers(#Predicate { $0.text == text }) == [])
        dials[3].text = text
        try check()
    }

    @Test("Conditions of other forms are translated")
    func others() throws {
        let (text, third) = ("dial 3", dials[3].persistentModelID)
        let even: String? = "even"
        let none: String? = nil
        #expect(try numbers(#Predicate { text == $0.text }) == [3])
        #expect(try numbers(#Predicate { $0.note == even }) == [0, 2, 4])
        #expect(try numbers(#Predicate { $0.note == none }) == [1, 3])
        #expect(try numbers(#Predicate { $0.after?.text == text }) == [4])
        #expect(try numbers(#Predicate { $0.persistentModelID == third }) == [3])
        #expect(try numbers(#Predicate { $0.text.count == 6 }) == [0, 1, 2, 3, 4])
        #expect(try numbers(#Predicate { ($0.number == 3) == true }) == [3])
    }
}
