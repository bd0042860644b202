import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// One list of requests for all kinds of stores, with answers that are written down here.
@Suite("Aggregates in fetches of dictionaries", .leavesNothingBehind)
struct AggregateFetchTests {
    private static let kinds: [StoreKind] = {
        var kinds = [StoreKind.sqlite, .inMemory, .xml, .binary, .atomic]
        #if PostgreSQL
        kinds += StoreKind.ofPostgreSQL
        #endif
        return kinds
    }()

    private static let model = """
        entity Kind
          name string
          items many Item.kind
        entity SubKind : Kind
        entity Item
          name string
          year int32
          rank int32
          count64 int64
          price decimal
          weight double
          share float
          flag bool
          added date
          kind one Kind.items
          attachments many Attachment.item
          steps ordered Step.item
          tags many Tag.items
        entity Special : Item
          extra int32
        entity Attachment
          size int32
          label string
          item one Item.attachments
        entity Step
          number int32
          item one Item.steps
        entity Tag
          name string
          items many Item.tags
        """

    /// Five items with 0 to 4 attachments.
    private static func fill(_ context: NSManagedObjectContext) throws {
        let kinds = [context.make("Kind", ["name": "A"])]
        try context.save()
        let others = [context.make("SubKind", ["name": "B"])]
        let tags = ["s", "t"].map { context.make("Tag", ["name": $0]) }
        try context.save()
        let names = ["a", "e\u{301}", "\u{e9}", "b", "a"]
        let ranks: [Int?] = [nil, 5, 3, 9, 7]
        let prices = ["0.1", "0.2", nil, "10.5", "2"]
        let weights: [Double?] = [-1, nil, 2.5, 4, 0.5]
        let flags: [Bool?] = [true, false, true, true, nil]
        for number in 0..<5 {
            let item = context.make(number < 3 ? "Item" : "Special", ["name": names[number]])
            item.setValue(2000 + number % 2, forKey: "year")
            item.setValue(ranks[number], forKey: "rank")
            item.setValue(prices[number].map { NSDecimalNumber(string: $0) }, forKey: "price")
            item.setValue(weights[number], forKey: "weight")
            item.setValue(Float(number) / 2, forKey: "share")
            item.setValue(flags[number], forKey: "flag")
            item.setValue(Date(timeIntervalSinceReferenceDate: Double(number * 100)), forKey: "added")
            item.setValue(number < 2 ? kinds[0] : number < 4 ? others[0] : nil, forKey: "kind")
            if number > 2 { item.setValue(number, forKey: "extra") }
            item.setValue(NSSet(array: Array(tags.prefix(number))), forKey: "tags")
            for place in 0..<number {
                let attachment = context.make("Attachment", ["size": 10 * number + place, "item": item])
                if place % 2 == 0 { attachment.setValue("x", forKey: "label") }
            }
            let steps = (0..<number % 3).map { context.make("Step", ["number": number + $0]) }
            item.setValue(NSOrderedSet(array: steps), forKey: "steps")
        }
        try context.save()
    }

    /// A request, and its rows as texts; nil where it is error 134060.
    private struct Wanted {
        var entity = "Item"
        /// Expressions by name.
        var computed: KeyValuePairs<String, String> = [:]
        var type = NSAttributeType.undefinedAttributeType
        var plain: [String] = []
        var groups: [String] = []
        var having: String?
        var predicate: String?
        /// Keys; a minus sign turns the order round.
        var order: [String] = []
        var isDistinct = false
        var limit = 0
        var rows: [String]?

        /// One that is refused.
        static func refused(
            _ computed: KeyValuePairs<String, String> = [:], plain: [String] = [], groups: [String] = [],
            having: String? = nil
        ) -> Wanted {
            Wanted(computed: computed, plain: plain, groups: groups, having: having)
        }

        var text: String {
            let parts = computed.map { "\($0.key) = \($0.value)" } + plain
            return "\(entity): \(parts) by \(groups), having \(having ?? "-"), where \(predicate ?? "-")"
        }

        var request: NSFetchRequest<NSDictionary> {
            let request = NSFetchRequest<NSDictionary>(entityName: entity)
            request.resultType = .dictionaryResultType
            let columns = computed.map { name, format in
                let column = NSExpressionDescription()
                column.name = name
                column.expression = CoreData.NSExpression(format: format)
                column.expressionResultType = type
                return column
            }
            let properties = columns as [Any] + plain
            if !properties.isEmpty { request.propertiesToFetch = properties }
            // A group may be one of the expressions.
            if !groups.isEmpty {
                request.propertiesToGroupBy = groups.map { name in columns.first { $0.name == name } ?? name as Any }
            }
            request.havingPredicate = having.map { NSPredicate(format: $0) }
            request.predicate = predicate.map { NSPredicate(format: $0) }
            request.sortDescriptors = order.map {
                NSSortDescriptor(key: $0.replacingOccurrences(of: "-", with: ""), ascending: !$0.hasPrefix("-"))
            }
            request.returnsDistinctResults = isDistinct
            request.fetchLimit = limit
            return request
        }
    }

    private static func text(_ value: Any, _ context: NSManagedObjectContext) -> String {
        switch value {
        case let id as NSManagedObjectID:
            let object = context.object(with: id)
            return "\(id.entity.name ?? "") \(object.value(forKey: "name") ?? "")"
        case let date as Date: return "at \(date.timeIntervalSinceReferenceDate)"
        case let number as NSNumber: return String(format: "%.6g", number.doubleValue)
        case let text as String: return text.unicodeScalars.map { $0.isASCII ? "\($0)" : "U+\($0.value)" }.joined()
        default: return "\(type(of: value)) \(value)"
        }
    }

    private static func check(_ list: [Wanted], _ context: NSManagedObjectContext, _ kind: StoreKind) throws {
        for wanted in list {
            let note = Comment(rawValue: "\(kind): \(wanted.text)")
            guard let expected = wanted.rows else {
                let error = #expect(throws: NSError.self, note) { try context.fetch(wanted.request) }
                #expect(error?.code == NSCoreDataError, note)
                continue
            }
            do {
                let rows = try context.fetch(wanted.request).map { row in
                    row.map { "\($0.key)=\(text($0.value, context))" }.sorted().joined(separator: " ")
                }
                let isOrdered = !wanted.order.isEmpty
                #expect((isOrdered ? rows : rows.sorted()) == (isOrdered ? expected : expected.sorted()), note)
            } catch {
                Issue.record(error, note)
            }
        }
    }

    private func check(_ list: [Wanted], kind: StoreKind, filled: Bool = true) throws {
        let library = try Library(kind, model: ModelText.model(Self.model))
        let context = library.context()
        try context.performAndWait {
            if filled { try Self.fill(context) }
            try Self.check(list, context, kind)
        }
        let child = library.child(of: context)
        try child.performAndWait { try Self.check(list, child, kind) }
    }

    @Test("A function of a path to many objects is one of all members of all rows", arguments: kinds)
    func pathsToMany(kind: StoreKind) throws {
        let functions: KeyValuePairs = [
            "sum": "sum:(attachments.size)", "least": "min:(attachments.size)", "most": "max:(attachments.size)",
            "mean": "average:(attachments.size)", "n": "count:(attachments)",
        ]
        try check(
            [
                Wanted(computed: ["n": "count:(attachments)"], rows: ["n=10"]),
                Wanted(
                    computed: ["n": "count:(attachments)"], plain: ["year"], groups: ["year"], order: ["year"],
                    rows: ["n=6 year=2000", "n=4 year=2001"]),
                Wanted(computed: functions, rows: ["least=10 mean=31 most=43 n=10 sum=310"]),
                Wanted(
                    computed: functions, plain: ["year"], groups: ["year"],
                    rows: [
                        "least=20 mean=34.5 most=43 n=6 sum=207 year=2000",
                        "least=10 mean=25.75 most=32 n=4 sum=103 year=2001",
                    ]),
                Wanted(computed: functions, predicate: "attachments.@count == 0", rows: ["n=0 sum=0"]),
                Wanted(computed: ["n": "count:(attachments.label)"], rows: ["n=6"]),
                Wanted(computed: ["n": "count:(distinct:(attachments.label))"], rows: ["n=1"]),
                Wanted(computed: ["n": "count:(distinct:(attachments))"], rows: ["n=10"]),
                Wanted(computed: ["n": "sum:(attachments.size * 2)"], rows: ["n=620"]),
                Wanted(computed: ["n": "max:(attachments.size) - min:(attachments.size)"], rows: ["n=33"]),
                Wanted(computed: ["n": "count:(steps)", "sum": "sum:(steps.number)"], rows: ["n=4 sum=10"]),
                Wanted(computed: ["n": "count:(tags)"], rows: ["n=7"]),
                Wanted(computed: ["n": "count:(distinct:(tags))", "last": "max:(tags.name)"], rows: ["last=t n=2"]),
                Wanted(computed: ["n": "count:(kind.items)"], rows: ["n=8"]),
                Wanted(entity: "Kind", computed: ["n": "count:(items.attachments)"], rows: ["n=6"]),
                Wanted(
                    entity: "Kind",
                    computed: ["n": "count:(items.attachments)", "mean": "average:(items.attachments.size)"],
                    plain: ["name"], groups: ["name"], rows: ["mean=10 n=1 name=A", "mean=26.8 n=5 name=B"]),
                Wanted(entity: "Special", computed: ["n": "count:(attachments)"], rows: ["n=7"]),
                // Joined rows are those of the whole statement, as in Apple's.
                Wanted(
                    computed: ["n": "count:(attachments)", "sum": "sum:(year)"], predicate: "rank > 8",
                    rows: ["n=3 sum=6003"]),
            ], kind: kind)
    }

    @Test("A collection operator and a subquery are values of each row", arguments: kinds)
    func valuesOfRows(kind: StoreKind) throws {
        let rows = ["n=0 name=a", "n=1 name=eU+769", "n=2 name=U+233", "n=3 name=b", "n=4 name=a"]
        try check(
            [
                Wanted(computed: ["n": "attachments.@count"], plain: ["name"], rows: rows),
                Wanted(
                    computed: ["n": "SUBQUERY(attachments, $a, $a.size > 0).@count"], plain: ["name"], rows: rows),
                Wanted(
                    computed: ["n": "attachments.@sum.size"], plain: ["rank"],
                    rows: ["n=0", "n=10 rank=5", "n=41 rank=3", "n=93 rank=9", "n=166 rank=7"]),
                Wanted(
                    computed: ["mean": "attachments.@avg.size"], plain: ["rank"],
                    rows: ["", "mean=10 rank=5", "mean=20.5 rank=3", "mean=31 rank=9", "mean=41.5 rank=7"]),
                Wanted(computed: ["n": "max:(attachments.@avg.size)"], rows: ["n=41.5"]),
                Wanted(
                    entity: "Kind", computed: ["n": "items.@sum.flag"], plain: ["name"],
                    rows: ["n=1 name=A", "n=2 name=B"]),
                Wanted(
                    computed: ["two": "1 + 1", "one": "sum:(1)", "half": "0.5", "text": "'x'"], predicate: "rank > 8",
                    rows: ["half=0.5 one=1 text=x two=2"]),
                Wanted(computed: ["n": "TERNARY(rank > 4, 1, 2)"], predicate: "rank > 4", rows: ["n=1", "n=1", "n=1"]),
                Wanted(computed: ["n": "max:(attachments.@count)"], rows: ["n=4"]),
                Wanted(computed: ["n": "max:(count:(attachments))"], rows: ["n=4"]),
                .refused(["n": "sum:(max:(rank))"]), .refused(["n": "count:(rank)"], groups: ["n"]),
                Wanted(
                    computed: ["n": "attachments.@count", "sum": "sum:(rank)"], groups: ["n"],
                    predicate: "year == 2001",
                    rows: ["n=1 sum=5", "n=3 sum=9"]),
            ], kind: kind)
    }

    @Test("A sum over no rows, or of nothing but nil, is 0; other functions have no value then", arguments: kinds)
    func sumsOfNothing(kind: StoreKind) throws {
        let functions: KeyValuePairs = [
            "n": "count:(rank)", "sum": "sum:(rank)", "most": "max:(rank)", "mean": "average:(rank)",
            "price": "sum:(price)", "weight": "sum:(weight)", "flag": "sum:(flag)", "rest": "sum:(rank) + 1",
        ]
        let nothing = "flag=0 n=0 price=0 rest=1 sum=0 weight=0"
        try check(
            [
                Wanted(computed: functions, predicate: "year == 1", rows: [nothing]),
                Wanted(computed: functions, plain: ["year"], groups: ["year"], predicate: "year == 1", rows: []),
                Wanted(computed: ["n": "count:(attachments)"], predicate: "year == 1", rows: ["n=0"]),
                Wanted(computed: ["n": "sum:(attachments.size)"], predicate: "year == 1", rows: ["n=0"]),
                Wanted(
                    computed: ["sum": "sum:(rank)", "most": "max:(rank)"], predicate: "rank == nil", rows: ["sum=0"]),
                Wanted(
                    computed: ["sum": "sum:(rank)", "mean": "average:(rank)"], plain: ["flag"], groups: ["flag"],
                    predicate: "year == 2000",
                    rows: ["flag=1 mean=3 sum=3", "mean=7 sum=7"]),
                Wanted(computed: ["sum": "sum:(rank)"], having: "sum == 0", predicate: "year == 1", rows: ["sum=0"]),
            ], kind: kind)
        try check(
            [
                Wanted(computed: functions, rows: [nothing]),
                Wanted(computed: ["n": "count:(attachments)"], rows: ["n=0"]),
                Wanted(computed: ["n": "count:(attachments)"], plain: ["year"], groups: ["year"], rows: []),
            ], kind: kind, filled: false)
    }

    @Test("Beside GROUP BY stands what is grouped or aggregated; anything else is error 134060", arguments: kinds)
    func ungrouped(kind: StoreKind) throws {
        let count: KeyValuePairs = ["n": "count:(SELF)"]
        try check(
            [
                .refused(count, plain: ["name"], groups: ["year"]),
                .refused(plain: ["year", "name"], groups: ["year"]),
                .refused(["upper": "uppercase:(name)"], groups: ["year"]),
                .refused(["sum": "sum:(rank) + year"], groups: ["name"]),
                .refused(["n": "attachments.@count"], plain: ["year"], groups: ["year"]),
                .refused(plain: ["kind.name"], groups: ["year"]),
                .refused(groups: ["year"]),
                .refused(count, plain: ["year"], groups: ["year"], having: "name == 'a'"),
                .refused(plain: ["year"], having: "year == 2000"),
                .refused(plain: ["year"], having: "count:(SELF) > 1"),
                Wanted(
                    computed: ["upper": "uppercase:(name)", "n": "count:(SELF)"], plain: ["name"], groups: ["name"],
                    predicate: "name < 'c'", rows: ["n=2 name=a upper=A", "n=1 name=b upper=B"]),
                Wanted(
                    computed: ["upper": "uppercase:(name)", "n": "count:(SELF)"], groups: ["upper"],
                    predicate: "name < 'c'", rows: ["n=2 upper=A", "n=1 upper=B"]),
                Wanted(computed: ["next": "year + 1"], groups: ["year"], rows: ["next=2001", "next=2002"]),
                Wanted(
                    computed: count, plain: ["year"], groups: ["year"], having: "year == 2000",
                    rows: ["n=3 year=2000"]),
            ], kind: kind)
    }

    @Test("Groups, conditions on them, and computing with aggregates are alike", arguments: kinds)
    func groups(kind: StoreKind) throws {
        let byYear: KeyValuePairs = ["n": "count:(attachments)", "sum": "sum:(rank)"]
        func having(_ condition: String, _ years: Int...) -> Wanted {
            let rows = [2000: "n=6 sum=34 year=2000", 2001: "n=4 sum=32 year=2001"]
            return Wanted(
                computed: byYear, plain: ["year"], groups: ["year"], having: condition, order: ["-year"],
                rows: years.sorted(by: >).compactMap { rows[$0] })
        }
        try check(
            [
                having("n > 5", 2000), having("$n > 5", 2000), having("count:(attachments) > 5", 2000),
                having("sum:(rank) > 33", 2000), having("sum > 25 OR n > 5", 2000, 2001),
                having("max:(attachments.size) > 40", 2000), having("max:(rank) - min:(rank) == 4", 2000, 2001),
                having("count:(distinct:(kind)) == 2", 2000, 2001), having("NOT (year == 2000)", 2001),
                having("min:(weight) == nil"), having("max:(extra) IN {3, 5}", 2001),
                Wanted(computed: ["n": "max:(rank) - min:(rank)"], rows: ["n=6"]),
                Wanted(computed: ["n": "count:(distinct:(name))", "all": "count:(name)"], rows: ["all=5 n=4"]),
                Wanted(
                    computed: ["n": "count:(SELF)"], plain: ["name"], groups: ["name"], order: ["-n", "name"], limit: 2,
                    rows: ["n=2 name=a", "n=1 name=b"]),
                Wanted(
                    computed: ["n": "TERNARY(count:(attachments) > 5, 'many', 'few')"], type: .stringAttributeType,
                    plain: ["year"], groups: ["year"], rows: ["n=many year=2000", "n=few year=2001"]),
                Wanted(
                    computed: ["n": "count:(SELF)"], plain: ["kind"], groups: ["kind"],
                    rows: ["kind=Kind A n=2", "kind=SubKind B n=2", "n=1"]),
                Wanted(
                    computed: ["n": "count:(kind)"], plain: ["kind.name"], groups: ["kind.name"],
                    rows: ["kind.name=A n=2", "kind.name=B n=2", "n=0"]),
                Wanted(
                    computed: ["n": "count:(SELF)"], plain: ["flag", "year"], groups: ["flag", "year"],
                    having: "n > 1", rows: ["flag=1 n=2 year=2000"]),
                Wanted(plain: ["year"], order: ["year"], isDistinct: true, rows: ["year=2000", "year=2001"]),
                Wanted(
                    plain: ["name"], isDistinct: true, rows: ["name=a", "name=b", "name=eU+769", "name=U+233"]),
                Wanted(plain: ["kind"], isDistinct: true, rows: ["", "kind=Kind A", "kind=SubKind B"]),
            ], kind: kind)
    }

    @Test("Groups may be sorted by values of their rows, and all rows together by anything", arguments: kinds)
    func ungroupedOrder(kind: StoreKind) throws {
        let count: KeyValuePairs = ["n": "count:(SELF)"]
        try check(
            [
                Wanted(computed: count, order: ["name"], rows: ["n=5"]),
                Wanted(computed: ["sum": "sum:(rank)"], order: ["-kind.name", "year"], rows: ["sum=24"]),
                Wanted(
                    computed: count, plain: ["kind"], groups: ["kind"], predicate: "kind != nil", order: ["kind.name"],
                    rows: ["kind=Kind A n=2", "kind=SubKind B n=2"]),
                Wanted(
                    computed: count, plain: ["name"], groups: ["name"], predicate: "rank > 3", order: ["-rank"],
                    rows: ["n=1 name=b", "n=1 name=a", "n=1 name=eU+769"]),
            ], kind: kind)
    }

    @Test("Values of all kinds, of subentities and of relationships are alike", arguments: kinds)
    func values(kind: StoreKind) throws {
        try check(
            [
                Wanted(computed: ["sum": "sum:(flag)", "most": "max:(flag)"], rows: ["most=1 sum=3"]),
                Wanted(computed: ["sum": "sum:(price)", "mean": "average:(price)"], rows: ["mean=3.2 sum=12.8"]),
                Wanted(computed: ["sum": "sum:(share)", "most": "max:(share)"], rows: ["most=2 sum=5"]),
                Wanted(
                    computed: ["first": "min:(added)", "last": "max:(added)"], rows: ["first=at 0.0 last=at 400.0"]),
                Wanted(computed: ["last": "max:(name)"], rows: ["last=U+233"]),
                Wanted(computed: ["sum": "sum:(extra)", "n": "count:(extra)"], rows: ["n=2 sum=7"]),
                Wanted(computed: ["n": "count:(SELF)"], predicate: "extra > 3", rows: ["n=1"]),
                Wanted(computed: ["n": "count:(SELF)"], predicate: "extra == nil", rows: ["n=3"]),
                Wanted(plain: ["extra"], order: ["extra"], rows: ["", "", "", "extra=3", "extra=4"]),
                Wanted(computed: ["root": "sqrt:(weight)"], rows: ["", "", "root=1.58114", "root=2", "root=0.707107"]),
                Wanted(computed: ["sum": "sum:(sqrt:(weight))"], rows: ["sum=4.28825"]),
                Wanted(computed: ["last": "max:(kind)", "first": "min:(kind)"], rows: ["first=Kind A last=SubKind B"]),
                Wanted(computed: ["n": "count:(kind)", "some": "count:(distinct:(kind))"], rows: ["n=4 some=2"]),
                Wanted(
                    plain: ["kind", "rank"],
                    rows: [
                        "kind=Kind A", "kind=Kind A rank=5", "kind=SubKind B rank=3", "kind=SubKind B rank=9", "rank=7",
                    ]),
                .refused(plain: ["attachments"]), .refused(plain: ["steps"]), .refused(plain: ["attachments.size"]),
                .refused(["n": "attachments"]), .refused(["n": "sum:(kind)"]), .refused(plain: ["name", "bogus"]),
                .refused(["n": "sum:(bogus)"]), .refused(["n": "sum:(attachments.bogus)"]),
            ], kind: kind)
    }

    @Test("Sums that no value of their type can be are errors", arguments: kinds)
    func overflow(kind: StoreKind) throws {
        let context = try Library(kind, model: ModelText.model(Self.model)).context()
        try context.performAndWait {
            for _ in 0..<2 {
                let largest = NSDecimalNumber(decimal: .greatestFiniteMagnitude)
                context.make("Item", ["price": largest, "count64": Int64.max])
            }
            try context.save()
            let price = Wanted(computed: ["sum": "sum:(price)"], type: .decimalAttributeType)
            let error = #expect(throws: NSError.self) { try context.fetch(price.request) }
            #expect(error?.code == CocoaError.Code.fileReadCorruptFile.rawValue)
            let overflow = #expect(throws: NSError.self) {
                try context.fetch(Wanted(computed: ["sum": "sum:(count64)"]).request)
            }
            let underlying = overflow?.userInfo[NSUnderlyingErrorKey] as? NSError
            if kind == .sqlite { #expect(underlying?.code == Int(EOVERFLOW)) }
            try Self.check(
                [Wanted(computed: ["mean": "average:(count64)"], rows: ["mean=9.22337e+18"])], context, kind)
        }
    }

    @Test("A store in memory answers by object what has no SQL", arguments: [StoreKind.inMemory, .xml])
    func withoutSQL(kind: StoreKind) throws {
        let context = try Library(kind, model: ModelText.model(Self.model)).context()
        try context.performAndWait {
            try Self.fill(context)
            let unsaved = context.make("Item", ["name": "new", "year": 2001])
            var wanted = Wanted(
                computed: ["n": "count:(attachments)", "sum": "sum:(rank)"], plain: ["year"], groups: ["year"],
                having: "n > 1", predicate: "name.length == 1",
                rows: ["n=6 sum=34 year=2000", "n=3 sum=27 year=2001"])
            try Self.check([wanted], context, kind)
            // The store has a statement for objects with this condition, and none for the columns that follow.
            let known = NSFetchRequest<NSManagedObject>(entityName: "Item")
            known.predicate = NSPredicate(format: "rank > 8")
            #expect(try context.fetch(known).count == 1)
            wanted = Wanted(
                computed: ["n": "name.length"], plain: ["kind"], predicate: "rank > 8", rows: ["kind=SubKind B n=1"])
            try Self.check([wanted], context, kind)
            let request = Wanted(plain: ["rank"], predicate: "rank != nil").request
            request.sortDescriptors = [
                NSSortDescriptor(key: "rank", ascending: true) { one, other in
                    let (one, other) = ((one as? Int ?? 0) % 5, (other as? Int ?? 0) % 5)
                    return one < other ? .orderedAscending : one == other ? .orderedSame : .orderedDescending
                }
            ]
            #expect(try context.fetch(request).map { $0["rank"] as? Int } == [5, 7, 3, 9])
            try Self.check([.refused(["n": "name.length"], plain: ["year"], groups: ["year"])], context, kind)
            context.delete(unsaved)
        }
    }

    @Test("A store in memory answers by object beside a store in a file without the entity")
    func besideFile() throws {
        try withTemporaryFolder { folder in
            let model = ModelText.model("entity Note\n  name string\nentity Line\n  text string")
            for (configuration, entity) in [("Memory", "Note"), ("File", "Line")] {
                model.setEntities([try #require(model.entitiesByName[entity])], forConfigurationName: configuration)
            }
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            _ = try coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType, configurationName: "Memory", at: nil, options: nil)
            let file = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: "File", at: folder.appendingPathComponent("L.sqlite"),
                options: nil)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            try context.performAndWait {
                for name in ["a", "bb"] { context.make("Note", ["name": name]) }
                context.make("Line", ["text": "one"])
                try context.save()
                let objects = NSFetchRequest<NSManagedObject>(entityName: "Note")
                objects.predicate = NSPredicate(format: "name.length > 1")
                #expect(try context.fetch(objects).count == 1)
                let rows = NSFetchRequest<NSDictionary>(entityName: "Note")
                rows.resultType = .dictionaryResultType
                rows.propertiesToFetch = ["name"]
                rows.predicate = objects.predicate
                #expect(try context.fetch(rows).map { $0["name"] as? String } == ["bb"])
            }
            try coordinator.remove(file)
        }
    }
}
