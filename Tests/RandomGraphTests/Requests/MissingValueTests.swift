import CoreData
import Foundation
import TestSupport
import Testing

/// The one list of what a missing value means in each kind of store. The reference of random requests follows it, and
/// the article `Predicates` has it as a table.
@Suite("The table of missing values")
struct MissingValueTests {
    struct Row: Sendable {
        var format: String
        /// The condition in the form of the reference.
        var condition: Condition
    }

    private static func compare(
        _ key: String, _ relation: Condition.Relation, _ value: ModelValue, _ modifier: Condition.Modifier = .direct
    ) -> Condition {
        .comparison(
            modifier, .path(key.split(separator: ".").map(String.init)), relation, .exact, .constant(value))
    }

    private static let oneAndTwo = ModelValue.list([.number(1), .number(2)])

    /// Each is evaluated for a book without title, note, pages and author, which has a tag without name.
    static let rows: [Row] = [
        Row(format: "pages == 1", condition: compare("pages", .equal, .number(1))),
        Row(format: "pages != 1", condition: compare("pages", .notEqual, .number(1))),
        Row(format: "NOT (pages == 1)", condition: .not(compare("pages", .equal, .number(1)))),
        Row(format: "NOT (pages > 1)", condition: .not(compare("pages", .greater, .number(1)))),
        Row(format: "NOT (pages IN {1, 2})", condition: .not(compare("pages", .isIn, oneAndTwo))),
        Row(format: "NOT (pages BETWEEN {1, 2})", condition: .not(compare("pages", .between, oneAndTwo))),
        Row(format: "pages IN {1, nil}", condition: compare("pages", .isIn, .list([.number(1), .none]))),
        Row(
            format: "NOT (pages IN {copies, 2})",
            condition: .not(
                .comparison(
                    .direct, .path(["pages"]), .isIn, .exact,
                    .elements([.path(["copies"]), .constant(.number(2))])))),
        Row(
            format: "title IN tags.name",
            condition: .comparison(.direct, .path(["title"]), .isIn, .exact, .path(["tags", "name"]))),
        Row(format: "NOT (title BEGINSWITH 'a')", condition: .not(compare("title", .begins, .text("a")))),
        Row(format: "author.name != 'x'", condition: compare("author.name", .notEqual, .text("x"))),
        Row(
            format: "title == note",
            condition: .comparison(.direct, .path(["title"]), .equal, .exact, .path(["note"]))),
        Row(format: "ALL tags.name != 'x'", condition: compare("tags.name", .notEqual, .text("x"), .all)),
        Row(format: "NONE tags.name == 'x'", condition: compare("tags.name", .equal, .text("x"), .none)),
        Row(
            format: "pages == nil OR pages != 1",
            condition: .or([compare("pages", .equal, .none), compare("pages", .notEqual, .number(1))])),
        Row(
            format: "author.books.@count == 0",
            condition: .comparison(.direct, .count(["author", "books"]), .equal, .exact, .constant(.number(0)))),
        Row(
            format: "author.books[SIZE] == 0",
            condition: .comparison(
                .direct, .indexed(["author", "books"], .size, rest: []), .equal, .exact, .constant(.number(0)))),
        Row(format: "pages != nil", condition: compare("pages", .notEqual, .none)),
    ]

    private static let graph = QuestionGraph(saved: [
        .insert(1, entity: "Tag", values: [:]), .insert(31, entity: "Book", values: [:]),
        // It has a default value.
        .set(31, key: "copies", .number(1)), .set(31, key: "tags", .list([.object(1)])),
    ])

    private static func isFound(_ row: Row, _ meaning: RequestOracle.Meaning) -> Bool {
        var world = ModelWorld()
        for move in graph.saved { _ = world.play(move) }
        return RequestOracle(world: world, meaning: meaning).answer(row.condition, RequestOracle.Row(object: 31))
            == true
    }

    /// The table in the documentation's words.
    private static var table: String {
        let heads = ["predicate", "SQLite and PostgreSQL", "in memory, XML, binary, and unsaved objects"]
        let lines = rows.map { row in
            let cells = [RequestOracle.Meaning.database, .objects].map { isFound(row, $0) ? "found" : "not found" }
            return "| `\(row.format)` | \(cells.joined(separator: " | ")) |"
        }
        return (["| \(heads.joined(separator: " | ")) |", "|---|---|---|"] + lines).joined(separator: "\n")
    }

    @Test("Each kind of store has the answers of the table, before the save and after it", arguments: rows.indices)
    func answers(_ place: Int) throws {
        let row = Self.rows[place]
        #expect(PrintedPredicate(row.condition).format.hasSuffix(row.format) || row.format.contains(" OR "))
        var question = Question(entity: "Book")
        question.condition = row.condition
        for kind in [StoreKind.sqlite, .inMemory, .xml, .binary, .atomic] {
            let fixture = try QuestionFixture(Self.graph, kind)
            let isFound = Self.isFound(row, QuestionFixture.meaning(kind))
            #expect(fixture.found(question, .clean) == (isFound ? "[31]" : "[]"), "\(kind)")
        }
        let unsaved = QuestionGraph(saved: [], changed: Self.graph.saved)
        let fixture = try QuestionFixture(unsaved, .sqlite)
        #expect(fixture.found(question, .changed) == (Self.isFound(row, .objects) ? "[31]" : "[]"), "unsaved")
    }

    @Test("The documentation has the table")
    func documented() throws {
        let article = Toolchain.package.appendingPathComponent("Sources/CoreData/CoreData.docc/Predicates.md")
        let text = try String(contentsOf: article, encoding: .utf8)
        #expect(text.contains(Self.table), "\(Self.table)")
    }
}
