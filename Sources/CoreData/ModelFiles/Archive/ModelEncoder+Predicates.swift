import Foundation

/// Predicates and expressions in the form in which Foundation archives them; see `ModelDecoder+Predicates`.
extension ModelEncoder {
    mutating func add(predicate: NSPredicate) throws -> PropertyListValue {
        let levels = (predicate as? NSCompoundPredicate)?.height ?? 0
        if levels + predicate.expressionHeight < ModelDecoder.maximumDepth { return try add(parts: predicate) }
        // A chain of conditions joined two by two is one list.
        let flat = predicate.drawnTogether
        let depth = ((flat as? NSCompoundPredicate)?.height ?? 0) + flat.expressionHeight
        guard depth < ModelDecoder.maximumDepth else {
            throw NSError.coreData(
                NSCoreDataError,
                reason: "A predicate of \(depth) levels cannot be archived in a model: \(ModelDecoder.maximumDepth - 1)"
                    + " is the most.")
        }
        return try add(parts: flat)
    }

    private mutating func add(parts predicate: NSPredicate) throws -> PropertyListValue {
        switch predicate.form {
        case .comparison(let comparison):
            let left = try add(expression: comparison.leftExpression)
            let right = try add(expression: comparison.rightExpression)
            return writer.add(
                ["NSComparisonPredicate", "NSPredicate", "NSObject"],
                [
                    "NSLeftExpression": left, "NSRightExpression": right,
                    "NSPredicateOperator": addOperator(of: comparison),
                ])
        case .compound(let compound):
            var parts: [PropertyListValue] = []
            for part in compound.parts { parts.append(try add(parts: part)) }
            return writer.add(
                ["NSCompoundPredicate", "NSPredicate", "NSObject"],
                [
                    "NSCompoundPredicateType": .integer(Int64(compound.compoundPredicateType.rawValue)),
                    "NSSubpredicates": writer.add(array: parts),
                ])
        case .constant(let value):
            return writer.add([value ? "NSTruePredicate" : "NSFalsePredicate", "NSPredicate", "NSObject"], [:])
        case .opaque:
            throw NSError.coreData(
                NSCoreDataError, reason: "A block predicate cannot be archived in a model: \(predicate.printed)")
        }
    }

    private mutating func addOperator(of comparison: NSComparisonPredicate) -> PropertyListValue {
        var fields: [String: PropertyListValue] = [
            "NSModifier": .integer(Int64(comparison.comparisonPredicateModifier.rawValue)),
            "NSOperatorType": .integer(Int64(comparison.predicateOperatorType.rawValue)),
        ]
        let options = PropertyListValue.integer(Int64(comparison.options.rawValue))
        let name: String
        switch comparison.predicateOperatorType {
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            name = "NSComparisonPredicateOperator"
            fields["NSOptions"] = options
            fields["NSVariant"] = .integer(Int64(comparison.predicateOperatorType.rawValue))
        case .equalTo, .notEqualTo:
            name = "NSEqualityPredicateOperator"
            fields["NSOptions"] = options
            fields["NSNegate"] = .boolean(comparison.predicateOperatorType == .notEqualTo)
        case .in, .contains:
            name = "NSInPredicateOperator"
            fields["NSFlags"] = options
        case .matches:
            name = "NSMatchingPredicateOperator"
            fields["NSFlags"] = options
        case .like:
            name = "NSLikePredicateOperator"
            fields["NSFlags"] = options
        case .beginsWith, .endsWith:
            name = "NSSubstringPredicateOperator"
            fields["NSFlags"] = options
            fields["NSPosition"] = .integer(comparison.predicateOperatorType == .beginsWith ? 0 : 1)
        case .between:
            name = "NSBetweenPredicateOperator"
        }
        return writer.add([name, "NSPredicateOperator", "NSObject"], fields)
    }

    mutating func add(expression: NSExpression) throws -> PropertyListValue {
        func chain(_ name: String) -> [String] { [name, "NSExpression", "NSObject"] }
        func type(_ number: Int64) -> [String: PropertyListValue] { ["NSExpressionType": .integer(number)] }
        switch expression.payload {
        case .evaluatedObject: return writer.add(chain("NSSelfExpression"), type(1))
        case .constant(let value, _):
            var fields = type(0)
            fields["NSConstantValue"] = try writer.add(value: value)
            return writer.add(chain("NSConstantValueExpression"), fields)
        case .variable(let name):
            var fields = type(2)
            fields["NSVariable"] = writer.add(string: name)
            return writer.add(chain("NSVariableExpression"), fields)
        case .keyPath(let path, let operand): return try add(keyPath: path.text, on: operand)
        case .function(let name, let target, let arguments):
            var fields = type(4)
            fields["NSSelectorName"] = writer.add(string: name)
            if let target {
                fields["NSOperand"] = try add(expression: target)
            } else {
                var library = type(0)
                library["NSConstantValueClassName"] = writer.add(string: ExpressionFunction.library)
                fields["NSOperand"] = writer.add(chain("NSConstantValueExpression"), library)
            }
            fields["NSArguments"] = try add(expressions: arguments)
            return writer.add(chain("NSFunctionExpression"), fields)
        case .aggregate(let elements):
            var fields = type(14)
            fields["NSCollection"] = try add(expressions: elements)
            return writer.add(chain("NSAggregateExpression"), fields)
        case .set(let operation, let left, let right):
            var fields = type(Int64(operation.rawValue))
            fields["NSLeftExpression"] = try add(expression: left)
            fields["NSRightExpression"] = try add(expression: right)
            return writer.add(chain("NSSetExpression"), fields)
        case .subquery(let collection, variable: let name, let predicate):
            var fields = type(13)
            fields["NSCollection"] = try add(expression: collection)
            fields["NSVariable"] = writer.add(string: name)
            fields["NSPredicate"] = try add(predicate: predicate)
            return writer.add(chain("NSSubqueryExpression"), fields)
        case .conditional(let predicate, let yes, let no):
            var fields = type(20)
            fields["NSPredicate"] = try add(predicate: predicate)
            fields["NSTrueExpression"] = try add(expression: yes)
            fields["NSFalseExpression"] = try add(expression: no)
            return writer.add(chain("NSTernaryExpression"), fields)
        case .fetch(let request, let context, let countOnly):
            var fields = type(50)
            fields["NSFRExpression"] = try add(expression: request)
            fields["NSMOCExpression"] = try add(expression: context)
            fields["NSCountOnlyFlag"] = .boolean(countOnly)
            return writer.add(chain("NSFetchRequestExpression"), fields)
        case .anyKey, .block, .subclass:
            throw NSError.coreData(
                NSCoreDataError, reason: "This expression cannot be archived in a model: \(expression)")
        }
    }

    private mutating func add(expressions: [NSExpression]) throws -> PropertyListValue {
        var parts: [PropertyListValue] = []
        for expression in expressions { parts.append(try add(expression: expression)) }
        return writer.add(array: parts)
    }

    /// A key path is the message `valueForKeyPath:` to its operand, or `valueForKey:` if it is a key of self.
    private mutating func add(keyPath: String, on operand: NSExpression?) throws -> PropertyListValue {
        let specifier = writer.add(
            ["NSKeyPathSpecifierExpression", "NSExpression", "NSObject"],
            ["NSExpressionType": .integer(10), "NSKeyPath": writer.add(string: keyPath)])
        var fields: [String: PropertyListValue] = [:]
        fields["NSExpressionType"] = .integer(operand == nil ? 3 : 4)
        fields["NSOperand"] = try add(expression: operand ?? .expressionForEvaluatedObject())
        fields["NSSelectorName"] = writer.add(
            string: operand != nil || keyPath.contains(".") ? "valueForKeyPath:" : "valueForKey:")
        fields["NSArguments"] = writer.add(mutableArray: [specifier])
        return writer.add(["NSKeyPathExpression", "NSFunctionExpression", "NSExpression", "NSObject"], fields)
    }
}
