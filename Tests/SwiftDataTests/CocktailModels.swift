import Foundation
import SwiftData

// The classes of a program that serves drinks, written anew from the model that its store keeps. Names of the store
// stand in raw values, and in the names of properties and fields.

enum Glass: String, Codable, CaseIterable {
    case g0 = "Bird Shaped Tiki Glass"
    case g1 = "Blue Blazer Mugs"
    case g2 = "Chilled 8 oz. Fizz Glass"
    case g3 = "Cinnamon Sugar Rimmed Cocktail Glass"
    case g4 = "Collins"
    case g5 = "Copper Mule Cup"
    case g6 = "Coupe"
    case g7 = "Coupe with a salted rim"
    case g8 = "Double Old Fashioned"
    case g9 = "Double Old Fashioned (half asparagus salt rim)"
    case g10 = "Double Old Fashioned (half celery salt rim)"
    case g11 = "Double Old Fashioned (half salt rim)"
    case g12 = "Double Old Fashioned (half smoked salt rim)"
    case g13 = "Flute"
    case g14 = "Frozen Single Old Fashioned"
    case g15 = "Hurricane Glass"
    case g16 = "Irish Coffee Glass (180ml)"
    case g17 = "Julep Cup"
    case g18 = "Large Wine Glass"
    case g19 = "Martini"
    case g20 = "Milkshake Glass"
    case g21 = "Nick and Nora"
    case g22 = "Ornate Tea Cup"
    case g23 = "Snifter (Flip Glass)"
    case g24 = "Stemmed"
    case g25 = "Stemmed with a half sugar rim"
    case g26 = "Tiki Mug"
    case g27 = "Toddy Glass"
}

enum Measure: String, Codable, CaseIterable {
    case m0 = ""
    case m1 = "bar-spoon"
    case m2 = "dash"
    case m3 = "drop"
    case m4 = "gently muddled"
    case m5 = "muddled"
    case m6 = "nitro muddled"
    case m7 = "oz"
    case m8 = "pinch"
    case m9 = "slice of"
    case m10 = "splash of"
    case m11 = "spray"
    case m12 = "tbsp"
    case m13 = "tsp"
    case m14 = "whole"
}

enum IceKind: String, Codable {
    case large = "Large cube"
    case pebble = "Pebble ice"
    case cracked = "Cracked Kold Draft"
    case column = "Column ice"
    case plain = "Kold Draft ice"
}

enum Origin: Int, Codable {
    case first = 1
    case second, third, fourth, fifth, sixth
}

enum Historic: Codable {
    case algonquin, alaska, betweenTheSheets, bloodAndSand, bramble, bobbyBurns, chocolateCocktail, elDiablo, fogCutter
    case ginFizz, gimlet, silverFizz, hotToddy, mexicanFiringSquad, modernCocktail
}

struct Inventor: Codable, Equatable {
    var id: UUID
    var person: String?
    var place: String?
    var year: String?
}

struct Step: Codable, Equatable {
    var id: UUID
    var step: Int
    var method: String
}

struct BuildOrder: Codable, Equatable {
    var instructions: [Step]
}

struct Tag: Codable, Equatable {
    var name: String
    /// The store has an enumeration with a payload here, as JSON.
    var ingredientType: [String: [String: String]]?
}

struct Tags: Codable, Equatable {
    var flavors: [String]?
    var profiles: [String]?
    var styles: [String]?
    var booze: [Tag]?
    var nA: [Tag]?
}

struct Preparation: Codable, Equatable {
    var id: UUID
    var prepIngredientName: String
    var prepRecipe: [Step]
}

@Model final class Cocktail {
    #Index<Cocktail>([\.cocktailName], [\.collectionName], [\.cocktailName, \.collectionName])

    var id = UUID()
    @Attribute(.unique) var cocktailName: String
    var glasswareType: Glass
    @Relationship(inverse: \Garnish.cocktails) var garnish: [Garnish]
    var ice: IceKind?
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
    var historicSpec: Historic?
    var favorite: Bool
    var isCustomCocktail: Bool

    init(cocktailName: String, glasswareType: Glass) {
        self.cocktailName = cocktailName
        self.glasswareType = glasswareType
        garnish = []
        spec = []
        collectionName = ""
        favorite = false
        isCustomCocktail = true
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
    var unit: Measure
    var ingredientBase: IngredientBase

    init(value: Double, unit: Measure, base: IngredientBase) {
        id = UUID()
        self.value = value
        self.unit = unit
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
