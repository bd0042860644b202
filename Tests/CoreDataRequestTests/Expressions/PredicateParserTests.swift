import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Parsing predicates")
struct PredicateParserTests {
    @Test(
        "An error says the place and the expected token",
        arguments: [
            ("", 0, "an expression is expected, not the end"),
            ("name", 4, "a comparison operator is expected, not the end"),
            ("name ==", 7, "an expression is expected, not the end"),
            ("name == 'x", 8, "a string begins that does not end"),
            ("name == 'x' foo", 12, "AND, OR or the end is expected, not \"foo\""),
            ("(a == 1", 7, ") is expected, not the end"),
            ("a == 1)", 6, "AND, OR or the end is expected, not \")\""),
            ("a IN {1, 2", 10, "a comma or } is expected, not the end"),
            ("a ==[x] 1", 5, "an option of c, d, n is expected, not \"x\""),
            ("a == ?", 5, "there is a character that means nothing: ?"),
            ("a == %@", 5, "a value is expected for \"%@\", but there are only 0 arguments"),
            ("a == %y", 5, "a type such as @, K, d or f is expected after %"),
            ("nosuch(a) == 1", 0, "there is no function nosuch of 1 arguments"),
            ("SUBQUERY(a, x, TRUEPREDICATE).@count > 0", 12, "a variable is expected, not \"x\""),
            ("AND a == 1", 0, "an expression is expected, not \"AND\""),
            ("a.@total > 1", 2, "there is no collection operator @total"),
            ("a == $", 6, "a variable's name is expected"),
        ])
    func errors(format: String, position: Int, problem: String) {
        #expect(throws: PredicateParseError(format: format, position: position, problem: problem)) {
            try NSPredicate.parse(format: format)
        }
    }

    @Test("The fetch refuses a wrong regular expression; making the predicate does not")
    func noRegularExpression() throws {
        let library = try Library()
        let context = library.context()
        let predicate = NSPredicate(format: "title MATCHES %@", "(")
        #expect("\(predicate)" == "title MATCHES \"(\"")
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = predicate
        let error = #expect(throws: NSError.self) { try context.performAndWait { try context.fetch(request) } }
        #expect(error?.code == NSCoreDataError)
        #expect(error?.localizedDescription.contains("Can't open pattern (()") == true)
    }

    @Test("A placeholder refuses a value that does not fit it")
    func wrongArguments() {
        #expect(throws: PredicateParseError.self) { try NSPredicate.parse(format: "a == %d", arguments: ["x"]) }
        #expect(throws: PredicateParseError.self) { try NSPredicate.parse(format: "%K == 1", arguments: [3]) }
    }

    @Test("Nesting and chains have a limit, so that a text cannot exhaust the stack")
    func limits() throws {
        let deep = String(repeating: "(", count: 5_000) + "a" + String(repeating: ")", count: 5_000) + " == 1"
        #expect(throws: PredicateParseError.self) { try NSPredicate.parse(format: deep) }
        let negated = String(repeating: "NOT ", count: 5_000) + "a == 1"
        #expect(throws: PredicateParseError.self) { try NSPredicate.parse(format: negated) }
        let chain = "a == 1" + String(repeating: " + 1", count: 5_000)
        #expect(throws: PredicateParseError.self) { try NSPredicate.parse(format: chain) }
        let indexes = "a" + String(repeating: "[0]", count: 5_000) + " == 1"
        #expect(throws: PredicateParseError.self) { try NSPredicate.parse(format: indexes) }
        let chains = (0..<90).reduce("a") { text, _ in "(\(text)\(String(repeating: " + 1", count: 400)))" } + " == 1"
        #expect(throws: PredicateParseError.self) { try NSPredicate.parse(format: chains) }
        let high = "a" + String(repeating: " + 1", count: 400) + " == 401"
        #expect(try NSPredicate.parse(format: high).evaluate(with: ["a": 1]))
        let long = Array(repeating: "a == 1", count: 5_000).joined(separator: " OR ")
        #expect(try NSPredicate.parse(format: long).evaluate(with: ["a": 1]))
        let nested = String(repeating: "(", count: 20) + "a" + String(repeating: ")", count: 20) + " == 1"
        #expect(try NSPredicate.parse(format: nested).printed == "a == 1")
    }

    @Test("Any text is either read or refused")
    func fuzz() {
        let words = [
            "a", "b.c", "(", ")", "{", "}", "[", "]", "==", "!=", "<", "AND", "OR", "NOT", "ANY", "IN", "'x'", "\"",
            "3",
            "1.5", "%@", "%K", "$v", "@count", ".", ",", "SUBQUERY(", "TRUEPREDICATE", "nil", "-", "**", "#size",
            "LIKE",
            "[cd]", "CAST(", "TERNARY(", "BETWEEN", ":", "sum", "é", "\\",
        ]
        var generator = SplitMix(state: 42)
        var accepted = 0
        for _ in 0..<20_000 {
            let count = Int.random(in: 1...9, using: &generator)
            let format = (0..<count).map { _ in words.randomElement(using: &generator) ?? "" }.joined(separator: " ")
            guard let predicate = try? NSPredicate.parse(format: format, arguments: ["k", 1, "k"]) else { continue }
            accepted += 1
            #expect((try? NSPredicate.parse(format: predicate.printed)) == predicate, "\(format)")
        }
        #expect(accepted > 100)
    }

    @Test("A random predicate prints to a text that reads as the same predicate")
    func roundTrip() throws {
        var builder = PredicateBuilder(generator: SplitMix(state: 7))
        for _ in 0..<3_000 {
            let predicate = builder.predicate(4)
            #expect(try NSPredicate.parse(format: predicate.printed) == asRead(predicate))
        }
    }

    /// The predicate as it is read: a list that begins with a list of its kind is one list.
    private func asRead(_ predicate: NSPredicate) -> NSPredicate {
        guard let compound = predicate as? NSCompoundPredicate else { return predicate }
        var parts = compound.parts.map(asRead)
        let type = compound.compoundPredicateType
        if type != .not, let first = parts[0] as? NSCompoundPredicate, first.compoundPredicateType == type {
            parts.replaceSubrange(0...0, with: first.parts)
        }
        return NSCompoundPredicate(type: type, subpredicates: parts)
    }

    @Test("A bad format string stops the process")
    func badFormat() async {
        let first = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "a ==")
        }
        #expect(first.said("a =="))
        let second = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSExpression(format: "1 +")
        }
        #expect(second.said("1 +"))
    }

    @Test("A number placeholder gives a number of its kind")
    func numbers() throws {
        let predicate = try NSPredicate.parse(
            format: "a IN {%d, %f, %u, %lld, %g, %i}",
            arguments: [3.7, 2, true, Int16(5), Float(0.5), NSNumber(value: 9)])
        #expect(predicate.printed == "a IN {3, 2, 1, 5, 0.5, 9}")
    }

    @Test("An expression given for %@ stays an expression")
    func expressionArgument() throws {
        let predicate = try NSPredicate.parse(format: "%@ == 1", arguments: [NSExpression(forKeyPath: "a.b")])
        #expect(predicate == NSPredicate(format: "a.b == 1"))
    }
}

/// Builds predicates of every shape that has a text of its own.
private struct PredicateBuilder {
    var generator: SplitMix

    private mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &generator)] }

    mutating func predicate(_ depth: Int) -> NSPredicate {
        switch depth > 0 ? Int.random(in: 0..<6, using: &generator) : 5 {
        case 0: NSCompoundPredicate(notPredicateWithSubpredicate: predicate(depth - 1))
        case 1: NSCompoundPredicate(andPredicateWithSubpredicates: [predicate(depth - 1), predicate(depth - 1)])
        case 2: NSCompoundPredicate(orPredicateWithSubpredicates: (0..<3).map { _ in predicate(depth - 1) })
        case 3: NSPredicate(format: pick(["TRUEPREDICATE", "FALSEPREDICATE"]))
        default: comparison(depth)
        }
    }

    private mutating func comparison(_ depth: Int) -> NSPredicate {
        let operators: [NSComparisonPredicate.Operator] = [
            .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo, .like,
            .beginsWith,
            .endsWith, .in, .contains, .between,
        ]
        return NSComparisonPredicate(
            leftExpression: expression(depth - 1), rightExpression: expression(depth - 1),
            modifier: pick([.direct, .any, .all]), type: pick(operators),
            options: NSComparisonPredicate.Options(rawValue: UInt.random(in: 0...7, using: &generator)))
    }

    private mutating func expression(_ depth: Int) -> NSExpression {
        switch depth > 0 ? Int.random(in: 0..<11, using: &generator) : Int.random(in: 0..<4, using: &generator) {
        case 0:
            return NSExpression(
                forConstantValue: pick(
                    [
                        1, -7, 2.5, "text", #"q"u\o'te"#, Date(timeIntervalSinceReferenceDate: 12.5), nil, true,
                    ] as [Any?]))
        case 1: return NSExpression(forKeyPath: pick(["a", "b.c", "size", "x.first.y", "items.@count", "größe"]))
        case 2: return NSExpression(forVariable: "v")
        case 3: return .expressionForEvaluatedObject()
        case 4: return NSExpression(forAggregate: [expression(depth - 1), expression(depth - 1)])
        case 5:
            return NSExpression(
                forSubquery: NSExpression(forKeyPath: "items"), usingIteratorVariable: "i", predicate: predicate(1))
        case 6:
            return NSExpression(
                forConditional: predicate(1), trueExpression: expression(0), falseExpression: expression(0))
        case 7: return NSExpression(forUnionSet: expression(depth - 1), with: expression(depth - 1))
        case 8:
            return NSExpression(forFunction: pick(["uppercase:", "sum:", "abs:"]), arguments: [expression(depth - 1)])
        default:
            let name = pick([
                "add:to:", "from:subtract:", "multiply:by:", "divide:by:", "raise:toPower:", "bitwiseAnd:with:",
            ])
            return NSExpression(forFunction: name, arguments: [expression(depth - 1), expression(depth - 1)])
        }
    }
}
