import CoreData
import Foundation
import Testing
import XCTest

/// A module writes these lines once when it names Foundation or XCTest beside CoreData, and uses these types.
private typealias NSExpression = CoreData.NSExpression
private typealias NSComparisonPredicate = CoreData.NSComparisonPredicate
private typealias NSCompoundPredicate = CoreData.NSCompoundPredicate

@Suite("A file that imports Foundation, XCTest and Testing beside CoreData")
struct ImportTests {
    private let stored: NSPredicate? = NSPredicate(format: "a == %@", "x")
    private let descriptors: [NSSortDescriptor] = [.init(key: "a", ascending: true)]

    private func identity(_ predicate: NSPredicate?) -> NSPredicate? { predicate }
    private func type(of expression: NSExpression) -> NSExpression.ExpressionType { expression.expressionType }

    @Test("Every type can be named in every position")
    func positions() {
        #expect(stored?.evaluate(with: ["a": "x"]) == true)
        #expect(identity(.init(format: "a == 1")) is NSComparisonPredicate)
        #expect(identity(NSPredicate(format: "a == 1 AND b == %d", argumentArray: [2])) is NSCompoundPredicate)
        let make: (String, [Any]?) -> NSPredicate = NSPredicate.init(format:argumentArray:)
        #expect(make("a == 1", nil) == NSPredicate(format: "a == 1"))
        let compound = NSCompoundPredicate(type: .and, subpredicates: [NSPredicate(value: true), make("a == 1", nil)])
        #expect(compound.predicateFormat == "TRUEPREDICATE AND a == 1")
        #expect(compound.subpredicates as? [NSPredicate] == [NSPredicate(value: true), make("a == 1", nil)])
        let comparison = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "a"), rightExpression: NSExpression(forConstantValue: 1),
            modifier: .direct, type: .equalTo, options: [])
        #expect(comparison == make("a == 1", nil))
        #expect(type(of: NSExpression(format: "a + 1")) == .function)
        #expect(descriptors.map(\.key) == ["a"] && descriptors.first?.key == "a")
        #expect(NSComparisonPredicate(format: "a == 1").leftExpression.keyPath == "a")
        #expect(NSCompoundPredicate(format: "a == 1 OR b == 1").compoundPredicateType == .or)
    }
}
