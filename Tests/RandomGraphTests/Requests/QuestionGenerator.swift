import TestSupport

/// Makes graphs and requests over the entities of `LibraryModel`.
struct QuestionGenerator {
    var random: SplitMix

    /// Whether dictionaries, and so aggregates over rows, groups and their conditions, are asked of stores without
    /// tables, and along to-many paths.
    static let asksAllAggregates = false

    static let texts = ["a", "A", "b", "ab", "aB", "ä", "xa", "x"]

    mutating func pick<Element>(_ list: [Element]) -> Element { list[Int(random.next() % UInt64(list.count))] }
    mutating func one(in count: Int) -> Bool { random.next() % UInt64(count) == 0 }

    // MARK: Graphs

    /// Where the labels of each entity begin.
    static let firstLabels = ["Tag": 1, "Shelf": 11, "Author": 21, "Book": 31]

    mutating func text() -> ModelValue { one(in: 4) ? .none : .text(pick(Self.texts)) }
    mutating func number() -> ModelValue { one(in: 4) ? .none : .number(pick([0, 1, 2, 3, 10, -7])) }
    mutating func date() -> ModelValue { one(in: 4) ? .none : .date(pick([0, 1000, 86_400])) }

    private mutating func insertion(_ entity: String, _ label: Int) -> ModelMove {
        var values: [String: ModelValue] = [:]
        switch entity {
        case "Tag", "Shelf": values["name"] = text()
        case "Author":
            values["name"] = .text(pick(Self.texts))
            values["active"] = one(in: 4) ? ModelValue.none : .number(pick([0, 1]))
            values["joined"] = date()
        default:
            (values["title"], values["note"], values["pages"]) = (text(), text(), number())
            values["copies"] = one(in: 4) ? ModelValue.none : .number(pick([0, 1, 2]))
            values["rating"] = one(in: 4) ? ModelValue.none : .number(pick([0, 0.5, 1.5, -2.25]))
            values["published"] = date()
            // It is there for a total order.
            values["isbn"] = .text("b\(label)")
            if entity == "Novel" { values["genre"] = text() }
        }
        return .insert(label, entity: entity, values: values)
    }

    private mutating func some(_ labels: [Int], oneIn count: Int) -> ModelValue {
        .list(labels.filter { _ in one(in: count) }.map { .object($0) })
    }

    /// The moves that fill a store.
    mutating func filling() -> [ModelMove] {
        var moves: [ModelMove] = []
        let (tags, shelves, authors, books) = (Array(1...4), [11, 12], Array(21...24), Array(31...46))
        for label in tags { moves.append(insertion("Tag", label)) }
        for label in shelves { moves.append(insertion("Shelf", label)) }
        for label in authors { moves.append(insertion("Author", label)) }
        for label in books {
            moves.append(insertion(label % 5 == 0 ? "Novel" : "Book", label))
            if !one(in: 4) { moves.append(.set(label, key: "author", .object(pick(authors)))) }
            if !one(in: 3) { moves.append(.set(label, key: "shelf", .object(pick(shelves)))) }
            moves.append(.set(label, key: "tags", some(tags, oneIn: 3)))
        }
        return moves
    }

    /// Unsaved changes of a graph; new objects have labels from the given one on.
    mutating func changes(of world: ModelWorld, newFrom first: Int) -> [ModelMove] {
        var world = world
        var moves: [ModelMove] = []
        for count in 0..<8 {
            let books = world.labels(of: "Book")
            let (authors, tags) = (world.labels(of: "Author"), world.labels(of: "Tag"))
            guard !books.isEmpty, !authors.isEmpty, !tags.isEmpty else { break }
            let move: ModelMove
            switch random.next() % 10 {
            case 0, 1: move = insertion(pick(["Book", "Novel", "Book"]), first + count)
            case 2: move = .delete(pick(books))
            case 3: move = one(in: 4) ? .delete(pick(authors)) : .delete(pick(tags))
            case 4: move = .set(pick(books), key: "title", text())
            case 5: move = .set(pick(books), key: "pages", number())
            case 6: move = .set(pick(books), key: "author", one(in: 4) ? .none : .object(pick(authors)))
            case 7: move = .set(pick(books), key: "tags", some(tags, oneIn: 2))
            case 8: move = .set(pick(authors), key: "joined", date())
            default: move = .set(pick(tags), key: "name", text())
            }
            if world.play(move) { moves.append(move) }
        }
        return moves
    }

    // MARK: Requests

    enum Kind { case text, number, date }

    private struct Scope {
        var entity: String
        var single: [(path: String, kind: Kind)]
        var many: [(path: String, kind: Kind)]
        var toOnes: [(path: String, entity: String)]
        var toManys: [(path: String, entity: String)]
    }

    private static let scopes = [
        Scope(
            entity: "Book",
            single: [
                ("title", .text), ("note", .text), ("pages", .number), ("copies", .number), ("rating", .number),
                ("published", .date), ("author.name", .text), ("author.active", .number), ("author.joined", .date),
                ("shelf.name", .text),
            ],
            many: [
                ("tags.name", .text), ("author.books.pages", .number), ("author.books.title", .text),
                ("shelf.items.published", .date), ("tags.books.copies", .number),
            ],
            toOnes: [("author", "Author"), ("shelf", "Shelf")],
            toManys: [("tags", "Tag"), ("author.books", "Book"), ("shelf.items", "Book")]),
        Scope(
            entity: "Author", single: [("name", .text), ("active", .number), ("joined", .date)],
            many: [
                ("books.title", .text), ("books.pages", .number), ("books.tags.name", .text),
                ("books.shelf.name", .text), ("books.published", .date),
            ], toOnes: [], toManys: [("books", "Book")]),
        Scope(
            entity: "Tag", single: [("name", .text)],
            many: [("books.title", .text), ("books.author.name", .text), ("books.rating", .number)], toOnes: [],
            toManys: [("books", "Book")]),
        Scope(
            entity: "Shelf", single: [("name", .text)], many: [("items.title", .text), ("items.pages", .number)],
            toOnes: [], toManys: [("items", "Book")]),
        Scope(
            entity: "Novel", single: [("title", .text), ("genre", .text), ("pages", .number), ("author.name", .text)],
            many: [("tags.name", .text)], toOnes: [("author", "Author")], toManys: [("tags", "Tag")]),
    ]

    private static func keys(_ path: String) -> [String] { path.split(separator: ".").map(String.init) }

    private mutating func constant(_ kind: Kind) -> ModelValue {
        switch kind {
        case .text: .text(pick(Self.texts))
        case .number: .number(pick([0, 1, 2, 3, 10, -7, 0.5, 1.5]))
        case .date: .date(pick([0, 1000, 86_400]))
        }
    }

    /// A request; with `isClean` of a context without unsaved changes.
    mutating func question(isClean: Bool, hasTables: Bool) -> Question {
        let scope = one(in: 3) ? pick(Self.scopes) : Self.scopes[0]
        var question = Question(entity: scope.entity)
        if !one(in: 8) { question.condition = condition(scope, depth: Int(random.next() % 3)) }
        if one(in: 6) { question.includesSubentities = false }
        if isClean, hasTables || Self.asksAllAggregates, one(in: 3) {
            addDictionaries(scope, to: &question)
            return question
        }
        question.result = pick([.objects, .objects, .ids, .count])
        if scope.entity == "Book" || scope.entity == "Novel", !one(in: 3) {
            for _ in 0..<(random.next() % 3) {
                // Through a relationship a changed object may be in one world and the one that names it in another.
                let (path, kind) = pick(scope.single.filter { isClean || !$0.path.contains(".") })
                question.order.append(
                    Order(path: Self.keys(path), isAscending: one(in: 2), ignoresCase: kind == .text && one(in: 3)))
            }
            question.order.append(Order(path: ["isbn"], isAscending: one(in: 2)))
            question.limit = pick([0, 0, 1, 3, 7])
            question.offset = pick([0, 0, 1, 4, 30])
        }
        if question.result == .objects {
            if one(in: 4) { question.batchSize = pick([1, 3, 100]) }
            question.returnsFaults = !one(in: 4)
            if one(in: 4) { question.prefetching = (scope.toOnes + scope.toManys).prefix(2).map(\.path) }
        }
        return question
    }

    private mutating func addDictionaries(_ scope: Scope, to question: inout Question) {
        question.result = .dictionaries
        let attributes = scope.single.filter { !$0.path.contains(".") }
        let numbers = attributes.filter { $0.kind == .number && $0.path != "active" }
        func column(_ function: Column.Function, _ key: String, _ number: Int) -> Column {
            Column(name: "c\(number)", function: function, key: key)
        }
        let isGrouped = one(in: 2)
        if isGrouped || one(in: 2) {
            let keys = isGrouped || !one(in: 2) ? attributes : scope.single
            for _ in 0...(random.next() % 2) {
                let (path, _) = pick(keys)
                if !question.plain.contains(path) { question.plain.append(path) }
            }
            question.order = question.plain.map { Order(path: [$0], isAscending: one(in: 2)) }
            question.isDistinct = !isGrouped && one(in: 2)
        }
        if isGrouped { question.groups = question.plain }
        if isGrouped || question.plain.isEmpty {
            for count in 1...Int(1 + random.next() % 2) {
                if Self.asksAllAggregates, one(in: 4) {
                    let (path, kind) = pick(scope.many)
                    question.columns.append(column(kind == .number ? pick([.sum, .max]) : .count, path, count))
                } else if !numbers.isEmpty, !one(in: 3) {
                    // The sum of nothing is 0.
                    let functions = Column.Function.allCases.filter { Self.asksAllAggregates || $0 != .sum }
                    question.columns.append(column(pick(functions), pick(numbers).path, count))
                } else {
                    question.columns.append(column(pick([.count, .min, .max]), pick(attributes).path, count))
                }
            }
        }
        if isGrouped, one(in: 2) {
            let count = Operand.groupAggregate(.count, pick(attributes).path)
            question.having = .comparison(
                .direct, count, pick([.greater, .less, .equal]), .exact, .constant(.number(1)))
        }
        if !question.plain.isEmpty { (question.limit, question.offset) = (pick([0, 0, 2, 5]), pick([0, 0, 1, 3])) }
        for place in question.order.indices { question.order[place].path = Self.keys(question.order[place].path[0]) }
    }

    // MARK: Conditions

    private mutating func condition(_ scope: Scope, depth: Int, inSubquery: Bool = false) -> Condition {
        if depth > 0 {
            switch random.next() % 4 {
            case 0: return .not(condition(scope, depth: depth - 1, inSubquery: inSubquery))
            case 1: return .and(parts(scope, depth, inSubquery))
            case 2: return .or(parts(scope, depth, inSubquery))
            default: break
            }
        }
        if one(in: 40) { return .constant(one(in: 2)) }
        let leaf = random.next() % 16
        if inSubquery || leaf < 8 { return single(scope, inSubquery) }
        switch leaf {
        case 8, 9:
            let (path, kind) = pick(scope.many)
            let modifier = pick([Condition.Modifier.any, .any, .all, .none])
            return comparison(.path(Self.keys(path)), kind, modifier)
        case 10:
            let (path, _) = pick(scope.toManys)
            return .comparison(
                .direct, .count(Self.keys(path)), pick([.equal, .notEqual, .less, .greaterOrEqual]), .exact,
                .constant(.number(pick([0, 1, 2, 3]))))
        case 11, 12: return subquery(scope)
        case 13: return objects(scope)
        case 14: return aggregate(scope)
        default: return single(scope, inSubquery)
        }
    }

    private mutating func parts(_ scope: Scope, _ depth: Int, _ inSubquery: Bool) -> [Condition] {
        let count = Int(2 + random.next() % 2)
        return (0..<count).map { _ in condition(scope, depth: depth - 1, inSubquery: inSubquery) }
    }

    private mutating func single(_ scope: Scope, _ inSubquery: Bool) -> Condition {
        let (path, kind) = pick(scope.single)
        var left = Operand.path(Self.keys(path), variable: inSubquery)
        if kind == .text, one(in: 10) { left = .uppercase(left) }
        let numbers = scope.single.filter { $0.kind == .number && !$0.path.hasSuffix("active") }
        if kind == .number, path != "author.active", path != "active", one(in: 5) {
            let other =
                one(in: 2)
                ? Operand.constant(constant(.number))
                : .path(Self.keys(pick(numbers).path), variable: inSubquery)
            left = .arithmetic(left, pick(Operand.Arithmetic.allCases), other)
        }
        if one(in: 6) {
            // Two values of the row; which of two missing ones is first is no question.
            let others = scope.single.filter { $0.kind == kind }
            let right = Operand.path(Self.keys(pick(others).path), variable: inSubquery)
            let relation = pick([Condition.Relation.equal, .notEqual, .less, .greater])
            let options: Condition.Options = kind == .text && one(in: 3) ? .c : .exact
            return .comparison(.direct, left, relation, options, right)
        }
        return comparison(left, kind, .direct)
    }

    private mutating func comparison(_ left: Operand, _ kind: Kind, _ modifier: Condition.Modifier) -> Condition {
        if one(in: 7) {
            return .comparison(modifier, left, pick([.equal, .notEqual]), .exact, .constant(.none))
        }
        let options: Condition.Options = kind == .text && one(in: 2) ? pick([.c, .d, .cd]) : .exact
        let relations: [Condition.Relation] =
            [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn, .between]
            + (kind == .text ? [.contains, .begins, .ends, .like, .matches, .contains, .begins] : [])
        let relation = pick(relations)
        switch relation {
        case .isIn:
            let list = (0..<Int(random.next() % 7)).map { _ in constant(kind) }
            return .comparison(modifier, left, .isIn, .exact, .constant(.list(list)))
        case .between:
            let bounds = [constant(kind), constant(kind)]
            return .comparison(modifier, left, .between, options, .constant(.list(bounds)))
        case .like:
            let pattern = pick(["a*", "?", "*b", "*", "a?", "x", "A*"])
            return .comparison(modifier, left, .like, options, .constant(.text(pattern)))
        case .matches:
            let pattern = pick(["a.*", "[ab]+", "", ".", "x|a"])
            return .comparison(modifier, left, .matches, options == .d ? .exact : options, .constant(.text(pattern)))
        default:
            return .comparison(modifier, left, relation, options, .constant(constant(kind)))
        }
    }

    private mutating func subquery(_ scope: Scope) -> Condition {
        let (path, entity) = pick(scope.toManys)
        guard let inner = Self.scopes.first(where: { $0.entity == entity }) else { return .constant(true) }
        let within = condition(inner, depth: Int(random.next() % 2), inSubquery: true)
        return .comparison(
            .direct, .subqueryCount(Self.keys(path), within), pick([.equal, .notEqual, .greater, .less]), .exact,
            .constant(.number(pick([0, 1, 2]))))
    }

    private mutating func aggregate(_ scope: Scope) -> Condition {
        guard let (path, _) = scope.toManys.first(where: { $0.entity == "Book" }) else { return subquery(scope) }
        let aggregate = pick(Operand.Aggregate.allCases)
        let left = Operand.aggregate(aggregate, Self.keys(path), of: pick(["pages", "copies", "rating"]))
        return comparison(left, .number, .direct)
    }

    private mutating func objects(_ scope: Scope) -> Condition {
        func members(_ entity: String) -> [ModelValue] {
            let first = Self.firstLabels[ModelWorld.root(entity)] ?? 0
            return (0..<(first == 11 ? 2 : 4)).map { .object(first + $0) }
        }
        let relation = pick([Condition.Relation.equal, .notEqual, .isIn])
        if one(in: 3) || scope.toOnes.isEmpty {
            if one(in: 2), let (path, entity) = scope.toManys.first(where: { !$0.path.contains(".") }) {
                let one = pick(members(entity))
                return .comparison(.direct, .path([path]), .contains, .exact, .constant(one))
            }
            let all = members(scope.entity)
            return .comparison(
                .direct, .itself, relation, .exact,
                .constant(relation == .isIn ? .list([pick(all), pick(all)]) : pick(all)))
        }
        let (path, entity) = pick(scope.toOnes)
        if one(in: 4) {
            return .comparison(.direct, .path([path]), pick([.equal, .notEqual]), .exact, .constant(.none))
        }
        let all = members(entity)
        return .comparison(
            .direct, .path([path]), relation, .exact,
            .constant(relation == .isIn ? .list([pick(all), pick(all)]) : pick(all)))
    }
}
