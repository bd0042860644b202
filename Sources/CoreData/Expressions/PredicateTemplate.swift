import Foundation

/// A format that was parsed, with the places of its arguments.
///
/// Programs make many predicates of few formats. Most formats are comparisons whose sides are a key, a constant or an
/// argument, joined by AND, OR and NOT. Predicates of such a format differ in nothing but the arguments, so a further
/// one is made without parsing.
struct PredicateTemplate {
    private indirect enum Part {
        case comparison(
            Side, Side, NSComparisonPredicate.Modifier, NSComparisonPredicate.Operator, NSComparisonPredicate.Options)
        case compound(NSCompoundPredicate.LogicalType, [Part])
        case constant(Bool)
    }

    private enum Side {
        /// An expression without arguments. It is immutable, so all predicates share it.
        case expression(NSExpression)
        /// The argument with a number, for a placeholder of a type.
        case argument(Int, Unicode.Scalar)
    }

    private let root: Part
    private let argumentCount: Int

    /// The deepest compound predicate of which a template is made.
    private static let highest = 32

    /// The template of a predicate that was parsed.
    ///
    /// - Parameters:
    ///   - predicate: The predicate.
    ///   - operands: The expression that the parser made of each argument, and the type of its placeholder. No other
    ///     predicate has one of these expressions.
    init?(_ predicate: NSPredicate, operands: [(expression: NSExpression, type: Unicode.Scalar)]) {
        var found = 0
        guard let root = Self.part(predicate, operands, &found), found == operands.count else { return nil }
        self.root = root
        argumentCount = operands.count
    }

    /// The predicate with other arguments. Nil if there are too few, or one does not fit its placeholder.
    func predicate(_ arguments: [Any?]) -> NSPredicate? {
        arguments.count < argumentCount ? nil : Self.predicate(root, arguments)
    }

    private static func part(
        _ predicate: NSPredicate, _ operands: [(expression: NSExpression, type: Unicode.Scalar)], _ found: inout Int
    ) -> Part? {
        // An argument within an expression is not found here, so the number of those that are found is too small.
        func side(_ expression: NSExpression) -> Side {
            guard let number = operands.firstIndex(where: { $0.expression === expression }) else {
                return .expression(expression)
            }
            found += 1
            return .argument(number, operands[number].type)
        }
        if type(of: predicate) == NSComparisonPredicate.self, let comparison = predicate as? NSComparisonPredicate {
            return .comparison(
                side(comparison.leftExpression), side(comparison.rightExpression),
                comparison.comparisonPredicateModifier, comparison.predicateOperatorType, comparison.options)
        }
        if type(of: predicate) == NSCompoundPredicate.self, let compound = predicate as? NSCompoundPredicate,
            compound.height <= highest
        {
            var parts: [Part] = []
            for child in compound.parts {
                guard let part = part(child, operands, &found) else { return nil }
                parts.append(part)
            }
            return .compound(compound.compoundPredicateType, parts)
        }
        return (predicate as? ConstantPredicate).map { .constant($0.value) }
    }

    private static func predicate(_ part: Part, _ arguments: [Any?]) -> NSPredicate? {
        switch part {
        case .comparison(let left, let right, let modifier, let type, let options):
            guard let left = expression(left, arguments), let right = expression(right, arguments) else { return nil }
            return NSComparisonPredicate(
                leftExpression: left, rightExpression: right, modifier: modifier, type: type, options: options)
        case .compound(let type, let parts):
            var made: [NSPredicate] = []
            made.reserveCapacity(parts.count)
            for part in parts {
                guard let part = predicate(part, arguments) else { return nil }
                made.append(part)
            }
            return NSCompoundPredicate(type: type, subpredicates: made)
        case .constant(let value):
            return ConstantPredicate(value)
        }
    }

    private static func expression(_ side: Side, _ arguments: [Any?]) -> NSExpression? {
        switch side {
        case .expression(let expression): expression
        case .argument(let number, let type): PredicateParser.operand(arguments[number], type)
        }
    }
}
