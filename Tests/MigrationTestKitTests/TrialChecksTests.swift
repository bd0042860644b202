import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import MigrationTestKit

@Suite("The findings of migration trials")
struct TrialChecksTests {
    private static let older = """
        entity Item
          name string
          size int32
          shelf one Shelf.items
          tags many Tag.items
          parts ordered Part.item
        entity Part
          label string
          item one Item.parts
        entity Shelf
          name string
          items many Item.shelf
        entity Tag
          word string
          items many Item.tags
        """
    private static let newer = """
        entity Item
          title string was name
          size int64
          place one Shelf.items was shelf
          tags many Tag.items
          parts ordered Part.item
        entity Part
          label string
          item one Item.parts
        entity Shelf
          name string
          items many Item.place
        entity Tag
          word string
          items many Item.tags
        """

    /// The problems that are found when something happens to the migrated store.
    private func problems(_ mistake: String) throws -> [String] {
        try withTemporaryFolder { folder in
            let (older, newer) = (
                ModelVersion("1", ModelText.model(Self.older)), ModelVersion("2", ModelText.model(Self.newer))
            )
            let url = folder.appendingPathComponent("Trial.sqlite")
            try SampleStore(rowsPerEntity: 12, seed: 3).make(at: url, older)
            let before = try TrialContent(of: url, older)
            try LightweightMigrator(MigrationRequest(at: url, to: newer.freshModel())).apply()
            try SQLiteConnection(path: url.path, access: .readWrite).execute(mistake)
            return try TrialChecks(older: older, newer: newer, mapping: nil, before: before).problems(url, in: folder)
        }
    }

    @Test("A faultless migration has no findings")
    func nothing() throws { #expect(try problems("") == []) }

    @Test("Values that rows have exchanged are found")
    func exchangedValues() throws {
        let found = try problems(
            """
            UPDATE ZITEM SET ZTITLE = other.title FROM (
                SELECT a.Z_PK AS pk, b.ZTITLE AS title FROM ZITEM a, ZITEM b,
                    (SELECT MIN(Z_PK) AS least, MAX(Z_PK) AS most FROM ZITEM WHERE ZTITLE IS NOT NULL)
                WHERE (a.Z_PK = least AND b.Z_PK = most) OR (a.Z_PK = most AND b.Z_PK = least)) AS other
            WHERE other.pk = ZITEM.Z_PK
            """)
        #expect(found.count == 2 && found.allSatisfy { $0.hasPrefix("Item.title, row p") }, "\(found)")
    }

    @Test("Links of a renamed relationship that lead elsewhere, in the same number, are found")
    func otherLinks() throws {
        let found = try problems(
            """
            UPDATE ZITEM SET ZPLACE = (SELECT MIN(Z_PK) FROM ZSHELF WHERE Z_PK <> ZPLACE)
            WHERE Z_PK = (SELECT MIN(Z_PK) FROM ZITEM WHERE ZPLACE IS NOT NULL)
            """)
        #expect(found.contains { $0.hasPrefix("Item.place has lost the links") }, "\(found)")
    }

    @Test("the order of a list that is another one")
    func otherOrder() throws {
        let found = try problems("UPDATE ZPART SET Z_FOK_ITEM = 1000000 - Z_FOK_ITEM")
        #expect(found.contains { $0.hasPrefix("Item.parts has") }, "\(found)")
    }
}
