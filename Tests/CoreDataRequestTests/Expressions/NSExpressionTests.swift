import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Expressions")
struct NSExpressionTests {
    @Test("Every kind has its parts")
    func parts() {
        let path = NSExpression(forKeyPath: "a.b")
        #expect(path.expressionType == .keyPath)
        #expect(path.keyPath == "a.b")
        let constant = NSExpression(forConstantValue: 5)
        #expect(constant.expressionType == .constantValue)
        #expect(constant.constantValue as? Int == 5)
        #expect(constant.constantValue is NSNumber)
        #expect(NSExpression(forVariable: "x").variable == "x")
        #expect(NSExpression.expressionForEvaluatedObject().expressionType == .evaluatedObject)
        let function = NSExpression(forFunction: "sum:", arguments: [path])
        #expect(function.function == "sum:")
        #expect(function.arguments == [path])
        #expect(function.expressionType == .function)
        let aggregate = NSExpression(forAggregate: [constant, 3])
        #expect((aggregate.collection as? [NSExpression])?.count == 2)
        let subquery = NSExpression(
            forSubquery: path, usingIteratorVariable: "x", predicate: NSPredicate(format: "$x == 1"))
        #expect(subquery.variable == "x")
        #expect(subquery.collection as? NSExpression == path)
        #expect(subquery.predicate == NSPredicate(format: "$x == 1"))
        let union = NSExpression(forUnionSet: path, with: aggregate)
        #expect(union.left == path && union.right == aggregate && union.expressionType == .unionSet)
        let conditional = NSExpression(
            forConditional: NSPredicate(value: true), trueExpression: path, falseExpression: constant)
        #expect(conditional.true == path && conditional.false == constant)
        let onVariable = NSExpression(format: "$source.model")
        #expect(onVariable.expressionType == .function)
        #expect(onVariable.keyPath == "model" && onVariable.operand.variable == "source")
    }

    @Test("Raw values are Foundation's")
    func rawValues() {
        #expect(NSExpression.ExpressionType.subquery.rawValue == 13)
        #expect(NSExpression.ExpressionType.conditional.rawValue == 20)
        #expect(NSComparisonPredicate.Operator.in.rawValue == 10)
        #expect(NSComparisonPredicate.Operator.contains.rawValue == 99)
        #expect(NSCompoundPredicate.LogicalType.or.rawValue == 2)
    }

    @Test("Asking for a part that a kind does not have stops the process")
    func missingPart() async {
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSExpression(forConstantValue: 1).keyPath
        }
        #expect(end.said("keyPath is not defined for the expression"))
    }

    @Test("Equal expressions have equal hashes")
    func equality() {
        #expect(NSExpression(forConstantValue: 1) == NSExpression(forConstantValue: 1.0))
        #expect(NSExpression(forConstantValue: 1).hash == NSExpression(forConstantValue: 1.0).hash)
        #expect(NSExpression(forKeyPath: "a") != NSExpression(forKeyPath: "b"))
        #expect(NSExpression(format: "a + 1") == NSExpression(format: "a+1.0"))
        #expect(NSExpression(format: "a + 1").hash == NSExpression(format: "a+1.0").hash)
        #expect(NSExpression(forConstantValue: nil) == NSExpression(forConstantValue: NSNull()))
    }

    @Test("An expression is evaluated with an object and the values of variables")
    func evaluation() {
        let context: NSMutableDictionary = ["x": 3]
        #expect(NSExpression(format: "a * $x").expressionValue(with: ["a": 4], context: context) as? Int == 12)
        let block = NSExpression(
            forBlock: { object, arguments, _ in "\(object ?? "") \(arguments)" },
            arguments: [NSExpression(format: "1 + 1")])
        #expect(block.expressionValue(with: "o", context: nil) as? String == "o [2]")
        let filtered = NSExpression(format: "SUBQUERY(SELF, $i, $i > $x)")
        #expect(filtered.expressionValue(with: [1, 4, 5], context: context) as? [Int] == [4, 5])
    }

    @Test("A function of an object is asked of the object")
    func receiver() {
        final class Manager: ExpressionFunctionReceiver {
            func callExpressionFunction(_ name: String, arguments: [Any?]) -> Any?? {
                name == "join:with:" ? .some(arguments.map { "\($0 ?? "nil")" }.joined(separator: "+")) : .none
            }
        }
        let expression = NSExpression(format: "FUNCTION($manager, 'join:with:', %@, nil)", "a")
        #expect(expression.description == #"FUNCTION($manager, "join:with:" , "a" , nil)"#)
        let context: NSMutableDictionary = ["manager": Manager()]
        #expect(expression.expressionValue(with: nil, context: context) as? String == "a+nil")
    }

    @Test("Key paths that a predicate reads are found, through subqueries too")
    func keyPaths() {
        let predicate = NSPredicate(
            format: "a.b == 1 AND ANY c.d IN {e, 2} AND SUBQUERY(items, $i, $i.price > limit AND SUBQUERY($i.parts, $p,"
                + " $p.no == 1).@count > 0).@count > 0 AND TERNARY(f == 1, g, sum(h)) == $v")
        #expect(
            predicate.keyPaths == [
                "a.b", "c.d", "e", "items", "items.price", "limit", "items.parts", "items.parts.no",
                "items.parts.@count", "items.@count", "f", "g", "h",
            ])
    }

    @Test("Rewriting replaces parts and keeps the rest")
    func rewriting() {
        let predicate = NSPredicate(format: "a == 1 AND (b + a > 2 OR NOT c IN {a})")
        let rewritten = predicate.rewriting { expression in
            expression.expressionType == .keyPath && expression.keyPath == "a"
                ? NSExpression(forKeyPath: "x.a") : expression
        }
        #expect(rewritten.printed == "x.a == 1 AND (b + x.a > 2 OR (NOT c IN {x.a}))")
        let same = NSPredicate(format: "z == 1 OR y == 2")
        #expect(same.rewriting { $0 } === same)
    }

    @Test("Every predicate has its form")
    func forms() {
        guard case .comparison = NSPredicate(format: "a == 1").form else { return #expect(Bool(false), "comparison") }
        guard case .compound = NSPredicate(format: "NOT a == 1").form else { return #expect(Bool(false), "compound") }
        guard case .constant(true) = NSPredicate(value: true).form else { return #expect(Bool(false), "true") }
        guard case .constant(false) = NSPredicate(format: "FALSEPREDICATE").form else {
            return #expect(Bool(false), "false")
        }
        guard case .opaque = NSPredicate(block: { _, _ in true }).form else { return #expect(Bool(false), "block") }
    }

    @Test("Predicates are equal when they say the same, and never because Foundation's part is")
    func predicateEquality() {
        #expect(NSPredicate(format: "a == 1") == NSPredicate(format: "a==1"))
        #expect(NSPredicate(format: "a == 1") != NSPredicate(format: "a == 2"))
        #expect(NSPredicate(format: "a == 1").hash == NSPredicate(format: "a = 1").hash)
        let withConstant = NSCompoundPredicate(type: .and, subpredicates: [NSPredicate(value: true)])
        #expect(withConstant == NSCompoundPredicate(type: .and, subpredicates: [NSPredicate(format: "TRUEPREDICATE")]))
        #expect(
            withConstant.hash
                == NSCompoundPredicate(type: .and, subpredicates: [NSPredicate(format: "TRUEPREDICATE")]).hash)
        #expect(NSPredicate(value: true) == NSPredicate(format: "TRUEPREDICATE"))
        #expect(NSPredicate(format: "TRUEPREDICATE") == NSPredicate(value: true))
        #expect(NSPredicate(value: true) != NSPredicate(format: "a == 1"))
        #expect(NSPredicate(format: "a == 1") != NSPredicate(value: true))
        #expect(NSPredicate(format: "a == 1").copy() as? NSPredicate == NSPredicate(format: "a == 1"))
        #expect(NSCompoundPredicate(andPredicateWithSubpredicates: []).printed == "TRUEPREDICATE")
        #expect(NSCompoundPredicate(orPredicateWithSubpredicates: []).printed == "FALSEPREDICATE")
    }
}
