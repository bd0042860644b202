/// The graphs that a context sees one above the other: what the store has, and the unsaved changes of each context.
struct ModelLayers {
    /// The graph of the store, of its context with changes, and of that one's child.
    var worlds: [ModelWorld]
    /// What a missing value means in the store; unsaved objects are asked one by one.
    var storedMeaning: RequestJudge.Meaning

    /// The judge of an object: the uppermost context that has changed it; the store for the rest. Nil if it was
    /// deleted or is not there.
    private func judge(of label: Int) -> RequestJudge? {
        for place in worlds.indices.dropFirst().reversed() where worlds[place].touched.contains(label) {
            return worlds[place].objects[label] == nil
                ? nil : RequestJudge(world: worlds[place], meaning: .objects)
        }
        return worlds[0].objects[label] == nil ? nil : RequestJudge(world: worlds[0], meaning: storedMeaning)
    }

    // MARK: Objects

    /// The labels of the objects that a request finds, in order.
    func objects(_ question: Question) -> [Int] {
        let all = Set(worlds.flatMap { $0.objects.keys }).sorted()
        var found = all.filter { label in
            guard let judge = judge(of: label), let object = judge.world.objects[label] else { return false }
            let isOfEntity =
                object.entity == question.entity
                || question.includesSubentities && ModelWorld.root(object.entity) == question.entity
            return isOfEntity
                && question.condition.map { judge.answer($0, RequestJudge.Row(object: label)) == true } ?? true
        }
        let top = RequestJudge(world: worlds[worlds.count - 1], meaning: .objects)
        found = Self.sorted(found, question.order) { label, order in top.follow(order.path, label) }
        return Self.cut(found, question)
    }

    private static func sorted<Item>(
        _ items: [Item], _ order: [Order], _ value: (Item, Order) -> ModelValue
    ) -> [Item] {
        func key(_ item: Item, _ order: Order) -> ModelValue {
            let value = value(item, order)
            if order.ignoresCase, case .text(let text) = value { return .text(text.lowercased()) }
            return value
        }
        return items.sorted { left, right in
            for one in order {
                let (a, b) = (key(left, one), key(right, one))
                if a != b { return RequestJudge.isLess(a, b) == one.isAscending }
            }
            return false
        }
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
        let labels = saved.objects(plainQuestion)
        let judge = RequestJudge(world: worlds[0], meaning: storedMeaning)
        func path(_ key: String) -> [String] { key.split(separator: ".").map(String.init) }
        var groups: [[Int]] = []
        if question.groups.isEmpty {
            groups = question.columns.isEmpty ? labels.map { [$0] } : [labels]
        } else {
            var places: [[ModelValue]: Int] = [:]
            for label in labels {
                let key = question.groups.map { judge.follow(path($0), label) }
                if let place = places[key] {
                    groups[place].append(label)
                } else {
                    places[key] = groups.count
                    groups.append([label])
                }
            }
        }
        var rows: [[String: ModelValue]] = []
        for group in groups {
            var row: [String: ModelValue] = [:]
            for key in question.plain { row[key] = group.first.map { judge.follow(path(key), $0) } ?? ModelValue.none }
            for column in question.columns { row[column.name] = judge.column(column, group) }
            if let having = question.having {
                let asked = RequestJudge.Row(object: group.first ?? 0, group: group, columns: row)
                if judge.answer(having, asked) != true { continue }
            }
            if question.isDistinct, rows.contains(row) { continue }
            rows.append(row)
        }
        rows = Self.sorted(rows, question.order) { row, order in row[order.path.joined(separator: ".")] ?? .none }
        return Self.cut(rows, question)
    }
}
