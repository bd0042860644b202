import CoreData
import Foundation
import SwiftData
import TestSupport
import Testing

/// Stores that Apple's SwiftData wrote, opened by classes that were written anew from the models that the stores keep.
@Suite("Stores of Apple's SwiftData", .enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
struct SwiftDataStoreTests {
    private static let cocktails =
        "MatthewHunt84__MetaCocktailsSwiftData/@history/cocktails-2025-03-29-b1b50c.store"

    /// The metadata of a store as they are before it is opened.
    private func hashes(_ url: URL) throws -> [String: Data] {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
        return try #require(metadata[NSStoreModelVersionHashesKey] as? [String: Data])
    }

    /// Opens a copy of a store, whose hashes are those of the schema.
    private func withContainer(
        _ path: String, _ types: any PersistentModel.Type..., body: (ModelContainer, URL) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let url = try Corpus.copyStore(path, to: folder)
            let before = try hashes(url)
            let container = try ModelContainer(for: Schema(types), configurations: ModelConfiguration(url: url))
            let model = ModelContext(container).managedObjectContext.persistentStoreCoordinator?.managedObjectModel
            let ours = try #require(model?.entityVersionHashesByName)
            for (name, hash) in before { #expect(ours[name] == hash, "\(name)") }
            #expect(ours.count == before.count)
            try body(container, url)
            #expect(try hashes(url) == before)
        }
    }

    @Test("A store with composites, enumerations and links opens by hash; a change of one model changes one row")
    func cocktails() throws {
        try withContainer(Self.cocktails, Cocktail.self) { container, url in
            let context = ModelContext(container)
            let found = try context.fetch(
                FetchDescriptor<Cocktail>(
                    predicate: #Predicate { $0.collectionName == "Milk & Honey" && $0.favorite == false },
                    sortBy: [SortDescriptor(\.cocktailName, comparator: .localized)]))
            let names = try RawDatabase(url).texts(
                "SELECT ZCOCKTAILNAME FROM ZCOCKTAIL WHERE ZCOLLECTIONNAME = 'Milk & Honey' AND ZFAVORITE = 0"
            )
            #expect(found.map(\.cocktailName) == names.sorted { $0.localizedCompare($1) == .orderedAscending })
            #expect(!names.isEmpty)
            let first = try #require(found.first { $0.cocktailName == "Too Soon?" })
            #expect(first.glasswareType.rawValue == "Coupe")
            #expect(first.author?.person == "Sam Ross")
            #expect(first.collection == .fourth)
            #expect(first.compiledTags.flavors == ["Juniper", "Lemon"])
            #expect(first.compiledTags.booze?.map(\.name) == ["Gin", "Amaro", "Cynar"])
            #expect(first.ice == nil)
            #expect(first.buildOrder == nil)
            #expect(first.historicSpec == nil)
            #expect(first.spec.allSatisfy { $0.value > 0 && !$0.ingredientBase.name.isEmpty })
            #expect(!first.spec.isEmpty)
            #expect(first.garnish.allSatisfy { $0.cocktails?.contains { $0 === first } == true })
            first.favorite = true
            first.ice = .pebble
            first.author = Inventor(id: UUID(), person: "Ann", place: nil, year: "1999")
            #expect(context.hasChanges)
            try context.save()
            #expect(!context.hasChanges)
            let rows = try RawDatabase(url).texts(
                "SELECT ZFAVORITE || ZICE || ZPERSON || ZYEAR || (ZPLACE IS NULL) || Z_OPT FROM ZCOCKTAIL "
                    + "WHERE ZCOCKTAILNAME = 'Too Soon?'")
            #expect(rows.map { String($0.dropLast()) } == ["1Pebble iceAnn19991"])
        }
    }

    @Test("Every row of the store has its values")
    func allCocktails() throws {
        try withContainer(Self.cocktails, Cocktail.self) { container, url in
            let context = ModelContext(container)
            let all = try context.fetch(FetchDescriptor<Cocktail>())
            #expect(try context.fetchCount(FetchDescriptor<Ingredient>()) == 1893)
            let database = try RawDatabase(url)
            #expect(
                Set(all.map { "\($0.cocktailName) \($0.glasswareType.rawValue) \($0.author?.person ?? "-")" })
                    == Set(
                        try database.texts(
                            "SELECT ZCOCKTAILNAME || ' ' || ZGLASSWARETYPE || ' ' || ifnull(ZPERSON, '-') "
                                + "FROM ZCOCKTAIL"
                        )))
            #expect(all.filter { $0.historicSpec == .alaska }.count == 1)
            let bases = try context.fetch(FetchDescriptor<IngredientBase>())
            let preparations = bases.compactMap(\.prep)
            #expect(
                preparations.count
                    == Int(
                        try database.texts(
                            "SELECT count(*) FROM ZINGREDIENTBASE WHERE ZPREPINGREDIENTNAME IS NOT NULL")[0]))
            #expect(preparations.allSatisfy { !$0.prepRecipe.isEmpty })
        }
    }

    @Test("Inferred inverses, defaults and one-to-one relationships")
    func resources() throws {
        let path = "sergd2005__ResourcesManager/@history/resources-2024-07-28-e2a6ca9.store"
        try withContainer(path, Crafting.Item.self) { container, url in
            let context = ModelContext(container)
            let items = try context.fetch(FetchDescriptor<Crafting.Item>(sortBy: [SortDescriptor(\.name)]))
            #expect(items.count == 4)
            let crafted = items.filter { $0.craftingRecipe != nil }
            #expect(crafted.allSatisfy { $0.craftingRecipe?.producedItem === $0 })
            let components = try context.fetch(FetchDescriptor<Crafting.Component>())
            #expect(components.count == 1)
            #expect(components[0].craftingRecipe?.requiredComponents.first === components[0])
            _ = url
        }
    }

    @Test("Both versions of a household's expenses")
    func expenses() throws {
        let folder = "nobelnrj__myhome/MyHomeTests/Resources/"
        try withContainer(folder + "MyHomeV1Seed.store", ExpensesV1.Expense.self) { container, url in
            let expense = try #require(try ModelContext(container).fetch(FetchDescriptor<ExpensesV1.Expense>()).first)
            #expect("\(expense.amount)" == (try RawDatabase(url).texts("SELECT ZAMOUNT FROM ZEXPENSE")[0]))
        }
        try withContainer(folder + "MyHomeV2Seed.store", ExpensesV2.Expense.self) { container, _ in
            let context = ModelContext(container)
            let category = try #require(try context.fetch(FetchDescriptor<ExpensesV2.Category>()).first)
            let expense = try #require(try context.fetch(FetchDescriptor<ExpensesV2.Expense>()).first)
            #expect(category.expenses.first === expense)
            #expect(expense.categories == [category])
        }
    }

    @Test("Fifteen classes with transformable colours, ephemeral attributes and links in one direction")
    func accounts() throws {
        let path = "thierryH91200__PegaseUIData/PegaseUIData/Resource/SampleManager.store"
        try withContainer(path, EntityAccount.self, EntityFolderAccount.self) { container, url in
            let context = ModelContext(container)
            let modes = try context.fetch(FetchDescriptor<EntityPaymentMode>())
            #expect(modes.count == 32)
            #expect(modes.allSatisfy { !$0.color.data.isEmpty && $0.account.name != "" })
            let folders = try context.fetch(FetchDescriptor<EntityFolderAccount>())
            #expect(
                folders.flatMap(\.children).count
                    == Int(try RawDatabase(url).texts("SELECT count(Z6CHILDREN) FROM ZENTITYACCOUNT")[0]))
            let transactions = try context.fetch(
                FetchDescriptor<EntityTransaction>(sortBy: [SortDescriptor(\.dateOperation)]))
            #expect(transactions.count == 287)
            #expect(transactions.allSatisfy { $0.sousOperations.allSatisfy { $0.transaction != nil } })
            #expect(transactions.map(\.dateOperation) == transactions.map(\.dateOperation).sorted())
        }
    }
}

extension RawDatabase {
    /// The texts of the first column of a statement.
    func texts(_ sql: String) throws -> [String] {
        try rows(sql).compactMap { row in
            switch row.first {
            case .text(let text)?: text
            case .int(let number)?: "\(number)"
            case .double(let number)?: "\(number)"
            default: nil
            }
        }
    }
}
