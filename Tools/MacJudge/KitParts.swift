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

    /// The entity numbers and keys of what each fetch must find, in order, by statements that a person wrote.
    static let sql: [String: String] = [
        "1-kinds": "SELECT Z_ENT, Z_PK FROM ZSAMPLE WHERE ZINT64 > 0 ORDER BY ZLABEL",
        "2-kinds": "SELECT Z_ENT, Z_PK FROM ZSAMPLE WHERE ZDECIMAL > 1 ORDER BY ZLABEL DESC",
        "3-kinds": "SELECT Z_ENT, Z_PK FROM ZSAMPLE WHERE coalesce(ZTEXT, '') = '' ORDER BY ZLABEL",
        "4-kinds": "SELECT Z_ENT, Z_PK FROM ZSAMPLE WHERE instr(ZTEXT, 'quoted') > 0 ORDER BY ZLABEL",
        "5-kinds": "SELECT Z_ENT, Z_PK FROM ZSAMPLE WHERE ZFLAG = 1 ORDER BY ZLABEL",
        "6-family": "SELECT Z_ENT, Z_PK FROM ZBEING WHERE lower(substr(ZNAME, 1, 1)) = 'r' OR ZNAME = 'Ann' "
            + "ORDER BY ZNAME",
        "7-family": "SELECT Z_ENT, Z_PK FROM ZBEING WHERE ZLEGS = 4 ORDER BY ZNAME DESC",
        "8-family": "SELECT Z_ENT, Z_PK FROM ZBEING WHERE Z_PK IN (SELECT ZKEEPER FROM ZBEING WHERE ZLEGS = 4) "
            + "ORDER BY ZNAME",
        "9-family": "SELECT b.Z_ENT, b.Z_PK FROM ZBEING b JOIN Z_PRIMARYKEY e ON e.Z_ENT = b.Z_ENT "
            + "WHERE e.Z_NAME = 'Person' AND NOT EXISTS (SELECT 1 FROM ZBEING a WHERE a.ZKEEPER = b.Z_PK) "
            + "ORDER BY b.ZNAME",
        "10-links": "SELECT b.Z_ENT, b.Z_PK FROM ZBOOK b JOIN ZAUTHOR a ON a.Z_PK = b.ZAUTHOR "
            + "WHERE a.ZNAME GLOB 'M*' ORDER BY b.ZYEAR",
        "11-links": "SELECT Z_ENT, Z_PK FROM ZBOOK WHERE ZYEAR >= 1815 AND ZYEAR <= 1850 ORDER BY ZYEAR DESC",
        "12-links": "SELECT Z_ENT, Z_PK FROM ZAUTHOR WHERE Z_PK IN (SELECT ZAUTHOR FROM ZBOOK WHERE ZYEAR > 1850) "
            + "ORDER BY ZNAME",
        "13-links": "SELECT a.Z_ENT, a.Z_PK FROM ZAUTHOR a JOIN ZBOOK b ON b.ZAUTHOR = a.Z_PK GROUP BY a.Z_PK "
            + "HAVING max(b.ZYEAR) < 1820 ORDER BY a.ZNAME",
        "14-links": "SELECT Z_ENT, Z_PK FROM ZCHAPTER WHERE ZTITLE GLOB '*[135]' ORDER BY ZTITLE",
        "15-pairs": "SELECT Z_ENT, Z_PK FROM ZBOOK WHERE Z_PK IN (SELECT p.Z_2BOOKS FROM Z_2TAGS p "
            + "JOIN ZTAG t ON t.Z_PK = p.Z_5TAGS WHERE t.ZNAME = 'short') ORDER BY ZTITLE",
        "16-pairs": "SELECT Z_ENT, Z_PK FROM ZTAG WHERE Z_PK NOT IN (SELECT p.Z_5TAGS FROM Z_2TAGS p "
            + "JOIN ZBOOK b ON b.Z_PK = p.Z_2BOOKS WHERE b.ZTITLE = 'Book 1') ORDER BY ZNAME",
        "17-pairs": "SELECT s.Z_ENT, s.Z_PK FROM ZSHELF s JOIN ZBOOK b ON b.Z_PK = s.ZBEST "
            + "WHERE b.ZTITLE = 'Book 2' ORDER BY s.ZNAME",
        "18-places": "SELECT Z_ENT, Z_PK FROM ZPLACE WHERE ZCOUNTRY = 'Iceland' OR ZCOUNTRY = 'Norway' ORDER BY ZNAME",
        "19-places": "SELECT Z_ENT, Z_PK FROM ZPLACE WHERE ZHEIGHT > 1000 ORDER BY ZHEIGHT DESC",
        "20-rows": "SELECT Z_ENT, Z_PK FROM ZROW WHERE ZNUMBER % 25000 = 3 ORDER BY ZNUMBER DESC",
        "21-rows": "SELECT r.Z_ENT, r.Z_PK FROM ZROW r JOIN ZBAND b ON b.Z_PK = r.ZBAND "
            + "WHERE b.ZNAME = 'Band 7' AND r.ZWEIGHT < 100 ORDER BY r.ZNUMBER",
    ]

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

extension MigrationPart {
    /// What a migrated diary must hold, by the description of the diary and of the versions of its model.
    var expected: Contents {
        // The first object of an XML store has the key 102, and those of all entities share the numbers.
        let entries = store == "diary-xml" ? ["p102", "p103", "p104"] : ["p1", "p2", "p3"]
        let writer = store == "diary-xml" ? "p105" : "p1"
        let texts = ["'Rain'", "'Sun'", "'Nobody's words'"]
        var contents = Contents()
        if model == "Diary 3" {
            contents.entities["Author"] = Contents.Objects([
                writer: ["fullName": "'Ann'", "notes": "{Note/\(entries[0]), Note/\(entries[1])}"]
            ])
            contents.entities["Note"] = Contents.Objects(
                Dictionary(
                    uniqueKeysWithValues: zip(entries, texts).map { key, text in
                        let author = key == entries[2] ? "nil" : "Author/\(writer)"
                        return (key, ["author": author, "body": text, "language": "'en'"])
                    }))
            return contents
        }
        // The mapping model of a source has a mapping for the mood, and none for the words.
        let hasWords = mapping == nil
        let moods = ["2", "5", "nil"]
        contents.entities["Writer"] = Contents.Objects([
            writer: ["name": "'Ann'", "entries": "[Entry/\(entries[0]), Entry/\(entries[1])]"]
        ])
        contents.entities["Entry"] = Contents.Objects(
            Dictionary(
                uniqueKeysWithValues: zip(entries, zip(texts, moods)).map { key, values in
                    let owner = key == entries[2] ? "nil" : "Writer/\(writer)"
                    return (
                        key,
                        [
                            "language": "'en'", "mood": values.1, "words": hasWords ? values.0 : "nil", "writer": owner,
                        ]
                    )
                }))
        return contents
    }
}
