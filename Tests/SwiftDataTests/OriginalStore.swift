import CoreData
import Foundation
import SwiftData
import Testing

/// A store that Apple's SwiftData wrote, with the classes of its program and a change of one of its rows.
struct OriginalStore: Sendable, CustomTestStringConvertible {
    let path: String
    let types: [any PersistentModel.Type]
    var version = Schema.Version(1, 0, 0)
    /// Changes one property of one model, or inserts a model into an empty store.
    let change: @Sendable (ModelContext) throws -> any PersistentModel

    var schema: Schema { Schema(types, version: version) }
    var testDescription: String { URL(fileURLWithPath: path).lastPathComponent }

    /// The first model of a class by its key.
    private static func first<Model: PersistentModel>(_ context: ModelContext) throws -> Model {
        try #require(try context.fetch(FetchDescriptor<Model>(sortBy: [SortDescriptor(\.persistentModelID)])).first)
    }

    static let all: [OriginalStore] =
        drinks + [
            OriginalStore(
                path: "sergd2005__ResourcesManager/@history/resources-2024-07-28-e2a6ca9.store",
                types: [Crafting.Item.self], change: changeCount),
            OriginalStore(
                path: "sergd2005__ResourcesManager/@history/resources-2024-07-28-4517a27.store",
                types: [Crafting.Item.self], change: changeCount),
            OriginalStore(
                path: "nobelnrj__myhome/MyHomeTests/Resources/MyHomeV1Seed.store", types: [ExpensesV1.Expense.self],
                change: { context in
                    let expense: ExpensesV1.Expense = try first(context)
                    expense.note = "changed"
                    return expense
                }),
            OriginalStore(
                path: "nobelnrj__myhome/MyHomeTests/Resources/MyHomeV2Seed.store", types: [ExpensesV2.Expense.self],
                version: Schema.Version(2, 0, 0),
                change: { context in
                    let category: ExpensesV2.Category = try first(context)
                    category.monthlyBudget = 12.5
                    return category
                }),
            OriginalStore(
                path: "thierryH91200__PegaseUIData/PegaseUIData/Resource/SampleManager.store",
                types: [EntityAccount.self, EntityFolderAccount.self],
                change: { context in
                    let transaction: EntityTransaction = try first(context)
                    transaction.checkNumber = "changed"
                    return transaction
                }),
            OriginalStore(
                path: "thierryH91200__WelcomeTo/welcome.store", types: [Welcome.Item.self],
                change: { context in
                    let item = Welcome.Item(number: 1, timestamp: Date(timeIntervalSinceReferenceDate: 0.5))
                    context.insert(item)
                    return item
                }),
        ]

    private static let drinks = [
        OriginalStore(
            path: "MatthewHunt84__MetaCocktailsSwiftData/@history/cocktails-2025-03-29-b1b50c.store",
            types: [Cocktail.self],
            change: { context in
                let cocktail: Cocktail = try first(context)
                cocktail.historicSpec = .alaska
                return cocktail
            }),
        OriginalStore(
            path: "MatthewHunt84__MetaCocktailsSwiftData/@history/cocktails-2024-09-09-5856f0.store",
            types: [DrinksOfSeptember.Cocktail.self],
            change: { context in
                let cocktail: DrinksOfSeptember.Cocktail = try first(context)
                cocktail.variation = .text("changed")
                return cocktail
            }),
        OriginalStore(
            path: "MatthewHunt84__MetaCocktailsSwiftData/@history/cocktails-2024-07-13-146fb6.store",
            types: [DrinksOfJuly.Cocktail.self],
            change: { context in
                let base: DrinksOfJuly.IngredientBase = try first(context)
                base.info = "changed"
                return base
            }),
    ]

    private static func changeCount(_ context: ModelContext) throws -> any PersistentModel {
        let component: Crafting.Component = try first(context)
        component.count += 1
        return component
    }
}
