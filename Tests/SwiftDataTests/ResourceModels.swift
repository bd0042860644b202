import Foundation
import SwiftData

// The classes of two programs, written anew from the models that their stores keep.

/// A game of crafting.
enum Crafting {
    @Model final class Item {
        @Attribute(.unique) var name: String
        var craftingRecipe: CraftingRecipe?

        init(name: String) { self.name = name }
    }

    @Model final class CraftingRecipe {
        var producedItemCount: String = "1"
        @Relationship(inverse: \Item.craftingRecipe) var producedItem: Item?
        var requiredComponents: [Component]

        init(producedItem: Item?) {
            self.producedItem = producedItem
            requiredComponents = []
        }
    }

    @Model final class Component {
        var id = UUID()
        var count: Int = 1
        var item: Item?
        var craftingRecipe: CraftingRecipe?

        init(item: Item?) { self.item = item }
    }
}

/// A household's expenses, in two versions.
enum ExpensesV1 {
    @Model final class Expense {
        var id: UUID = UUID()
        var amount: Decimal = Decimal.zero
        var currencyCode: String = "INR"
        var date: Date = Date()
        var note: String?
        var createdAt: Date = Date()
        var updatedAt: Date = Date()

        init(amount: Decimal) { self.amount = amount }
    }
}

enum ExpensesV2 {
    @Model final class Expense {
        var id: UUID = UUID()
        var amount: Decimal = Decimal.zero
        var currencyCode: String = "INR"
        var date: Date = Date()
        var note: String?
        var createdAt: Date = Date()
        var updatedAt: Date = Date()
        @Relationship(inverse: \Category.expenses) var categories: [Category] = []

        init(amount: Decimal) { self.amount = amount }
    }

    @Model final class Category {
        var id: UUID = UUID()
        var name: String?
        var symbolName: String?
        var sortOrder: Int = 0
        var monthlyBudget: Decimal?
        var currencyCode: String = "INR"
        var createdAt: Date = Date()
        var expenses: [Expense] = []

        init(name: String) { self.name = name }
    }
}
