import Foundation
import SwiftData

// Versions of a diary. The third one renames a property and has a class more.

enum Tone: String, Codable { case calm, loud }

enum DiaryV1: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Note.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

    @Model final class Note {
        var title: String
        var words: Int = 0

        init(title: String, words: Int = 0) {
            self.title = title
            self.words = words
        }
    }
}

enum DiaryV2: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Note.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }

    @Model final class Note {
        var title: String
        var words: Int = 0
        @Attribute(.unique) var key: UUID = UUID()
        var tone: Tone = Tone.calm
        var place: Place = Place(town: "Rome", street: nil)
        var labels: [String] = ["new"]
        var summary: String?

        init(title: String) { self.title = title }
    }

    struct Place: Codable, Equatable {
        var town: String
        var street: String?
    }
}

enum DiaryV3: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Note.self, Reader.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }

    @Model final class Note {
        @Attribute(originalName: "title") var headline: String
        var words: Int = 0
        @Attribute(.unique) var key: UUID = UUID()
        var tone: Tone = Tone.calm
        var place: Place = Place(town: "Rome", street: nil, floor: 4)
        var labels: [String] = ["new"]
        var summary: String?
        @Relationship(inverse: \Reader.notes) var readers: [Reader] = []

        init(headline: String) { self.headline = headline }
    }

    struct Place: Codable, Equatable {
        var town: String
        var street: String?
        var floor: Int
    }

    @Model final class Reader {
        var name: String
        var notes: [Note] = []

        init(name: String) { self.name = name }
    }
}

/// The plan of all three versions.
enum DiaryPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [DiaryV1.self, DiaryV2.self, DiaryV3.self] }
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: DiaryV1.self, toVersion: DiaryV2.self,
                willMigrate: { context in
                    for note in try context.fetch(FetchDescriptor<DiaryV1.Note>()) { note.title += "!" }
                    try context.save()
                },
                didMigrate: { context in
                    for note in try context.fetch(FetchDescriptor<DiaryV2.Note>()) {
                        note.summary = "\(note.title) \(note.words)"
                    }
                    try context.save()
                }),
            .custom(
                fromVersion: DiaryV2.self, toVersion: DiaryV3.self, willMigrate: nil,
                didMigrate: { context in
                    let reader = DiaryV3.Reader(name: "Ann")
                    context.insert(reader)
                    reader.notes = try context.fetch(FetchDescriptor<DiaryV3.Note>())
                    try context.save()
                    // Without a save a change does not stay.
                    reader.name = "Bob"
                }),
        ]
    }
}

/// The plan of an older program.
enum ShortDiaryPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [DiaryV1.self, DiaryV2.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: DiaryV1.self, toVersion: DiaryV2.self)] }
}

/// A development version between the first and the second.
enum DiaryBetween: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Note.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

    @Model final class Note {
        var title: String
        var words: Int = 0
        var summary: String?

        init(title: String) { self.title = title }
    }
}

/// A development version with something that no version of the plan has.
enum DiaryAside: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Note.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

    @Model final class Note {
        var title: String
        var words: Int = 0
        var weather: String?

        init(title: String, weather: String?) {
            self.title = title
            self.weather = weather
        }
    }
}

// A plan whose second stage changes values alone.

@Model final class Price {
    var cents: Int = 0

    init(cents: Int) { self.cents = cents }
}

enum PricesV1: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Price.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
}

enum PricesV2: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Price.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
}

enum PricesV3: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Price.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }

    @Model final class Price {
        var cents: Int = 0
        var currency: String = "EUR"

        init(cents: Int) { self.cents = cents }
    }
}

enum PricesAgain: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Price.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
}

/// Doubles all prices.
enum PricePlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [PricesV1.self, PricesV2.self] }
    static var stages: [MigrationStage] { [doubling] }
    static let doubling = MigrationStage.custom(
        fromVersion: PricesV1.self, toVersion: PricesV2.self, willMigrate: nil,
        didMigrate: { context in
            for price in try context.fetch(FetchDescriptor<Price>()) { price.cents *= 2 }
            try context.save()
        })
}

enum LongPricePlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [PricesV1.self, PricesV2.self, PricesV3.self] }
    static var stages: [MigrationStage] {
        [PricePlan.doubling, .lightweight(fromVersion: PricesV2.self, toVersion: PricesV3.self)]
    }
}

enum TwicePricePlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [PricesV1.self, PricesAgain.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: PricesV1.self, toVersion: PricesAgain.self)] }
}

// Two classes that have nothing to do with each other, for containers with several stores.

enum PartsV1: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Left.self, Right.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

    @Model final class Left {
        var count: Int = 0

        init() {}
    }

    @Model final class Right {
        var count: Int = 0

        init() {}
    }
}

enum PartsV2: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Left.self, Right.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }

    @Model final class Left {
        var count: Int = 0
        var key: UUID = UUID()

        init() {}
    }

    @Model final class Right {
        var count: Int = 0
        var note: String = ""

        init() {}
    }
}

enum PartPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [PartsV1.self, PartsV2.self] }
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: PartsV1.self, toVersion: PartsV2.self, willMigrate: nil,
                didMigrate: { context in
                    guard context.container.schema.entitiesByName["Right"] != nil else { return }
                    for right in try context.fetch(FetchDescriptor<PartsV2.Right>()) { right.note = "done" }
                    try context.save()
                })
        ]
    }
}

// The first versions of a program that notes expenses (`ExpensesV1`, `ExpensesV2`), and a third one of ours.

extension ExpensesV1: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Expense.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
}

extension ExpensesV2: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Expense.self, Category.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
}

enum ExpensesV3: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Expense.self, Category.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }

    @Model final class Expense {
        var amount: Decimal = Decimal.zero
        var createdAt: Date = Date()
        var currencyCode: String = "INR"
        @Attribute(originalName: "date") var day: Date = Date()
        var id: UUID = UUID()
        var note: String?
        var updatedAt: Date = Date()
        var receipt: UUID = UUID()
        var categories: [Category] = []

        init() {}
    }

    @Model final class Category {
        var createdAt: Date = Date()
        var currencyCode: String = "INR"
        var id: UUID = UUID()
        var monthlyBudget: Decimal?
        var name: String?
        var sortOrder: Int = 0
        var symbolName: String?
        @Relationship(inverse: \Expense.categories) var expenses: [Expense] = []

        init() {}
    }
}

enum ExpensePlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [ExpensesV1.self, ExpensesV2.self, ExpensesV3.self] }
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: ExpensesV1.self, toVersion: ExpensesV2.self, willMigrate: nil,
                didMigrate: { context in
                    let category = ExpensesV2.Category(name: "Other")
                    context.insert(category)
                    for expense in try context.fetch(FetchDescriptor<ExpensesV2.Expense>()) {
                        expense.categories.append(category)
                    }
                    try context.save()
                }),
            .lightweight(fromVersion: ExpensesV2.self, toVersion: ExpensesV3.self),
        ]
    }
}

// Plans that contradict themselves.

enum PlanWithoutSchemas: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [] }
    static var stages: [MigrationStage] { [] }
}

enum PlanWithoutStages: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [DiaryV1.self, DiaryV3.self] }
    static var stages: [MigrationStage] { [] }
}

enum PlanWithGap: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [DiaryV1.self, DiaryV2.self, DiaryV3.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: DiaryV1.self, toVersion: DiaryV2.self)] }
}

enum PlanWithCircle: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [DiaryV1.self, DiaryV2.self, DiaryV3.self] }
    static var stages: [MigrationStage] {
        [
            .lightweight(fromVersion: DiaryV1.self, toVersion: DiaryV2.self),
            .lightweight(fromVersion: DiaryV2.self, toVersion: DiaryV3.self),
            .lightweight(fromVersion: DiaryV3.self, toVersion: DiaryV1.self),
        ]
    }
}

enum PlanWithTwin: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [DiaryV1.self, DiaryV3.self] }
    static var stages: [MigrationStage] {
        [
            .lightweight(fromVersion: DiaryV1.self, toVersion: DiaryV3.self),
            .lightweight(fromVersion: DiaryV1.self, toVersion: DiaryV3.self),
        ]
    }
}

enum PlanWithFork: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [DiaryV1.self, DiaryV2.self, DiaryV3.self] }
    static var stages: [MigrationStage] {
        [
            .lightweight(fromVersion: DiaryV1.self, toVersion: DiaryV2.self),
            .lightweight(fromVersion: DiaryV1.self, toVersion: DiaryV3.self),
        ]
    }
}

enum PlanWithRepetition: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [DiaryV1.self, DiaryV3.self, DiaryV1.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: DiaryV1.self, toVersion: DiaryV3.self)] }
}
