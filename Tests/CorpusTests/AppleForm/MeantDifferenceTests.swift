import Foundation
import Testing

@testable import CoreData

/// A difference that no list means is reported, also where one of its kind is meant.
@Suite("Meant differences")
struct MeantDifferenceTests {
    /// A difference at a path, whose names stand in parentheses.
    private static func difference(
        _ path: String, _ apple: String?, _ ours: String?, parts: [String] = []
    ) -> FormDifference {
        let place = path.split(separator: ".").map { step in
            step.hasPrefix("(") ? FormPlace.name(String(step.dropFirst().dropLast())) : .word(String(step))
        }
        return FormDifference(place: place, apple: apple, ours: ours, parts: parts)
    }

    private static let planted: [FormDifference] = [
        difference(
            "table.(ZBOOK).text", "CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, ZSHELF INTEGER, Z4BOOKS INTEGER )",
            "CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, Z4BOOKS INTEGER, ZSHELF INTEGER )"),
        difference(
            "table.(ZBOOK).text", "CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, ZTITLE VARCHAR )",
            "CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, ZTITLE BLOB )"),
        difference("table.(ZBOOK)", nil, "table"), difference("table.(ACHANGE)", "table", nil),
        difference(
            "index.fetch index.(Z_Book_title)", "CREATE INDEX Z_Book_title ON ZBOOK (ZTITLE COLLATE BINARY ASC)", nil),
        difference(
            "index.fetch index.(Z_Book_title)", nil, "CREATE INDEX Z_Book_title ON ZBOOK (ZTITLE COLLATE NOCASE ASC)"),
        difference(
            "index.key.(ZBOOK_ZSHELF_INDEX)", nil, "CREATE INDEX ZBOOK_ZSHELF_INDEX ON ZBOOK (ZSHELF)"),
        difference("index.uniqueness.(Z_Book_UNIQUE_title)", "CREATE UNIQUE INDEX", nil),
        difference("order of creation.table", "ZBOOK, ZSHELF, Z_METADATA", "ZSHELF, ZBOOK, Z_METADATA"),
        difference("order of creation.index", "ZBOOK_ZA_INDEX, Z_Book_byTitle", "Z_Book_byTitle, ZBOOK_ZA_INDEX"),
        difference("metadata.(Other)", nil, "string(\"text\")"),
        difference("metadata.(OpenCoreDataOther)", nil, "dictionary"),
        difference("metadata.NSStoreModelVersionOther", "integer(1)", nil),
        difference("metadata.NSStoreModelVersionChecksumKey", nil, "string(\"other\")"),
        difference("metadata.NSPersistenceFrameworkVersion", "integer(1344)", "integer(1526)"),
        difference("Z_PRIMARYKEY.(3)", "Book", "Shelf"), difference("Z_PRIMARYKEY.(3)", nil, "Shelf"),
        difference("Z_PRIMARYKEY.(16001)", "CHANGE", nil), difference("Z_PRIMARYKEY.(3).Z_SUPER", "1", "2"),
        difference("ACHANGE.Z_ENT", "integer", nil), difference("ACHANGE.Z_OPT", "integer", "integer,null"),
        difference("ATRANSACTION.Z_OPT", "null", "integer"),
        difference("model.NSEntities.(Book).NSClassNameForEntity", "Book", "Novel"),
        difference("model.NSEntities.(Book).NSClassNameForEntity", "Library.Book", ".Novel"),
        difference("model.NSEntities.(Book).NSCompoundIndexes", "NSMutableArray", nil, parts: ["0"]),
        difference("model.NSEntities.(Book).NSUniqueTuples", "NSMutableArray", nil, parts: ["0"]),
        difference("model.NSEntities.(Book).NSRenamingIdentifier", "Novel", "Book"),
        difference("model.NSEntities.(Book).NSVersionHashModifier", "a", nil),
        difference("model.NSEntities.(Book).NSProperties.(pages).NSDefaultValue", "integer 3", "integer 4"),
        difference("model.NSEntities.(Book).NSProperties.(pages).NSDefaultValue", "integer 1", "Boolean false"),
        difference("model.NSEntities.(Book).NSProperties.(pages).NSDefaultValue", "integer 0", nil),
        difference("model.NSEntities.(Book).NSProperties.(title).NSEntity", "entity Shelf", "entity Book"),
        difference("model.NSEntities.(Book).NSProperties.(title).NSAttributeValueClassName", "Color", "null"),
        difference("model.NSEntities.(Book).NSFetchIndexDescriptions.(byTitle)", "NSFetchIndexDescription", nil),
        difference("model.NSEntities.(Book).NSFetchIndexDescriptions.order", "a, b", "b, a"),
        difference("settings.page_size", "4096", "8192"),
    ]

    @Test(
        "A planted difference of each kind is no meant one, in stores of any time", arguments: [637, 866, 1344, 1526])
    func planted(_ framework: Int) {
        for isOfSource in [true, false] {
            var origin = FormOrigin(path: "some/Store.sqlite", model: NSManagedObjectModel(), isOfSource: isOfSource)
            origin.framework = framework
            for difference in Self.planted {
                // A store before 2018 has the indexes of attributes under other names.
                if origin.isBefore2018, "\(difference)".contains("Z_Book_title"), difference.apple == nil { continue }
                for rule in MeantDifferences.stores where rule.covers(difference, from: origin) {
                    Issue.record("\(difference) is hidden by \(rule.kind) (\(rule.reason))")
                }
            }
        }
    }
}
