import CoreData
import Foundation
import SwiftData
import Testing

/// Fields of the types whose reads are compiled for them, and of more types.
struct Measured: Codable, Equatable {
    var text: String
    var count: Int
    var ratio: Double
    var isOn: Bool
    var day: Date
    var key: UUID
    var inner: Inner
    var part: Float
    var kind: Kind
    var maybeText: String?
    var maybeCount: Int?
    var maybeRatio: Double?
    var maybeOn: Bool?
    var maybeDay: Date?
    var maybeKey: UUID?
    var maybeInner: Inner?
    var last: String

    struct Inner: Codable, Equatable {
        var name: String
        var number: Int?
        var deep: Deep
    }

    struct Deep: Codable, Equatable {
        var flag: Bool
        var words: [String]
    }

    enum Kind: String, Codable { case low, high }

    init(_ number: Int, isFull: Bool) {
        text = String(repeating: "text ", count: number)
        count = number
        ratio = Double(number) / 4
        isOn = number % 2 == 1
        day = Date(timeIntervalSinceReferenceDate: Double(number))
        key = UUID()
        inner = Inner(name: "inner \(number)", number: isFull ? 3 : nil, deep: Deep(flag: true, words: ["a", "b"]))
        part = 0.5
        kind = .high
        if isFull {
            maybeText = "some text that takes memory of its own"
            maybeCount = -number
            maybeRatio = 0.25
            maybeOn = false
            maybeDay = Date(timeIntervalSinceReferenceDate: 7)
            maybeKey = UUID()
            maybeInner = inner
        }
        last = "the last one, which takes memory of its own"
    }
}

@Model final class Survey {
    var number: Int
    var reading: Measured = Survey.missing
    var extra: Measured?

    static let missing = Measured(0, isFull: false)

    init(number: Int, reading: Measured, extra: Measured? = nil) {
        self.number = number
        self.reading = reading
        self.extra = extra
    }
}

/// Structures, whose fields are read and written at their places in memory.
@Suite("Structures of SwiftData")
struct SwiftDataStructureTests {
    @Test("Each kind of field comes back, with and without a value")
    func fields() throws {
        let container = try ModelContainer(
            for: Survey.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let readings = (1...6).map { Measured($0, isFull: $0 % 2 == 0) }
        let context = ModelContext(container)
        for (number, reading) in readings.enumerated() {
            let survey = Survey(number: number, reading: reading, extra: number % 3 == 0 ? reading : nil)
            #expect(survey.reading == reading)
            context.insert(survey)
            #expect(survey.reading == reading)
        }
        try context.save()
        let other = ModelContext(container)
        let surveys = try other.fetch(FetchDescriptor<Survey>(sortBy: [SortDescriptor(\.number)]))
        #expect(surveys.map(\.reading) == readings)
        #expect(surveys.map(\.extra) == readings.enumerated().map { $0 % 3 == 0 ? $1 : nil })
        for survey in surveys {
            survey.reading = readings[0]
            survey.extra?.maybeText = nil
        }
        #expect(surveys.allSatisfy { $0.reading == readings[0] && $0.extra?.maybeText == nil })
    }

    @Test("A structure with a field that has no value reads as the default, whichever field it is")
    func missingField() throws {
        let container = try ModelContainer(
            for: Survey.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        let survey = Survey(number: 1, reading: Measured(3, isFull: true))
        context.insert(survey)
        let whole = try #require(survey.managedObject.value(forKey: "reading") as? [String: Any])
        for name in ["text", "count", "ratio", "isOn", "day", "key", "inner", "part", "kind", "last"] {
            var values = whole
            values[name] = nil
            survey.managedObject.setValue(values, forKey: "reading")
            #expect(survey.reading == Survey.missing, "without \(name)")
        }
        survey.managedObject.setValue(whole, forKey: "reading")
        #expect(survey.reading.count == 3)
    }
}
