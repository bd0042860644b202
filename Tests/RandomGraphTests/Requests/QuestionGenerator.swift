import TestSupport

/// Makes requests over the entities of `QuestionModel`.
struct QuestionGenerator {
    typealias Kind = QuestionScope.Kind

    var random: SplitMix
    /// The labels of unsaved books that may stand in a predicate.
    var newBooks: [Int] = []

    init(random: SplitMix) { self.random = random }

    mutating func pick<Element>(_ list: [Element]) -> Element { list[Int(random.next() % UInt64(list.count))] }
    mutating func one(in count: Int) -> Bool { random.next() % UInt64(count) == 0 }
    mutating func number(below count: Int) -> Int { Int(random.next() % UInt64(count)) }

    // MARK: Requests

    /// A request; with `isClean` of a context without unsaved changes.
    mutating func question(isClean: Bool) -> Question {
        let scope = one(in: 3) ? pick(QuestionScope.all) : QuestionScope.all[0]
        var question = Question(entity: scope.entity)
        if !one(in: 8) { question.condition = condition(Place(scope), depth: number(below: 3)) }
        question.includesSubentities = !one(in: 6)
        question.spelling = pick([.usual, .usual, .signs, .arguments, .variables])
        question.refreshes = one(in: 6)
        if one(in: isClean ? 3 : 6) {
            addDictionaries(scope, to: &question)
            return question
        }
        question.result = pick([.objects, .objects, .objects, .ids, .count, .number])
        question.includesUnsaved = isClean || !one(in: 8)
        question.isDistinct = one(in: 10)
        if scope.entity == "Book" || scope.entity == "Novel", !one(in: 3) {
            addOrder(scope, to: &question, isClean: isClean)
        }
        if question.result == .objects { addReading(scope, to: &question) }
        return question
    }

    private mutating func addOrder(_ scope: QuestionScope, to question: inout Question, isClean: Bool) {
        for _ in 0..<number(below: 3) {
            // Through a relationship a changed object may be in one world and the one that names it in another.
            let path = pick(scope.single.filter { isClean || $0.isOwn || $0.keys[0] == QuestionModel.size })
            question.order.append(order(path.keys, path.kind))
        }
        question.order.append(Order(path: ["isbn"], isAscending: one(in: 2)))
        question.limit = pick([0, 0, 1, 3, 7])
        question.offset = pick([0, 0, 1, 4, 30])
    }

    private mutating func order(_ keys: [String], _ kind: Kind) -> Order {
        var order = Order(path: keys, isAscending: one(in: 2))
        if kind == .text, one(in: 2) { order.selector = pick(Order.Selector.allCases) }
        return order
    }

    private mutating func addReading(_ scope: QuestionScope, to question: inout Question) {
        if one(in: 4) { question.batchSize = pick([1, 3, 100]) }
        question.returnsFaults = !one(in: 4)
        question.includesValues = !one(in: 6)
        if one(in: 4) { question.prefetching = (scope.toOnes + scope.toManys).prefix(2).map(\.text) }
        question.readsValues = question.includesUnsaved && one(in: 2)
    }

    // MARK: Dictionaries

    private mutating func addDictionaries(_ scope: QuestionScope, to question: inout Question) {
        question.result = .dictionaries
        let own = scope.single.filter { $0.isOwn && ![.token(.data), .token(.uri)].contains($0.kind) }
        let isGrouped = one(in: 2)
        if isGrouped || one(in: 2) {
            let keys = one(in: 2) ? own : scope.single
            for _ in 0...number(below: 2) {
                let path = pick(keys)
                if question.plain.contains(path.text) { continue }
                question.plain.append(path.text)
                question.order.append(order([path.text], path.kind))
            }
            question.isDistinct = one(in: isGrouped ? 6 : 2)
        }
        if isGrouped { question.groups = question.plain }
        let isOfGroups = isGrouped || question.plain.isEmpty
        for place in 1...(1 + number(below: 3)) where isOfGroups || one(in: 2) {
            let column = isOfGroups ? groupColumn(scope, own, place) : valueColumn(scope, place)
            question.columns.append(column)
            if !question.plain.isEmpty {
                question.order.append(Order(path: [column.name], isAscending: one(in: 2)))
            }
        }
        if one(in: 25) { question.plain.append(isGrouped && one(in: 2) ? "isbn" : pick(scope.many).text) }
        if isOfGroups, one(in: isGrouped ? 2 : 5) { question.having = having(question, scope, own) }
        if !question.plain.isEmpty { (question.limit, question.offset) = (pick([0, 0, 2, 5]), pick([0, 0, 1, 3])) }
        // Texts that are one for a selector have no order among themselves, and every dictionary needs a place.
        question.order += question.order.filter { $0.selector != .compare }.map {
            Order(path: $0.path, isAscending: true)
        }
        // The name of a column may be a path.
        for place in question.order.indices {
            question.order[place].path = question.order[place].path[0].split(separator: ".").map(String.init)
        }
    }

    private mutating func groupColumn(_ scope: QuestionScope, _ own: [QuestionScope.Path], _ place: Int) -> Column {
        let (value, kind) = groupFunction(scope, own)
        return Column(name: "c\(place)", value: value, kind: kind)
    }

    /// A function of the rows of a group.
    private mutating func groupFunction(
        _ scope: QuestionScope, _ own: [QuestionScope.Path]
    ) -> (Operand, Column.Kind) {
        let numbers = own.filter(\.kind.isNumber)
        switch number(below: 8) {
        case 0: return (.groupAggregate(.count, pick([.itself(), .path(pick(scope.toManys).keys)])), .integer)
        case 1, 2:
            let path = pick(scope.many)
            return function(.path(path.keys), path.kind)
        case 3 where !numbers.isEmpty:
            let path = pick(numbers.filter { $0.kind == .whole || $0.kind == .real })
            let value = Operand.arithmetic(
                .path(path.keys), pick([.plus, .times]), .constant(.number(pick([2, 3, -1]))))
            return function(value, path.kind)
        case 4...6 where !numbers.isEmpty:
            let path = pick(numbers)
            return function(.path(path.keys), path.kind)
        default:
            let path = pick(own)
            return function(.path(path.keys), path.kind)
        }
    }

    private mutating func function(_ value: Operand, _ kind: Kind) -> (Operand, Column.Kind) {
        let function: Column.Function
        switch kind {
        case .whole, .real, .decimal: function = pick(Column.Function.allCases)
        case .text, .date: function = pick([.count, .min, .max])
        case .truth, .token: function = .count
        }
        let isDistinct = one(in: 5)
        let column = Operand.groupAggregate(function, value, isDistinct: isDistinct)
        switch (function, kind) {
        case (.count, _): return (column, .integer)
        case (.average, _): return (column, .real)
        case (_, .whole): return (column, .integer)
        case (_, .decimal): return (column, .decimal)
        case (_, .text): return (column, .text)
        case (_, .date): return (column, .date)
        default: return (column, .real)
        }
    }

    /// A column with a value of each row.
    private mutating func valueColumn(_ scope: QuestionScope, _ place: Int) -> Column {
        let name = "c\(place)"
        switch number(below: 5) {
        case 0: return Column(name: name, value: .count(pick(scope.toManys).keys), kind: .integer)
        case 1:
            let text = pick(scope.single.filter { $0.kind == .text })
            let function = pick([Operand.Function.uppercase, .lowercase, .length])
            return Column(
                name: name, value: .call(function, .path(text.keys)), kind: function == .length ? .integer : .text)
        case 2:
            let text = pick(scope.single.filter { $0.kind == .text })
            let test = condition(Place(scope), depth: 0, isPlain: true)
            return Column(
                name: name, value: .choice(test, .path(text.keys), .constant(.text("no"))), kind: .text)
        case 3:
            let members = pick(scope.toManys)
            let inner = condition(
                Place(QuestionScope.of(members.entity), within: Place(scope)), depth: 0, isPlain: true)
            return Column(name: name, value: .subqueryCount(members.keys, level: 0, inner), kind: .integer)
        default:
            guard let whole = scope.single.first(where: { $0.kind == .whole }) else {
                return Column(name: name, value: .count(scope.toManys[0].keys), kind: .integer)
            }
            return Column(
                name: name,
                value: .arithmetic(.path(whole.keys), pick([.plus, .minus, .times]), .constant(.number(3))),
                kind: .integer)
        }
    }

    private mutating func having(
        _ question: Question, _ scope: QuestionScope, _ own: [QuestionScope.Path]
    ) -> Condition {
        var parts: [Condition] = []
        for _ in 0...number(below: 2) {
            let left: Operand
            switch number(below: 3) {
            case 0: left = question.columns.first { $0.kind == .integer }.map { .path([$0.name]) } ?? count(own)
            case 1: left = count(own)
            default:
                let (value, kind) = groupFunction(scope, own)
                left = [.integer, .real, .decimal].contains(kind) ? value : count(own)
            }
            let relation = pick([Condition.Relation.greater, .less, .equal, .notEqual, .lessOrEqual])
            let part = Condition.comparison(.direct, left, relation, .exact, .constant(.number(pick([0, 1, 1, 2, 3]))))
            parts.append(one(in: 4) ? .not(part) : part)
        }
        if let key = question.groups.first, one(in: 4), let path = scope.single.first(where: { $0.text == key }) {
            parts.append(comparison(.path(path.keys), path.kind, .direct))
        }
        return parts.count == 1 ? parts[0] : one(in: 2) ? .and(parts) : .or(parts)
    }

    private mutating func count(_ own: [QuestionScope.Path]) -> Operand {
        .groupAggregate(.count, .path(pick(own).keys), isDistinct: one(in: 4))
    }
}
