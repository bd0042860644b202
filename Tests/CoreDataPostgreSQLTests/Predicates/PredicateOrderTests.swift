#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

/// Orders and dictionaries of a PostgreSQL store beside those of a SQLite store.
@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PredicateOrderTests {
    private let server: PredicateLibrary
    private let file: PredicateLibrary

    init() throws {
        server = try PredicateLibrary(.postgreSQL, seed: 5)
        file = try PredicateLibrary(.sqlite, seed: 5)
    }

    private static let selectors: [SortSelector] = [
        .compare, .caseInsensitiveCompare, .localizedCompare, .localizedCaseInsensitiveCompare,
        .localizedStandardCompare,
    ]

    @Test("Sorted fetches have one order in both stores and in memory, with limits and offsets")
    func sorting() throws {
        var random = Sample.generator("sorting")
        func pick<Element>(_ list: [Element]) -> Element { list[Int(random.next() % UInt64(list.count))] }
        for round in 0..<(Sample.isWhole ? 3_000 : 25) {
            var descriptors = (0...(round % 2)).map { _ in
                NSSortDescriptor(
                    key: pick([
                        "title", "note", "author.name", "genre", "pages", "published", "price", "inPrint", "weight",
                        "shelf.name", "identifier",
                    ]),
                    ascending: pick([true, false]), selector: pick(Self.selectors))
            }
            // No two have the same.
            descriptors.append(NSSortDescriptor(key: "isbn", ascending: true))
            let predicate = pick([
                nil, "pages > 1", "title != nil", "note CONTAINS[cd] 'a'", "TERNARY(grade > 1, title, note) > 'a'",
            ])
            let (limit, offset) = (pick([0, 0, 3, 7, 100]), pick([0, 0, 2, 5, 40]))
            func found(_ library: PredicateLibrary, _ wantsObjects: Bool) throws -> [Int] {
                try library.context.performAndWait {
                    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
                    request.resultType = wantsObjects ? .managedObjectResultType : .managedObjectIDResultType
                    request.predicate = predicate.map { NSPredicate(format: $0) }
                    request.sortDescriptors = descriptors
                    (request.fetchLimit, request.fetchOffset) = (limit, offset)
                    if wantsObjects { library.context.reset() }
                    return try library.context.fetch(request).map { result in
                        let object = result as? NSManagedObject
                        return library.number(object?.objectID ?? result as! NSManagedObjectID)
                    }
                }
            }
            let expected = try found(file, false)
            let text = "\(descriptors) \(predicate ?? "") \(limit) \(offset)"
            #expect(try found(server, false) == expected, "\(text)")
            #expect(try found(server, true) == expected, "\(text)")
            if limit == 0, offset == 0 {
                let sorted = try server.context.performAndWait {
                    let all = NSFetchRequest<NSManagedObject>(entityName: "Book")
                    all.predicate = predicate.map { NSPredicate(format: $0) }
                    return try server.context.fetch(all).sorted(byDescriptors: descriptors)
                        .map { server.number($0.objectID) }
                }
                #expect(sorted == expected, "\(text)")
            }
        }
    }

    // MARK: Dictionaries

    private static func column(
        _ name: String, _ format: String, _ type: NSAttributeType
    ) -> NSExpressionDescription {
        let column = NSExpressionDescription()
        column.name = name
        column.expression = CoreData.NSExpression(format: format)
        column.expressionResultType = type
        return column
    }

    struct Dictionaries: CustomTestStringConvertible, Sendable {
        var columns: [(name: String, format: String, type: NSAttributeType)]
        var plain: [String] = []
        var groups: [String] = []
        var having: String?
        var predicate: String?
        var order: [String] = []
        var isDistinct = false
        var limit = 0
        var testDescription: String {
            columns.map(\.format).joined(separator: ", ") + " " + plain.joined(separator: ", ")
        }
    }

    static let dictionaries: [Dictionaries] = [
        .init(columns: [("upper", "uppercase:(title)", .stringAttributeType)], plain: ["isbn"], order: ["isbn"]),
        .init(
            columns: [
                ("root", "sqrt:(weight)", .doubleAttributeType), ("more", "pages + 1", .integer64AttributeType),
            ],
            plain: ["isbn"], predicate: "title CONTAINS[c] 'a' OR pages > 1", order: ["isbn"], limit: 5),
        .init(columns: [("sum", "sum:(rating)", .doubleAttributeType)]),
        .init(
            columns: [
                ("sum", "sum:(weight)", .doubleAttributeType), ("n", "count:(isbn)", .integer64AttributeType),
            ]),
        .init(columns: [("mean", "average:(pages)", .doubleAttributeType)]),
        .init(columns: [("most", "max:(inPrint)", .booleanAttributeType)]),
        .init(columns: [("last", "max:(title)", .stringAttributeType)], plain: ["inPrint"], groups: ["inPrint"]),
        .init(
            columns: [("sum", "sum:(copies)", .integer64AttributeType)], plain: ["shelf"], groups: ["shelf"],
            having: "sum > 1"),
        .init(
            columns: [("last", "max:(title)", .stringAttributeType)], plain: ["inPrint"], groups: ["inPrint"],
            having: "last CONTAINS[c] 'a'"),
        .init(columns: [("sum", "sum:(pages * grade)", .integer64AttributeType)]),
        .init(
            columns: [
                ("sum", "sum:(pages)", .integer64AttributeType), ("most", "max:(weight)", .doubleAttributeType),
            ],
            predicate: "isbn == 'none'"),
        .init(
            columns: [("n", "count:(author.books.isbn)", .integer64AttributeType)], plain: ["inPrint"],
            groups: ["inPrint"], having: "max:(author.books.pages) > 1"),
        .init(columns: [("half", "pages / copies", .integer64AttributeType)], plain: ["isbn"], order: ["isbn"]),
        .init(columns: [], plain: ["inPrint"], order: ["isbn"], isDistinct: true),
        .init(columns: [], plain: ["title"], order: ["title"], isDistinct: true, limit: 4),
        .init(columns: [("n", "author.books.@count", .integer64AttributeType)], plain: ["isbn"], order: ["isbn"]),
        .init(
            columns: [("case", "lowercase:(note)", .stringAttributeType)], predicate: "note != nil",
            order: ["note"],
            isDistinct: true),
        .init(columns: [("first", "min:(identifier)", .UUIDAttributeType)]),
        .init(columns: [], plain: ["isbn", "author", "price", "published", "link", "cover"], order: ["isbn"]),
        .init(
            columns: [("which", "TERNARY(pages > 1, title, note)", .stringAttributeType)], plain: ["isbn"],
            order: ["isbn"]),
    ]

    @Test(
        "Dictionaries have the same values in both stores",
        arguments: Sample.slice(dictionaries, oneIn: 3, "dictionaries"))
    func sameDictionaries(_ wanted: Dictionaries) throws {
        func found(_ library: PredicateLibrary) throws -> [String] {
            try library.context.performAndWait {
                let request = NSFetchRequest<NSDictionary>(entityName: "Book")
                request.resultType = .dictionaryResultType
                request.propertiesToFetch =
                    wanted.columns.map { Self.column($0.name, $0.format, $0.type) } + wanted.plain
                if !wanted.groups.isEmpty { request.propertiesToGroupBy = wanted.groups }
                request.havingPredicate = wanted.having.map { NSPredicate(format: $0) }
                request.predicate = wanted.predicate.map { NSPredicate(format: $0) }
                request.sortDescriptors = wanted.order.map { NSSortDescriptor(key: $0, ascending: true) }
                request.returnsDistinctResults = wanted.isDistinct
                request.fetchLimit = wanted.limit
                let texts = try library.context.fetch(request).map { dictionary in
                    dictionary.map { key, value in
                        let text = (value as? NSManagedObjectID).map { "\(library.number($0))" } ?? "\(value)"
                        return "\(key): \(text)"
                    }.sorted().joined(separator: ", ")
                }
                // Which of equal rows gives the place of all is the database's matter.
                return wanted.order.isEmpty || wanted.isDistinct ? texts.sorted() : texts
            }
        }
        #expect(try found(server) == found(file))
    }
}
#endif
