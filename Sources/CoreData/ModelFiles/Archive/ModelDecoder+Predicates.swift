import Foundation

/// Predicates and expressions in the form in which Foundation archives them.
///
/// The field names of the classes that real models contain are verified on those models. Aggregates, sets, subqueries
/// and conditionals occur in none of the available files, so their names follow the pattern of the verified ones.
extension ModelDecoder {
    /// The greatest depth, more than that of any predicate in a real model.
    static let maximumDepth = 128

    func decodePredicate(_ archived: ArchivedObject, depth: Int = 0) throws -> NSPredicate {
        try archive.spend()
        guard depth < Self.maximumDepth else { throw archiveError("A predicate of the archive is nested too deeply.") }
        if archived.isKind(of: "NSComparisonPredicate") { return try decodeComparison(archived, depth: depth) }
        if archived.isKind(of: "NSTruePredicate") { return NSPredicate(value: true) }
        if archived.isKind(of: "NSFalsePredicate") { return NSPredicate(value: false) }
        guard archived.isKind(of: "NSCompoundPredicate") else {
            throw archiveError("The archive holds a predicate of the class '\(archived.className)'.")
        }
        let parts = try archived.elements("NSSubpredicates").compactMap { value in
            try archive.object(value).map { try decodePredicate($0, depth: depth + 1) }
        }
        let number = try archived.integer("NSCompoundPredicateType") ?? -1
        guard let type = UInt(exactly: number).flatMap({ NSCompoundPredicate.LogicalType(rawValue: $0) }),
            type != .not || parts.count == 1
        else { throw archiveError("The archive holds a damaged compound predicate.") }
        return NSCompoundPredicate(type: type, subpredicates: parts)
    }

    private func decodeComparison(_ archived: ArchivedObject, depth: Int) throws -> NSPredicate {
        guard let left = try archived.object("NSLeftExpression"), let right = try archived.object("NSRightExpression"),
            let sign = try archived.object("NSPredicateOperator")
        else { throw archiveError("The archive holds a comparison without sides.") }
        var number = try sign.integer("NSOperatorType") ?? -1
        if number == 4, try sign.flag("NSNegate") { number = 5 }
        let modifier = try sign.integer("NSModifier") ?? 0
        let options = try sign.integer("NSOptions") ?? sign.integer("NSFlags") ?? 0
        guard let type = UInt(exactly: number).flatMap({ NSComparisonPredicate.Operator(rawValue: $0) }),
            let modifier = UInt(exactly: modifier).flatMap({ NSComparisonPredicate.Modifier(rawValue: $0) })
        else {
            throw archiveError("The archive holds a comparison with the unknown operator \(number).")
        }
        return NSComparisonPredicate(
            leftExpression: try decodeExpression(left, depth: depth + 1),
            rightExpression: try decodeExpression(right, depth: depth + 1), modifier: modifier, type: type,
            options: NSComparisonPredicate.Options(rawValue: UInt(truncatingIfNeeded: options) & 7))
    }

    func decodeExpression(_ archived: ArchivedObject, depth: Int = 0) throws -> NSExpression {
        try archive.spend()
        guard depth < Self.maximumDepth else {
            throw archiveError("An expression of the archive is nested too deeply.")
        }
        func part(_ key: String) throws -> NSExpression {
            guard let object = try archived.object(key) else {
                throw archiveError("An expression of the class '\(archived.className)' has no \(key).")
            }
            return try decodeExpression(object, depth: depth + 1)
        }
        func parts(_ key: String) throws -> [NSExpression] {
            try archived.elements(key).compactMap { value in
                if case .dictionary(let fields)? = try archive.resolve(value), fields["NSExpressionType"] != nil,
                    let object = try archive.object(value)
                {
                    return try decodeExpression(object, depth: depth + 1)
                }
                return try NSExpression(forConstantValue: archive.value(value))
            }
        }
        switch archived.className {
        case "NSSelfExpression": return .expressionForEvaluatedObject()
        case "NSConstantValueExpression":
            // Functions of the library are archived as messages to a class, which is a constant of that name.
            if let name = try archived.string("NSConstantValueClassName"), archived.fields["NSConstantValue"] == nil {
                return NSExpression(forConstantValue: name)
            }
            return NSExpression(forConstantValue: try archive.value(archived.fields["NSConstantValue"]))
        case "NSVariableExpression", "NSVariableAssignmentExpression":
            return NSExpression(forVariable: try archived.string("NSVariable") ?? "")
        case "NSKeyPathSpecifierExpression":
            return NSExpression(forKeyPath: try archived.string("NSKeyPath") ?? "")
        case "NSKeyPathExpression": return try decodeKeyPath(archived, depth: depth)
        case "NSFunctionExpression": return try decodeFunction(archived, arguments: parts("NSArguments"), depth: depth)
        case "NSAggregateExpression": return NSExpression(forAggregate: try parts("NSCollection"))
        case "NSSetExpression":
            let (left, right) = (try part("NSLeftExpression"), try part("NSRightExpression"))
            switch try archived.integer("NSExpressionType") {
            case 5: return NSExpression(forUnionSet: left, with: right)
            case 6: return NSExpression(forIntersectSet: left, with: right)
            default: return NSExpression(forMinusSet: left, with: right)
            }
        case "NSSubqueryExpression":
            guard let predicate = try archived.object("NSPredicate"), let name = try archived.string("NSVariable")
            else {
                throw archiveError("The archive holds a subquery without predicate or variable.")
            }
            return NSExpression(
                forSubquery: try part("NSCollection"), usingIteratorVariable: name,
                predicate: try decodePredicate(predicate, depth: depth + 1))
        case "NSTernaryExpression":
            guard let predicate = try archived.object("NSPredicate") else {
                throw archiveError("The archive holds a conditional expression without a predicate.")
            }
            return NSExpression(
                forConditional: try decodePredicate(predicate, depth: depth + 1),
                trueExpression: try part("NSTrueExpression"), falseExpression: try part("NSFalseExpression"))
        case "NSFetchRequestExpression":
            return NSFetchRequestExpression.expression(
                forFetch: try part("NSFRExpression"), context: try part("NSMOCExpression"),
                countOnly: try archived.flag("NSCountOnlyFlag"))
        default:
            throw archiveError("The archive holds an expression of the class '\(archived.className)'.")
        }
    }

    /// A key path on self is archived as the message `valueForKey:` to self.
    private func decodeKeyPath(_ archived: ArchivedObject, depth: Int) throws -> NSExpression {
        guard let argument = try archived.elements("NSArguments").first, let path = try archive.object(argument),
            let text = try path.string("NSKeyPath") ?? archive.string(path.fields["NSConstantValue"])
        else { throw archiveError("The archive holds a key path expression without a key path.") }
        guard let operand = try archived.object("NSOperand"), operand.className != "NSSelfExpression" else {
            return NSExpression(forKeyPath: text)
        }
        let target = try decodeExpression(operand, depth: depth + 1)
        return NSExpression(payload: .keyPath(KeyValuePath(text), operand: target))
    }

    private func decodeFunction(
        _ archived: ArchivedObject, arguments: [NSExpression], depth: Int
    ) throws -> NSExpression {
        let name = try archived.string("NSSelectorName") ?? ""
        let operand = try archived.object("NSOperand")
        if try operand?.string("NSConstantValueClassName") == ExpressionFunction.library {
            guard let function = ExpressionFunction.named(name), function.accepts(arguments.count) else {
                throw archiveError("The archive holds a call of the unknown function '\(name)'.")
            }
            return NSExpression(forFunction: name, arguments: arguments)
        }
        guard let operand else { throw archiveError("The archive holds a call of '\(name)' on nothing.") }
        return NSExpression(
            forFunction: try decodeExpression(operand, depth: depth + 1), selectorName: name, arguments: arguments)
    }
}
