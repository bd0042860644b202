import MacCheckKit

extension SearchPart {
    /// The fetches of the kit.
    static let all: [SearchPart] = [
        SearchPart("kinds", "Sample", "int64 > 0", ["label"]),
        SearchPart("kinds", "Sample", "decimal > 1", ["-label"]),
        SearchPart("kinds", "Sample", "text == nil OR text == ''", ["label"]),
        SearchPart("kinds", "Sample", "text CONTAINS 'quoted'", ["label"]),
        SearchPart("kinds", "Sample", "flag == YES", ["label"]),
        SearchPart("family", "Being", "name BEGINSWITH[cd] 'r' OR name == 'Ann'", ["name"]),
        SearchPart("family", "Animal", "legs == 4", ["-name"]),
        SearchPart("family", "Person", "ANY animals.legs == 4", ["name"]),
        SearchPart("family", "Person", "animals.@count == 0", ["name"]),
        SearchPart("links", "Book", "author.name LIKE 'M*'", ["year"]),
        SearchPart("links", "Book", "year BETWEEN {1815, 1850}", ["-year"]),
        SearchPart("links", "Author", "SUBQUERY(books, $b, $b.year > 1850).@count > 0", ["name"]),
        SearchPart("links", "Author", "books.@max.year < 1820", ["name"]),
        SearchPart("links", "Chapter", "title MATCHES '.*[135]$'", ["title"]),
        SearchPart("pairs", "Book", "ANY tags.name == 'short'", ["title"]),
        SearchPart("pairs", "Tag", "NONE books.title == 'Book 1'", ["name"]),
        SearchPart("pairs", "Shelf", "best.title == 'Book 2'", ["name"]),
        SearchPart("places", "Place", "country IN {'Iceland', 'Norway'}", ["name"]),
        SearchPart("places", "Place", "height > 1000", ["-height"]),
        SearchPart("rows", "Row", "modulus:by:(number, 25000) == 3", ["-number"]),
        SearchPart("rows", "Row", "band.name == 'Band 7' AND weight < 100", ["number"]),
    ].enumerated().map { number, part in
        var part = part
        part.name = "\(number + 1)-\(part.store)"
        return part
    }

    private init(_ store: String, _ entity: String, _ predicate: String, _ order: [String]) {
        self.init(name: "", store: store, entity: entity, predicate: predicate, order: order)
    }
}

extension MigrationPart {
    /// The migrations of the kit.
    static let all: [MigrationPart] = [
        MigrationPart(name: "inferred", store: "diary", kind: .lightweight, model: "Diary 2"),
        MigrationPart(name: "inferred-xml", store: "diary-xml", kind: .mapping, model: "Diary 2"),
        MigrationPart(name: "in-stages", store: "diary-for-stages", kind: .staged, model: "Diary 2"),
        MigrationPart(
            name: "mapped", store: "diary", kind: .mapping, model: "Diary 3", mapping: "Models/DiaryToDiary3.cdm"),
        MigrationPart(
            name: "mapped-after-ours", store: "diary-migrated", kind: .mapping, model: "Diary 3",
            mapping: "Models/Diary2ToDiary3.cdm"),
        MigrationPart(
            name: "mapped-by-source", store: "diary", kind: .mapping, model: "Diary 2",
            mapping: "Models/DiaryToDiary2.cdm"),
    ]
}
