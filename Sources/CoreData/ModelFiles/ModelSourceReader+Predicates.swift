import Foundation

/// The predicates and expressions of an XML source.
extension ModelSourceReader {
    /// A format string of the source as a predicate.
    func predicate(_ format: String, at source: XMLTreeElement) throws -> NSPredicate {
        do {
            return try NSPredicate.parse(format: format)
        } catch {
            throw self.error(error.description, at: source)
        }
    }

    /// What a derived attribute is computed from.
    ///
    /// An aggregate over a relationship is a function in compiled models (`tags.@count` → `count:(tags)`,
    /// `lines.price.@sum` → `sum:(lines.price)`); the same form is made here.
    func derivationExpression(of source: XMLTreeElement) throws -> NSExpression {
        guard let format = source.text("derivationExpression") else {
            throw error("the derived attribute has no derivation expression.", at: source)
        }
        let expression: NSExpression
        do {
            expression = try NSExpression.parse(format: format)
        } catch {
            throw self.error(error.description, at: source)
        }
        guard expression.expressionType == .keyPath else { return expression }
        let path = expression.keyPath
        for (suffix, function) in [(".@count", "count:"), (".@sum", "sum:")] where path.hasSuffix(suffix) {
            let collection = NSExpression(forKeyPath: String(path.dropLast(suffix.count)))
            return NSExpression(forFunction: function, arguments: [collection])
        }
        return expression
    }

    /// The limits of an attribute element as validation predicates, each with the error code of its failure.
    func addValidation(of source: XMLTreeElement, to attribute: NSAttributeDescription) throws {
        var predicates: [NSPredicate] = []
        var codes: [Any] = []
        func add(_ key: String, _ comparison: NSComparisonPredicate.Operator, _ limit: Any?, _ code: Int) {
            guard let limit else { return }
            let left = key == "SELF" ? NSExpression.expressionForEvaluatedObject() : NSExpression(forKeyPath: key)
            predicates.append(
                NSComparisonPredicate(
                    leftExpression: left, rightExpression: NSExpression(forConstantValue: limit), modifier: .direct,
                    type: comparison))
            codes.append(NSNumber(value: code))
        }
        switch attribute.attributeType {
        case .stringAttributeType:
            let minimum = try integer("minValueString", of: source).map { NSNumber(value: $0) }
            add("length", .greaterThanOrEqualTo, minimum, NSValidationStringTooShortError)
            let maximum = try integer("maxValueString", of: source).map { NSNumber(value: $0) }
            add("length", .lessThanOrEqualTo, maximum, NSValidationStringTooLongError)
            let pattern = source.text("regularExpressionString")
            add("SELF", .matches, pattern, NSValidationStringPatternMatchingError)
        case .dateAttributeType:
            let earliest = try number("minDateTimeInterval", of: source).map {
                Date(timeIntervalSinceReferenceDate: $0)
            }
            add("SELF", .greaterThanOrEqualTo, earliest, NSValidationDateTooSoonError)
            let latest = try number("maxDateTimeInterval", of: source).map { Date(timeIntervalSinceReferenceDate: $0) }
            add("SELF", .lessThanOrEqualTo, latest, NSValidationDateTooLateError)
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
            .doubleAttributeType, .floatAttributeType:
            let minimum = try limit("minValueString", of: source, type: attribute.attributeType)
            add("SELF", .greaterThanOrEqualTo, minimum, NSValidationNumberTooSmallError)
            let maximum = try limit("maxValueString", of: source, type: attribute.attributeType)
            add("SELF", .lessThanOrEqualTo, maximum, NSValidationNumberTooLargeError)
        default: return
        }
        guard !predicates.isEmpty else { return }
        attribute.setValidation(predicates: predicates, warnings: codes)
    }

    private func limit(_ attribute: String, of source: XMLTreeElement, type: NSAttributeType) throws -> Any? {
        guard let text = source.text(attribute) else { return nil }
        guard let value = Self.value(of: text, type: type) else {
            throw error("\(attribute) is '\(text)', which does not fit the type of the attribute.", at: source)
        }
        return value
    }
}
