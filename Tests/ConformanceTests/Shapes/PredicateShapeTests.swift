import CoreData
import XCTest

private class DoublingExpression: NSExpression {
    init() { super.init(expressionType: .function) }
    override func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
        ((object as? Int) ?? 0) * 2
    }
    override var expressionType: NSExpression.ExpressionType { super.expressionType }
}

private class NotedComparison: NSComparisonPredicate {
    override init(
        leftExpression lhs: NSExpression, rightExpression rhs: NSExpression,
        modifier: NSComparisonPredicate.Modifier, type: NSComparisonPredicate.Operator,
        options: NSComparisonPredicate.Options = []
    ) {
        super.init(leftExpression: lhs, rightExpression: rhs, modifier: modifier, type: type, options: options)
    }
    override var leftExpression: NSExpression { super.leftExpression }
    override var rightExpression: NSExpression { super.rightExpression }
    override var predicateOperatorType: NSComparisonPredicate.Operator { super.predicateOperatorType }
    override var comparisonPredicateModifier: NSComparisonPredicate.Modifier { super.comparisonPredicateModifier }
    override var options: NSComparisonPredicate.Options { super.options }
    override func evaluate(with object: Any?) -> Bool { super.evaluate(with: object) }
}

private protocol Deciding {
    func evaluate(with object: Any?) -> Bool
}

extension NSPredicate: Deciding {}

final class PredicateShapeTests: XCTestCase {
    private func count<Rule: Deciding>(_ values: [Int], where rule: Rule) -> Int {
        values.filter { rule.evaluate(with: $0) }.count
    }

    func testSubclassesAndGenerics() {
        XCTAssertEqual(DoublingExpression().expressionValue(with: 4, context: nil) as? Int, 8)
        let comparison = NotedComparison(
            leftExpression: .expressionForEvaluatedObject(), rightExpression: NSExpression(forConstantValue: 2),
            modifier: .direct, type: .greaterThan)
        XCTAssertEqual(count([1, 2, 3, 4], where: comparison), 2)
        let both: NSPredicate = NSCompoundPredicate(
            andPredicateWithSubpredicates: [comparison, NSPredicate(format: "SELF < 4")])
        XCTAssertEqual(count([1, 2, 3, 4], where: both), 1)
        XCTAssertEqual([1, 2, 3, 4].filter(both.evaluate(with:)), [3])
    }

    func testValues() {
        let constant: (Any?) -> NSExpression = NSExpression.init(forConstantValue:)
        let path: (String) -> NSExpression = NSExpression.init(forKeyPath:)
        let and: ([NSPredicate]) -> NSCompoundPredicate = NSCompoundPredicate.init(andPredicateWithSubpredicates:)
        let format: (String, [Any]?) -> NSPredicate = NSPredicate.init(format:argumentArray:)
        XCTAssertEqual(constant(1).description, "1")
        XCTAssertEqual(path("a.b").keyPath, "a.b")
        XCTAssertEqual(and([format("a == %@", [1])]).subpredicates.count, 1)
    }
}
