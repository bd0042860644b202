import Foundation
import SwiftData

// The classes of earlier versions of the program that serves drinks, and of an empty program, written anew from the
// models that their stores keep.

/// An enumeration with a raw value that takes every text, in place of those whose cases changed with each version.
enum Wording: RawRepresentable, Codable, Hashable {
    case text(String)

    init(rawValue: String) { self = .text(rawValue) }

    var rawValue: String {
        switch self {
        case .text(let text): text
        }
    }
}

struct LinearColour: Codable, Equatable {
    var linearRed: Float
    var linearGreen: Float
    var linearBlue: Float
    var opacity: Float
}

enum DrinksOfJuly {
    @Model final class Cocktail {
        #Index<Cocktail>([\.cocktailName], [\.collectionName], [\.cocktailName, \.collectionName])

        var id = UUID()
        @Attribute(.unique) var cocktailName: String
        var imageAsset: CocktailImage?
        var glasswareType: Wording
        @Relationship(inverse: \Garnish.cocktails) var garnish: [Garnish]
        var ice: Wording?
        var author: Inventor?
        @Relationship(deleteRule: .cascade) var spec: [Ingredient]
        var buildOrder: BuildOrder?
        var compiledTags: Tags = Tags()
        var variation: Wording?
        var collection: Origin?
        var collectionName: String
        var titleCocktail: Bool?

        init(cocktailName: String, glasswareType: Wording) {
            self.cocktailName = cocktailName
            self.glasswareType = glasswareType
            garnish = []
            spec = []
            collectionName = ""
        }
    }

    @Model final class CocktailImage {
        var glassBackLayer: String
        var innerRim: String
        var drinkLayer: String
        var drinkColor: LinearColour
        var glassReflection: String
        var backgroundColor: LinearColour
        var garnishes: [String]?
        var inDrinkComponents: [String]?
        var iceLayer: String?
        var straw: String?

        init(colour: LinearColour) {
            (glassBackLayer, innerRim, drinkLayer, glassReflection) = ("", "", "", "")
            (drinkColor, backgroundColor) = (colour, colour)
        }
    }

    @Model final class Garnish {
        @Attribute(.unique) var name: String
        var cocktails: [Cocktail]?

        init(name: String) { self.name = name }
    }

    @Model final class Ingredient {
        var id: UUID
        var value: Double
        var unit: Wording
        var ingredientBase: IngredientBase

        init(value: Double, base: IngredientBase) {
            id = UUID()
            self.value = value
            unit = .text("oz.")
            ingredientBase = base
        }
    }

    @Model final class IngredientBase {
        @Attribute(.unique) var name: String
        var info: String?
        var isCustom: Bool
        var category: Wording
        var tags: Tags?
        var prep: Preparation?

        init(name: String) {
            self.name = name
            isCustom = false
            category = .text("")
        }
    }
}

enum DrinksOfSeptember {
    @Model final class Cocktail {
        #Index<Cocktail>([\.cocktailName], [\.collectionName], [\.cocktailName, \.collectionName])

        var id = UUID()
        @Attribute(.unique) var cocktailName: String
        var imageAsset: CocktailImage?
        var glasswareType: Wording
        @Relationship(inverse: \Garnish.cocktails) var garnish: [Garnish]
        var ice: Wording?
        var author: Inventor?
        @Relationship(deleteRule: .cascade) var spec: [Ingredient]
        var buildOrder: BuildOrder?
        var notes: String?
        var compiledTags: Tags = Tags()
        var variation: Wording?
        var variationName: String?
        var collection: Origin?
        var collectionName: String
        var titleCocktail: Bool?
        var isCustomCocktail: Bool

        init(cocktailName: String, glasswareType: Wording) {
            self.cocktailName = cocktailName
            self.glasswareType = glasswareType
            garnish = []
            spec = []
            collectionName = ""
            isCustomCocktail = true
        }
    }

    @Model final class CocktailImage {
        var glassBackLayer: String
        var innerRim: String
        var drinkLayer: String
        var drinkColor: LinearColour
        var glassReflection: String
        var backgroundColor: LinearColour
        var garnishes: [String]?
        var inDrinkComponents: [String]?
        var iceLayer: String?
        var straw: String?

        init(colour: LinearColour) {
            (glassBackLayer, innerRim, drinkLayer, glassReflection) = ("", "", "", "")
            (drinkColor, backgroundColor) = (colour, colour)
        }
    }

    @Model final class Garnish {
        @Attribute(.unique) var name: String
        var cocktails: [Cocktail]?

        init(name: String) { self.name = name }
    }

    @Model final class Ingredient {
        var id: UUID
        var value: Double
        var unit: Wording
        var ingredientBase: IngredientBase

        init(value: Double, base: IngredientBase) {
            id = UUID()
            self.value = value
            unit = .text("oz")
            ingredientBase = base
        }
    }

    @Model final class IngredientBase {
        var id: UUID
        @Attribute(.unique) var name: String
        var info: String?
        var isCustom: Bool = false
        var umbrellaCategory: String
        var specialtyCategory: String
        var baseCategory: String
        var tags: Tags?
        var prep: Preparation?

        init(name: String) {
            id = UUID()
            self.name = name
            umbrellaCategory = ""
            specialtyCategory = ""
            baseCategory = ""
        }
    }
}

enum Welcome {
    @Model final class Item {
        var number: Int
        var timestamp: Date

        init(number: Int, timestamp: Date) {
            self.number = number
            self.timestamp = timestamp
        }
    }
}
