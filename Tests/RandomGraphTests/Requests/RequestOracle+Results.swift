/// The graphs that a context sees one above the other: what the store has, and the unsaved changes of each context.
struct ModelLayers {
    /// The graph of the store, of its context with changes, and of that one's child.
    var worlds: [ModelWorld]
    /// The meaning of a missing value in the store; unsaved objects are evaluated one by one.
    var storedMeaning: RequestOracle.Meaning

    /// The reference that evaluates an object: that of the uppermost context that has changed the object, or of the
    /// store for all remaining ones. Nil if the object was deleted or does not exist.
    private func oracle(of label: Int) -> RequestOracle? {
        for place in worlds.indices.dropFirst().reversed() where worlds[place].touched.contains(label) {
            return worlds[place].objects[label] == nil
                ? nil : RequestOracle(world: worlds[place], meaning: .objects)
        }
        return worlds[0].objects[label] == nil ? nil : RequestOracle(world: worlds[0], meaning: storedMeaning)
    }

    // MARK: Objects

    /// The labels of the objects that a request finds, in order.
    func objects(_ question: Question) -> [Int] {
        let all = Set(worlds.flatMap { $0.objects.keys }).sorted()
        let found = all.filter { label in
            guard let oracle = oracle(of: label), let object = oracle.world.objects[label] else { return false }
            let isOfEntity =
                object.entity == question.entity
                || question.includesSubentities && ModelWorld.root(object.entity) == question.entity
            return isOfEntity
                && question.condition.map { oracle.answer($0, RequestOracle.Row(object: label)) == true } ?? true
        }
        if question.order.isEmpty { return Self.cut(found, question) }
        let top = RequestOracle(world: worlds[worlds.count - 1], meaning: .objects)
        return Self.cut(Self.sorted(found, question.order) { label, order in top.follow(order.path, label) }, question)
    }

    /// - Parameter value: what an item is sorted by.
    private static func sorted<Item>(
        _ items: [Item], _ order: [Order], _ value: (Item, Order) -> ModelValue
    ) -> [Item] {
        let keyed = items.map { item in (item, order.map { $0.selector.key(value(item, $0)) }) }
        return keyed.sorted { left, right in
            for (place, one) in order.enumerated() where left.1[place] != right.1[place] {
                return RequestOracle.isLess(left.1[place], right.1[place]) == one.isAscending
            }
            return false
        }.map(\.0)
    }

    private static func cut<Item>(_ items: [Item], _ question: Question) -> [Item] {
        let rest = items.dropFirst(question.offset)
        return Array(question.limit > 0 ? rest.prefix(question.limit) : rest)
    }

    // MARK: Dictionaries

    /// The dictionaries that a request finds, which are always of saved values.
    func dictionaries(_ question: Question) -> [[String: ModelValue]] {
        var plainQuestion = question
        (plainQuestion.order, plainQuestion.limit, plainQuestion.offset) = ([], 0, 0)
        let saved = ModelLayers(worlds: [worlds[0]], storedMeaning: storedMeaning)
        let oracle = RequestOracle(world: worlds[0], meaning: storedMeaning)
        let functions = question.columns.flatMap(\.value.groupAggregates) + (question.having?.groupAggregates ?? [])
        let isOfGroups = !functions.isEmpty || !question.groups.isEmpty || question.having != nil
        var rows: [[String: ModelValue]] = []
        for group in groups(saved.objects(plainQuestion), question, oracle, isOfGroups) {
            var asked = RequestOracle.Row(object: group.first)
            asked.group = oracle.joined(group, for: functions)
            var row: [String: ModelValue] = [:]
            for key in question.plain { row[key] = oracle.follow(Self.path(key), group.first) }
            for column in question.columns { row[column.name] = oracle.value(column.value, asked) }
            asked.columns = row
            if let having = question.having, oracle.answer(having, asked) != true { continue }
            if question.isDistinct, rows.contains(row) { continue }
            rows.append(row)
        }
        rows = Self.sorted(rows, question.order) { row, order in row[order.path.joined(separator: ".")] ?? .none }
        return Self.cut(rows, question)
    }

    private static func path(_ key: String) -> [String] { key.split(separator: ".").map(String.init) }

    /// The objects that make one dictionary each.
    private func groups(
        _ labels: [Int], _ question: Question, _ oracle: RequestOracle, _ isOfGroups: Bool
    ) -> [[Int]] {
        if !isOfGroups { return labels.map { [$0] } }
        if question.groups.isEmpty { return [labels] }
        var places: [[ModelValue]: Int] = [:]
        var groups: [[Int]] = []
        for label in labels {
            let key = question.groups.map { oracle.follow(Self.path($0), label) }
            if let place = places[key] {
                groups[place].append(label)
            } else {
                places[key] = groups.count
                groups.append([label])
            }
        }
        return groups
    }
}

extension Order.Selector {
    /// The texts of the test in a dictionary's order.
    private static let inLocale = ["", "a", "A", "ä", "Ä", "ab", "aB", "AB", "b", "x", "xa"]
    /// The texts in that order, where texts that differ in case are one.
    private static let withoutCase = inLocale.map { $0.lowercased() }

    /// What is compared in the place of a value.
    fileprivate func key(_ value: ModelValue) -> ModelValue {
        guard case .text(let text) = value else { return value }
        switch self {
        case .compare: return value
        case .caseInsensitive: return .text(text.lowercased())
        case .localized, .localizedStandard: return .number(Double(Self.inLocale.firstIndex(of: text) ?? -1))
        case .localizedCaseInsensitive:
            return .number(Double(Self.withoutCase.firstIndex(of: text.lowercased()) ?? -1))
        }
    }
}
