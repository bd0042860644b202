// Implementation notes: Expressions/Predicates.
//
// - `#Predicate` is a tree of generic structures. An extension of each structure translates it to a predicate or an
//   expression.

import Foundation

extension NSPredicateFormatting where Self: Foundation.NSPredicate {
    /// Creates a predicate for a fetch from a `#Predicate`.
    ///
    /// The key paths in it have to lead to modelled properties (`AnyKeyPath.managedKeyPath`), and may go through
    /// optional relationships. The result is nil if the predicate has no translation. Properties of other types, casts,
    /// and a program's own functions have none.
    ///
    /// - Parameter predicate: The predicate of Swift.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nspredicate)
    public init?<Input: NSObject>(_ predicate: Predicate<Input>) {
        var translator = PredicateTranslator()
        translator.bind(predicate.variable, to: .expressionForEvaluatedObject())
        guard let translated = try? translator.condition(predicate.expression) as? Self else { return nil }
        self = translated
    }
}

extension NSExpression {
    /// Creates an expression from an `#Expression`. The result is nil if the expression has no translation.
    ///
    /// - Parameter expression: The expression of Swift.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression)
    public convenience init?<Input: NSObject, Output>(_ expression: Expression<Input, Output>) {
        var translator = PredicateTranslator()
        translator.bind(expression.variable, to: .expressionForEvaluatedObject())
        guard let translated = try? translator.value(expression.expression) else { return nil }
        self.init(payload: translated.payload)
    }
}

/// A part of a `#Predicate` that has a translation.
protocol PredicateTranslatable {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart
    /// The parts of which this part is made.
    var operands: [Any] { get }
}

/// The translation of a part of a `#Predicate`.
enum TranslatedPart {
    /// A part with a value.
    case value(NSExpression)
    /// A Boolean.
    case condition(NSPredicate)
    /// An optional Boolean, which holds only if it has a value.
    case optionalCondition(NSPredicate, isThere: NSPredicate)
    /// The outcome of comparing two strings. For a comparison by locale only equality can be translated.
    case order(NSExpression, NSExpression, NSComparisonPredicate.Options, isLocalized: Bool)
    /// A range, open where a bound is missing.
    case range(NSExpression?, NSExpression?, includesUpper: Bool)
}

/// The error of a part that has no translation.
struct Untranslatable: Error {
    /// The type of the part; nil until the translator knows it.
    var node: (any Any.Type)?
}

/// The error of a predicate whose parts are nested so deeply that its evaluation could overflow the stack.
package struct PredicateTooDeep: Error {
    /// The greatest number of levels.
    package static let limit = 500
}

/// Translates the tree of a `#Predicate` to expressions and predicates.
struct PredicateTranslator {
    private var variables: [PredicateExpressions.VariableID: NSExpression] = [:]
    private var iterators = 0
    private var level = 0

    // MARK: Variables

    mutating func bind<Output>(_ variable: PredicateExpressions.Variable<Output>, to expression: NSExpression) {
        variables[variable.key] = expression
    }

    mutating func bind<Output>(_ variable: PredicateExpressions.Variable<Output>, toValueOf part: Any) throws {
        bind(variable, to: try value(part))
    }

    func expression<Output>(of variable: PredicateExpressions.Variable<Output>) throws -> NSExpression {
        guard let expression = variables[variable.key] else { throw Untranslatable() }
        return expression
    }

    /// The members of a collection for which a test holds: a subquery.
    mutating func subquery<Element>(
        _ collection: Any, _ variable: PredicateExpressions.Variable<Element>, _ test: Any, negated: Bool = false
    ) throws -> NSExpression {
        let collection = try value(collection)
        if case .subquery(let all, let name, let outer) = collection.payload {
            // A store has no subquery of a subquery.
            let condition = try self.condition(test, on: variable, named: name)
            return NSExpression(
                forSubquery: all, usingIteratorVariable: name,
                predicate: Self.both(outer, negated ? Self.not(condition) : condition))
        }
        iterators += 1
        let name = "_local_\(iterators)"
        let condition = try self.condition(test, on: variable, named: name)
        return NSExpression(
            forSubquery: collection, usingIteratorVariable: name,
            predicate: negated ? NSCompoundPredicate(notPredicateWithSubpredicate: condition) : condition)
    }

    private mutating func condition<Element>(
        _ test: Any, on variable: PredicateExpressions.Variable<Element>, named name: String
    ) throws -> NSPredicate {
        bind(variable, to: NSExpression(forVariable: name))
        return try condition(test)
    }

    // MARK: Parts

    mutating func part(_ part: Any) throws -> TranslatedPart {
        guard let translatable = part as? any PredicateTranslatable else {
            throw Untranslatable(node: type(of: part))
        }
        level += 1
        defer { level -= 1 }
        if level > PredicateTooDeep.limit { throw PredicateTooDeep() }
        do {
            return try translatable.translated(by: &self)
        } catch let error as Untranslatable where error.node == nil {
            throw Untranslatable(node: type(of: part))
        }
    }

    /// Whether a part, with the predicates that it evaluates, has more levels than the limit.
    static func isTooDeep(_ part: Any) -> Bool {
        var waiting = [(part, 1)]
        while let (part, level) = waiting.popLast() {
            if level > PredicateTooDeep.limit { return true }
            guard let part = part as? any PredicateTranslatable else { continue }
            for operand in part.operands { waiting.append((operand, level + 1)) }
        }
        return false
    }

    /// Translates a part as a value.
    mutating func value(_ part: Any) throws -> NSExpression {
        switch try self.part(part) {
        case .value(let expression): return expression
        case .condition(let condition): return Self.value(of: condition)
        case .optionalCondition(let condition, let isThere):
            return NSExpression(
                forConditional: isThere, trueExpression: Self.value(of: condition),
                falseExpression: NSExpression(forConstantValue: nil))
        case .order, .range: throw Untranslatable()
        }
    }

    /// Translates a part as a condition.
    mutating func condition(_ part: Any) throws -> NSPredicate {
        switch try self.part(part) {
        case .condition(let condition), .optionalCondition(let condition, _): return condition
        case .value(let expression): return Self.condition(of: expression)
        case .order, .range: throw Untranslatable()
        }
    }

    static func value(of condition: NSPredicate) -> NSExpression {
        NSExpression(
            forConditional: condition, trueExpression: NSExpression(forConstantValue: true),
            falseExpression: NSExpression(forConstantValue: false))
    }

    static func condition(of expression: NSExpression) -> NSPredicate {
        if case .constant(let value, _) = expression.payload, let value = value as? Bool {
            return ConstantPredicate(value)
        }
        return comparison(expression, .equalTo, NSExpression(forConstantValue: true))
    }

    static func comparison(
        _ left: NSExpression, _ type: NSComparisonPredicate.Operator, _ right: NSExpression,
        options: NSComparisonPredicate.Options = []
    ) -> NSComparisonPredicate {
        NSComparisonPredicate(
            leftExpression: left, rightExpression: right, modifier: .direct, type: type, options: options)
    }

    static func isThere(_ expression: NSExpression) -> NSPredicate {
        comparison(expression, .notEqualTo, NSExpression(forConstantValue: nil))
    }

    /// Whether a value is there: for a value with several parts, whether one of them is.
    static func isThere(_ expression: NSExpression, of type: any Any.Type) throws -> NSPredicate {
        guard let parts = PredicateExtension.current?.parts(of: type) else { return isThere(expression) }
        let conditions = try parts.map { isThere(try Self.part($0, of: expression)) }
        return NSCompoundPredicate(orPredicateWithSubpredicates: conditions)
    }

    /// A part of a value that a store keeps in several places.
    static func part(_ key: String, of whole: NSExpression) throws -> NSExpression {
        guard case .keyPath = whole.payload else { throw Untranslatable() }
        return path(key, from: whole)
    }

    /// Throws for a type whose values a store keeps in several places: no expression has such a value.
    static func requireOnePart(_ type: any Any.Type) throws {
        if PredicateExtension.current?.parts(of: type) != nil { throw Untranslatable() }
    }

    /// Throws for a type that a store sorts in another way than the program.
    static func requireOrder(_ type: any Any.Type) throws {
        if PredicateConstant.isPlain(type) { return }
        if PredicateExtension.current?.hasOrderOfStore(type) == false { throw Untranslatable() }
    }

    /// Throws for a type with which a store calculates in another way than the program.
    static func requireArithmetic(_ type: any Any.Type) throws {
        if PredicateConstant.isPlain(type) { return }
        if PredicateExtension.current?.hasArithmeticOfStore(type) == false { throw Untranslatable() }
    }

    static func both(_ left: NSPredicate, _ right: NSPredicate) -> NSPredicate {
        NSCompoundPredicate(andPredicateWithSubpredicates: [left, right])
    }

    static func not(_ condition: NSPredicate) -> NSPredicate {
        if case .constant(let value) = condition.form { return ConstantPredicate(!value) }
        return NSCompoundPredicate(notPredicateWithSubpredicate: condition)
    }

    static func number(_ comparison: NSComparisonPredicate.Operator, _ expression: NSExpression) -> NSPredicate {
        Self.comparison(expression, comparison, NSExpression(forConstantValue: 0))
    }

    /// The number of members of a collection, or of characters of a string.
    static func count(of expression: NSExpression, isText: Bool) -> NSExpression {
        isText ? function("length:", expression) : path("@count", from: expression)
    }

    static func function(_ name: String, _ arguments: NSExpression...) -> NSExpression {
        NSExpression(forFunction: name, arguments: arguments)
    }

    /// A key path that continues from the value of an expression.
    static func path(_ keys: String, from root: NSExpression) -> NSExpression {
        switch root.payload {
        case .evaluatedObject: NSExpression(forKeyPath: keys)
        case .keyPath(let path, let operand):
            NSExpression(payload: .keyPath(KeyValuePath(path.text + "." + keys), operand: operand))
        default: NSExpression(payload: .keyPath(KeyValuePath(keys), operand: root))
        }
    }
}
