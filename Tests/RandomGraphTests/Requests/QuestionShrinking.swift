import TestSupport

/// A request that may fail, with all that it needs.
struct QuestionTrial {
    var graph: QuestionGraph
    var question: Question
    var place: QuestionPlace
    var kind: StoreKind

    /// What is wrong, or nil.
    func failure() -> String? {
        guard let fixture = try? QuestionFixture(graph, kind), fixture.knows(question) else { return nil }
        let (found, expected) = (fixture.found(question, place), fixture.expected(question, place))
        return found == expected ? nil : "found \(found), and not \(expected)"
    }

    // MARK: Shrinking

    /// The least trial that still fails.
    func shrunk() -> QuestionTrial {
        var trial = self
        var isSmaller = true
        var tries = 0
        while isSmaller, tries < 400 {
            isSmaller = false
            for candidate in trial.smaller where tries < 400 {
                tries += 1
                if candidate.failure() != nil {
                    trial = candidate
                    isSmaller = true
                    break
                }
            }
        }
        return trial
    }

    private var smaller: [QuestionTrial] {
        var result = question.smaller.map { question in
            var trial = self
            trial.question = question
            return trial
        }
        if place != .clean {
            var trial = self
            trial.place = QuestionPlace(rawValue: place.rawValue - 1) ?? .clean
            result.append(trial)
        }
        for path in [\QuestionGraph.saved, \.changed, \.changedInChild] {
            let count = graph[keyPath: path].count
            for size in Set([count, count / 2, count / 4, 1]).sorted(by: >) where size > 0 {
                for start in stride(from: 0, to: count, by: size).reversed() {
                    var trial = self
                    trial.graph[keyPath: path].removeSubrange(start..<min(count, start + size))
                    result.append(trial)
                }
            }
        }
        return result
    }

    // MARK: Printing

    /// The trial as a test.
    var source: String {
        var lines = [
            "let library = try Library(.\(kind), model: QuestionModel.make())", "let context = library.context()",
            "try context.performAndWait {",
        ]
        lines += graph.saved.map { "    " + $0.source(in: "context") } + ["    try context.save()"]
        if place != .clean { lines += graph.changed.map { "    " + $0.source(in: "context") } }
        var indentation = "    "
        if place == .child {
            lines += ["    let child = library.child(of: context)", "    try child.performAndWait {"]
            lines += graph.changedInChild.map { "        " + $0.source(in: "child") }
            indentation += "    "
        }
        lines += question.source.map { indentation + $0 }
        let asked = place == .child ? "child" : "context"
        let call = question.result == .count ? "count(for: request)" : "fetch(request)"
        lines.append("\(indentation)print(try \(asked).\(call))")
        if place == .child { lines.append("    }") }
        return (lines + ["}"]).joined(separator: "\n")
    }
}

extension Question {
    /// Requests that have a little less in them.
    fileprivate var smaller: [Question] {
        func with(_ change: (inout Question) -> Void) -> Question {
            var question = self
            change(&question)
            return question
        }
        var result: [Question] = []
        if let condition {
            result.append(with { $0.condition = nil })
            result += condition.smaller.map { part in with { $0.condition = part } }
        }
        if having != nil { result.append(with { $0.having = nil }) }
        if having != nil { result += having?.smaller.map { part in with { $0.having = part } } ?? [] }
        if limit > 0 { result.append(with { $0.limit = 0 }) }
        if offset > 0 { result.append(with { $0.offset = 0 }) }
        if batchSize > 0 { result.append(with { $0.batchSize = 0 }) }
        if !returnsFaults { result.append(with { $0.returnsFaults = true }) }
        if !includesValues { result.append(with { $0.includesValues = true }) }
        if !includesUnsaved { result.append(with { $0.includesUnsaved = true }) }
        if !prefetching.isEmpty { result.append(with { $0.prefetching = [] }) }
        if !includesSubentities { result.append(with { $0.includesSubentities = true }) }
        if isDistinct { result.append(with { $0.isDistinct = false }) }
        if readsValues { result.append(with { $0.readsValues = false }) }
        if refreshes { result.append(with { $0.refreshes = false }) }
        if spelling != .usual { result.append(with { $0.spelling = .usual }) }
        // Equal values have no order: the last one stays as long as there is one.
        if limit == 0, offset == 0, !order.isEmpty { result.append(with { $0.order = [] }) }
        if self.result != .dictionaries {
            for place in order.indices.dropLast() { result.append(with { $0.order.remove(at: place) }) }
        }
        for place in columns.indices where columns.count > 1 {
            let name = columns[place].name
            result.append(
                with {
                    $0.columns.remove(at: place)
                    $0.order.removeAll { $0.path == [name] }
                    $0.having = nil
                })
        }
        return result
    }
}

extension Condition {
    fileprivate var smaller: [Condition] {
        switch self {
        case .and(let parts):
            return parts + Self.shorter(parts).map { .and($0) } + Self.simpler(parts).map { .and($0) }
        case .or(let parts):
            return parts + Self.shorter(parts).map { .or($0) } + Self.simpler(parts).map { .or($0) }
        case .not(let part): return [part] + part.smaller.map { .not($0) }
        case .comparison(let modifier, let left, let relation, let options, let right):
            var result = left.smaller.map { Condition.comparison(modifier, $0, relation, options, right) }
            result += right.smaller.map { .comparison(modifier, left, relation, options, $0) }
            if options != .exact { result.append(.comparison(modifier, left, relation, .exact, right)) }
            return result
        case .constant: return []
        }
    }

    private static func shorter(_ parts: [Condition]) -> [[Condition]] {
        guard parts.count > 2 else { return [] }
        return parts.indices.map { place in
            var parts = parts
            parts.remove(at: place)
            return parts
        }
    }

    private static func simpler(_ parts: [Condition]) -> [[Condition]] {
        parts.indices.flatMap { place in
            parts[place].smaller.map { part in
                var parts = parts
                parts[place] = part
                return parts
            }
        }
    }
}

extension Operand {
    fileprivate var smaller: [Operand] {
        switch self {
        case .subquery(let path, let base, let level, let inner):
            return inner.smaller.map { .subquery(path, of: base, level: level, $0) }
        case .subqueryCount(let path, let base, let level, let inner):
            return inner.smaller.map { .subqueryCount(path, of: base, level: level, $0) }
        case .arithmetic(let left, _, _): return [left]
        case .call(_, let inner): return [inner]
        case .choice(let condition, let yes, let no):
            return condition.smaller.map { .choice($0, yes, no) }
        case .elements(let list) where list.count > 2:
            return list.indices.map { place in
                var list = list
                list.remove(at: place)
                return .elements(list)
            }
        case .constant(.list(let list)) where list.count > 2:
            let half = list.count / 2
            return [.constant(.list(Array(list[..<half]))), .constant(.list(Array(list[half...])))]
        default: return []
        }
    }
}
