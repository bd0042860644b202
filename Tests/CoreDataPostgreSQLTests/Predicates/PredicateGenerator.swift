#if PostgreSQL
import CoreData
import Foundation
import TestSupport

/// A predicate as text with arguments, which prints well when it fails.
struct GeneratedPredicate: CustomStringConvertible {
    /// An object, which is another one in each store.
    struct Place: Hashable {
        var entity: String
        var number: Int
    }

    var entity: String
    var format: String
    var arguments: [Any?]
    /// Whether values of different kinds are compared: a SQLite store and an object have answers of their own
    /// there.
    var mixesKinds = false
    /// Whether a missing value within may count as an answer for an object, and as none for a database.
    var looksInside = false
    /// Whether it computes. SQLite has nothing where a number is divided by zero, stores whole decimals as
    /// integers, and all other decimals as floating-point numbers.
    var computes = false

    var description: String { "\(entity): \(format) \(arguments.map { "\($0 ?? "nil")" })" }

    func predicate(_ object: (Place) -> Any?) -> NSPredicate {
        NSPredicate(
            format: format,
            argumentArray: arguments.map { argument in
                (argument as? Place).map { object($0) ?? NSNull() } ?? argument ?? NSNull()
            })
    }
}

/// Makes predicates over the library of `PredicateLibrary`, the same for the same seed.
struct PredicateGenerator {
    private var random: SplitMix
    private var arguments: [Any?] = []
    private var mixesKinds = false
    private var looksInside = false
    private var computes = false
    private let favourites: [String]

    /// - Parameter favourites: The texts of most values and constants. If they are few, equal ones meet.
    init(seed: UInt64, favourites: [String] = Self.texts) {
        random = SplitMix(state: seed &* 0x9E37_79B9 &+ 17)
        self.favourites = favourites
    }

    /// The texts of most values and constants where the library has this content.
    static func favourites(ofContent content: Int) -> [String] {
        var random = SplitMix(state: UInt64(content))
        return Array(texts.shuffled(using: &random).prefix(12))
    }

    mutating func make() -> GeneratedPredicate {
        let scope = Scope.all[pick(6) == 0 ? 1 + pick(Scope.all.count - 1) : 0]
        let format = condition(scope, depth: pick(3))
        return GeneratedPredicate(
            entity: scope.entity, format: format, arguments: arguments, mixesKinds: mixesKinds,
            looksInside: looksInside, computes: computes)
    }

    // MARK: Kinds and scopes

    enum Kind: CaseIterable {
        case text, number, truth, date, uuid, data, uri
    }

    /// Key paths of an entity, by what they lead to.
    struct Scope {
        var entity: String
        var paths: [Kind: [String]]
        /// To-many paths, with the kind of what they end in.
        var many: [(path: String, kind: Kind)]
        var toOnes: [(path: String, entity: String)]
        var toManys: [(path: String, entity: String)]
        /// Aggregates over to-many relationships.
        var aggregates: [Kind: [String]]

        static let all: [Scope] = [
            Scope(
                entity: "Book",
                paths: [
                    .text: ["title", "note", "isbn", "author.name", "shelf.name", "genre", "author.profile.text"],
                    .number: ["pages", "copies", "grade", "rating", "weight", "price", "author.rank"],
                    .truth: ["inPrint", "author.active"], .date: ["published", "author.joined"],
                    .uuid: ["identifier"], .data: ["cover"], .uri: ["link"],
                ],
                many: [
                    ("tags.name", .text), ("author.books.title", .text), ("author.books.pages", .number),
                    ("author.books.price", .number), ("shelf.items.published", .date), ("tags.level", .number),
                    ("author.books.inPrint", .truth), ("tags.books.note", .text),
                ],
                toOnes: [("author", "Author"), ("shelf", "Shelf")],
                toManys: [("tags", "Tag"), ("author.books", "Book"), ("shelf.items", "Book")],
                aggregates: [
                    .number: [
                        "tags.@count", "author.books.@count", "author.books.@sum.pages", "author.books.@sum.price",
                        "author.books.@max.copies", "author.books.@min.grade", "author.books.@avg.pages",
                        "author.books.@sum.rating", "author.books.@max.weight", "tags.@max.level",
                        "author.books.@avg.price", "author.books.@avg.rating", "author.books.@max.rating",
                        "shelf.items.@count", "author.books.@avg.copies", "author.books.@sum.grade",
                    ],
                    .text: ["author.books.@max.title", "tags.@min.name", "shelf.items.@max.note"],
                    .date: ["author.books.@max.published", "shelf.items.@min.published"],
                    .truth: ["author.books.@max.inPrint"], .uuid: ["author.books.@min.identifier"],
                ]),
            Scope(
                entity: "Author",
                paths: [
                    .text: ["name", "profile.text"], .truth: ["active"], .date: ["joined"], .number: ["rank"],
                ],
                many: [
                    ("books.title", .text), ("books.pages", .number), ("books.rating", .number),
                    ("books.tags.name", .text), ("books.shelf.name", .text), ("books.published", .date),
                    ("books.identifier", .uuid),
                ],
                toOnes: [("profile", "Profile")], toManys: [("books", "Book")],
                aggregates: [
                    .number: [
                        "books.@count", "books.@sum.pages", "books.@avg.weight", "books.@max.price",
                        "books.@min.rating", "books.@sum.copies", "books.@max.grade",
                    ],
                    .text: ["books.@min.title"], .date: ["books.@max.published"],
                    .truth: ["books.@min.inPrint"], .data: ["books.@max.cover"],
                ]),
            Scope(
                entity: "Tag", paths: [.text: ["name"], .number: ["level"]],
                many: [
                    ("books.title", .text), ("books.author.name", .text), ("books.price", .number),
                    ("books.copies", .number), ("books.author.active", .truth),
                ],
                toOnes: [], toManys: [("books", "Book")],
                aggregates: [.number: ["books.@count", "books.@sum.weight", "books.@avg.grade"]]),
            Scope(
                entity: "Novel",
                paths: [.text: ["genre", "title"], .number: ["pages", "price"], .date: ["published"]],
                many: [("tags.name", .text)], toOnes: [("author", "Author")], toManys: [("tags", "Tag")],
                aggregates: [.number: ["tags.@count"]]),
        ]

        static func of(_ entity: String) -> Scope { all.first { $0.entity == entity } ?? all[0] }
    }

    static let texts = [
        "", "a", "A", "b", "ab", "Ab", "AB", "abc", "é", "e\u{301}", "É", "E\u{301}", "e", "ß", "SS", "ss", "ﬁ",
        "fi",
        "İ", "i", "ı", "I", "Ω", "\u{2126}", "ω", "日本", "本", "か", "カ", "が", "か\u{3099}", "😀", "👩‍👩‍👧", "a%b_c", "%",
        "_",
        "*", "?", "a?c", "\\", "a\\b", "'", "\"", "æ", "ae", "Æ", "ǆ", "ǅ", "Ǆ", "Straße", "STRASSE", "Zoë", "zoe",
        "ZOË",
        " a", "a ", "10", "9", "2", "1.5", "ﬀ", "ff", "ſ", "s", "ς", "σ", "Σ", "ά", "α", "\u{1E9E}", "Å",
        "\u{212B}",
        "A\u{30A}", "한", "\u{1112}\u{1161}\u{11AB}", "\n", "a\nb", "\u{FEFF}a", "\u{200D}", "à̖", "a\u{316}\u{300}",
        "\u{10FFFF}", "{1,2}", "Łódź", "lodz", "NULL",
    ]
    static let whole = [0, 1, 2, 3, 5, -1, -7, 10, 100, 255, 1_000, 32_767, -32_768]
    static let large = [2_147_483_647, -2_147_483_648, 4_294_967_296, 9_007_199_254_740_993, Int.max, Int.min]
    static let parts = [0.0, 0.5, 1.5, -2.25, 3.125, 100.75, 0.1, 3.3, -0.0, 1e300, 1e-300]
    static let decimals = ["0", "0.1", "19.99", "5", "-3.5", "12.50", "1000000.01"]
    static let dates = [0.0, 1, 86_400, -86_400, 700_000_000, 700_000_000.25, 1.5, -3_000_000_000]
    static let uuids = [
        "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "00000000-0000-0000-0000-000000000001",
        "FFFFFFFF-0000-4000-8000-000000000001",
    ]
    static let datas: [[UInt8]] = [[], [0], [1, 2, 3], [255], [1, 2]]
    static let uris = ["https://example.com/a", "https://example.com/B", "x:ä"]

    // MARK: Picking

    mutating func pick(_ count: Int) -> Int { Int(random.next() % UInt64(max(1, count))) }
    mutating func pick<Element>(_ list: [Element]) -> Element { list[pick(list.count)] }
    mutating func one(in count: Int) -> Bool { pick(count) == 0 }
    mutating func text() -> String { one(in: 4) ? pick(Self.texts) : pick(favourites) }

    private mutating func argument(_ value: Any?) -> String {
        arguments.append(value)
        return "%@"
    }

    /// A constant of a kind.
    mutating func constant(_ kind: Kind) -> Any? {
        switch kind {
        case .text:
            if one(in: 60) { return "a\u{0}b" }
            if one(in: 4) { return text() + text() }
            return text()
        case .number:
            switch pick(8) {
            case 0...3: return NSNumber(value: pick(Self.whole))
            case 4, 5: return NSNumber(value: pick(Self.parts))
            case 6: return NSDecimalNumber(string: pick(Self.decimals))
            default: return one(in: 3) ? NSNumber(value: pick(Self.large)) : NSNumber(value: pick(10) == 3)
            }
        case .truth: return one(in: 6) ? NSNumber(value: pick(3)) : NSNumber(value: one(in: 2))
        case .date: return Date(timeIntervalSinceReferenceDate: pick(Self.dates))
        case .uuid: return UUID(uuidString: pick(Self.uuids))
        case .data: return Data(pick(Self.datas))
        case .uri: return URL(string: pick(Self.uris))
        }
    }

    // MARK: Conditions

    mutating func condition(_ scope: Scope, depth: Int) -> String {
        if depth > 0 {
            switch pick(4) {
            case 0, 1:
                let word = one(in: 2) ? "AND" : "OR"
                let parts = (0..<(2 + pick(2))).map { _ in "(\(condition(scope, depth: depth - 1)))" }
                return parts.joined(separator: " \(word) ")
            case 2: return "NOT (\(condition(scope, depth: depth - 1)))"
            default: break
            }
        }
        switch pick(14) {
        case 0...2: return textCondition(value(.text, scope))
        case 3...5: return numbers(scope)
        case 6: return ordinary(pick([.truth, .date, .uuid, .data, .uri]), scope)
        case 7, 8: return collection(scope)
        case 9: return subquery(scope)
        case 10: return list(scope)
        case 11: return objects(scope)
        case 12:
            let kind = pick(Kind.allCases)
            return "\(value(kind, scope)) \(pick(["==", "!="])) nil"
        default: return one(in: 6) ? mixed(scope) : conditional(scope)
        }
    }

    /// A single value of a kind.
    private mutating func value(_ kind: Kind, _ scope: Scope) -> String {
        if one(in: 4), let list = scope.aggregates[kind] {
            let path = pick(list)
            // Where the object that leads to the members is missing, a database counts none, and a key path has
            // nothing.
            let begins = path.split(separator: ".").count > 2 || path.hasSuffix("items.@count")
            if begins, path.contains("@count") || path.contains("@sum"), !path.hasPrefix("tags"),
                !path.hasPrefix("books")
            {
                looksInside = true
            }
            return path
        }
        guard let list = scope.paths[kind] else { return pick(scope.paths[.text] ?? ["SELF"]) }
        return pick(list)
    }

    private func has(_ kind: Kind, _ scope: Scope) -> Bool { scope.paths[kind] != nil }

    private mutating func options() -> String { pick(["", "", "[c]", "[d]", "[cd]", "[cd]"]) }

    private mutating func textCondition(_ left: String) -> String {
        var left = left
        if one(in: 10) { left = "\(pick(["uppercase:", "lowercase:", "canonical:"]))(\(left))" }
        switch pick(10) {
        case 0...2:
            let word = pick(["BEGINSWITH", "ENDSWITH", "CONTAINS"])
            return "\(left) \(word)\(options()) \(argument(one(in: 12) ? nil : constant(.text)))"
        case 3: return "\(left) LIKE\(options()) \(argument(pattern()))"
        case 4: return "\(left) MATCHES\(options()) \(argument(expression()))"
        case 5:
            computes = true
            return "length:(\(left)) \(order()) \(argument(NSNumber(value: pick(4))))"
        default: return "\(left) \(order())\(options()) \(argument(one(in: 12) ? nil : constant(.text)))"
        }
    }

    private mutating func pattern() -> String {
        (0..<(1 + pick(3))).map { _ in one(in: 2) ? pick(["*", "?", "\\*"]) : text() }.joined()
    }

    private mutating func expression() -> String {
        pick([".*", "a.*", ".", "..", "(a|é|A).*", "[a-z]+", "\\w+", "(?i)ss", ".*\\s.*", "", "\\p{Lu}.*", "é"])
    }

    private mutating func order() -> String { pick(["==", "==", "!=", "<", "<=", ">", ">="]) }

    private mutating func numbers(_ scope: Scope) -> String {
        let left = number(scope, depth: one(in: 2) ? 0 : 1 + pick(2))
        switch pick(6) {
        case 0:
            let low = argument(constant(.number))
            return "\(left) BETWEEN {\(low), \(argument(one(in: 9) ? nil : constant(.number)))}"
        case 1: return "\(left) \(order()) \(number(scope, depth: pick(2)))"
        default: return "\(left) \(order()) \(argument(constant(.number)))"
        }
    }

    /// An expression that is a number.
    private mutating func number(_ scope: Scope, depth: Int) -> String {
        guard depth > 0 else { return value(.number, scope) }
        computes = true
        // Each argument has to stand where its place in the text is.
        func inner() -> String { number(scope, depth: depth - 1) }
        func other() -> String {
            one(in: 2) ? number(scope, depth: depth - 1) : argument(constant(.number))
        }
        switch pick(14) {
        case 0...2: return "(\(inner()) + \(other()))"
        case 3, 4: return "(\(inner()) - \(other()))"
        case 5, 6: return "(\(inner()) * \(other()))"
        case 7, 8: return "(\(inner()) / \(other()))"
        case 9: return "modulus:by:(\(value(.number, scope)), \(argument(NSNumber(value: pick(5)))))"
        case 10: return "\(pick(["abs:", "floor:", "ceiling:", "trunc:"]))(\(inner()))"
        case 11: return "\(pick(["sqrt:", "ln:", "log:", "exp:"]))(\(inner()))"
        case 12: return "(\(inner()) ** \(argument(NSNumber(value: pick(4)))))"
        default:
            let whole = pick(["tags.@count", "pages", "copies", "grade"])
            let left = scope.entity == "Book" ? whole : inner()
            return "(\(left) \(pick(["&", "|", "<<", ">>"])) \(argument(NSNumber(value: pick(8)))))"
        }
    }

    private mutating func ordinary(_ kind: Kind, _ scope: Scope) -> String {
        guard has(kind, scope) else { return textCondition(value(.text, scope)) }
        let left = value(kind, scope)
        if one(in: 5) { return "\(left) \(order()) \(value(kind, scope))" }
        if kind == .date, one(in: 4) {
            return "\(left) + \(argument(NSNumber(value: pick(Self.whole)))) \(order()) \(value(.date, scope))"
        }
        if kind == .truth, one(in: 3) { return "\(left) \(order()) \(value(.number, scope))" }
        return "\(left) \(order()) \(argument(one(in: 12) ? nil : constant(kind)))"
    }

    private mutating func collection(_ scope: Scope) -> String {
        let (path, kind) = pick(scope.many)
        let word = pick(["ANY", "ANY", "ALL", "NONE"])
        if kind == .text { return "\(word) \(textConditionOfMembers(path))" }
        if one(in: 5) { return "\(word) \(path) IN \(values(kind))" }
        return "\(word) \(path) \(order()) \(argument(constant(kind)))"
    }

    private mutating func textConditionOfMembers(_ path: String) -> String {
        let word = pick(["BEGINSWITH", "ENDSWITH", "CONTAINS", "==", "!=", "<", ">="])
        return "\(path) \(word)\(options()) \(argument(constant(.text)))"
    }

    private mutating func subquery(_ scope: Scope) -> String {
        let (path, entity) = pick(scope.toManys)
        let inner = Scope.of(entity)
        looksInside = true
        var parts: [String] = []
        for _ in 0...pick(2) {
            let kind = pick([Kind.text, .number, .date, .truth])
            guard let paths = inner.paths[kind], !paths.isEmpty else { continue }
            let left = "$x.\(pick(paths))"
            if kind == .text {
                parts.append(textConditionOfMembers(left))
            } else if one(in: 3), kind == .number {
                parts.append("\(left) \(order()) SELF.\(pick(scope.paths[.number] ?? ["SELF"]))")
            } else {
                parts.append("\(left) \(order()) \(argument(constant(kind)))")
            }
        }
        if parts.isEmpty { parts = ["TRUEPREDICATE"] }
        let predicate = parts.map { one(in: 4) ? "NOT (\($0))" : "(\($0))" }
            .joined(separator: one(in: 2) ? " AND " : " OR ")
        return "SUBQUERY(\(path), $x, \(predicate)).@count \(order()) \(argument(NSNumber(value: pick(4))))"
    }

    private mutating func values(_ kind: Kind) -> String {
        let count = one(in: 10) ? 12 : pick(6)
        return argument((0..<count).map { _ in one(in: 9) ? NSNull() : constant(kind) ?? NSNull() })
    }

    private mutating func list(_ scope: Scope) -> String {
        let kind = pick(Kind.allCases.filter { has($0, scope) })
        if kind == .text {
            if one(in: 3) { return "\(value(kind, scope)) IN\(options()) \(values(kind))" }
            if one(in: 4) {
                return "\(value(kind, scope)) BETWEEN {\(argument(constant(kind))), \(argument(constant(kind)))}"
            }
        }
        if kind == .number, one(in: 3) {
            return "\(value(kind, scope)) \(pick(["IN", "BETWEEN"])) {\(value(kind, scope)), \(value(kind, scope))}"
        }
        if kind == .number || kind == .date, one(in: 3) {
            return "\(value(kind, scope)) BETWEEN {\(argument(constant(kind))), \(argument(constant(kind)))}"
        }
        return "\(value(kind, scope)) IN \(values(kind))"
    }

    private mutating func objects(_ scope: Scope) -> String {
        guard !scope.toOnes.isEmpty else {
            return "SELF == \(argument(GeneratedPredicate.Place(entity: scope.entity, number: pick(3))))"
        }
        let (path, entity) = pick(scope.toOnes)
        switch pick(5) {
        case 0: return "\(path) \(pick(["==", "!="])) nil"
        case 1:
            let (many, member) = pick(scope.toManys)
            return "\(argument(GeneratedPredicate.Place(entity: member, number: pick(3)))) IN \(many)"
        default:
            return
                "\(path) \(pick(["==", "!="])) "
                + argument(GeneratedPredicate.Place(entity: entity, number: pick(3)))
        }
    }

    private mutating func conditional(_ scope: Scope) -> String {
        looksInside = true
        let condition =
            one(in: 2)
            ? "\(value(.number, scope)) > \(argument(constant(.number)))" : textCondition(value(.text, scope))
        if one(in: 2) {
            let either = "TERNARY(\(condition), \(value(.text, scope)), \(argument(constant(.text))))"
            let other = one(in: 2) ? value(.text, scope) : argument(constant(.text))
            return "\(either) \(order())\(options()) \(other)"
        }
        return "TERNARY(\(condition), \(value(.number, scope)), \(value(.number, scope))) \(order()) "
            + argument(constant(.number))
    }

    /// Values of different kinds.
    private mutating func mixed(_ scope: Scope) -> String {
        mixesKinds = true
        let kinds = Kind.allCases.filter { has($0, scope) }
        let left = pick(kinds)
        switch pick(3) {
        case 0: return "\(value(left, scope)) \(order()) \(argument(constant(pick(Kind.allCases))))"
        case 1:
            let word = pick(["LIKE", "CONTAINS[c]", "BEGINSWITH"])
            return "\(value(left, scope)) \(word) \(argument(constant(.text)))"
        default: return "\(value(left, scope)) \(order()) \(value(pick(kinds), scope))"
        }
    }
}
#endif
