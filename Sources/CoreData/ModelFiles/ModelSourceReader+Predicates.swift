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

    /// The expression that computes a derived attribute.
    ///
    /// An aggregate over a relationship is a function in compiled models (`tags.@count` → `count:(tags)`,
    /// `lines.price.@sum` → `sum:(lines.price)`). The same form is made here.
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
    func addValidation(of source: XMLTreeElement, to attribute: NSAttributeDescription) {
        var predicates: [NSPredicate] = []
        var codes: [Any] = []
        func add(_ key: String, _ comparison: NSComparisonPredicate.Operator, _ limit: Any?, code: Int) {
            guard let limit else { return }
            let left = key == "SELF" ? NSExpression.expressionForEvaluatedObject() : NSExpression(forKeyPath: key)
            predicates.append(
                NSComparisonPredicate(
                    leftExpression: left, rightExpression: NSExpression(forConstantValue: limit), modifier: .direct,
                    type: comparison))
            codes.append(NSNumber(value: code))
        }
        func compare(_ minimum: Double?, _ maximum: Double?) {
            guard let minimum, let maximum, minimum > maximum else { return }
            warn("the minimum is above the maximum, so that no value is valid.", at: source)
        }
        func compare(_ minimum: Double?, _ maximum: Double?, with first: Double?, _ what: String) {
            compare(minimum, maximum)
            guard let first else { return }
            let limit = minimum.map { first < $0 } == true ? "below the minimum" : "above the maximum"
            guard minimum.map({ first < $0 }) == true || maximum.map({ first > $0 }) == true else { return }
            warn("\(what) is \(limit), so that a new object is not valid as it is.", at: source)
        }
        switch attribute.attributeType {
        case .stringAttributeType:
            let minimum = integer("minValueString", of: source).map { NSNumber(value: $0) }
            add("length", .greaterThanOrEqualTo, minimum, code: NSValidationStringTooShortError)
            let maximum = integer("maxValueString", of: source).map { NSNumber(value: $0) }
            add("length", .lessThanOrEqualTo, maximum, code: NSValidationStringTooLongError)
            let length = (attribute.defaultValue as? String).map { Double($0.utf16.count) }
            compare(
                minimum?.doubleValue, maximum?.doubleValue, with: length, "the length of the default value")
            add("SELF", .matches, pattern(of: source), code: NSValidationStringPatternMatchingError)
        case .dateAttributeType:
            let earliest = number("minDateTimeInterval", of: source)
            add("SELF", .greaterThanOrEqualTo, earliest.map(Self.date), code: NSValidationDateTooSoonError)
            let latest = number("maxDateTimeInterval", of: source)
            add("SELF", .lessThanOrEqualTo, latest.map(Self.date), code: NSValidationDateTooLateError)
            let first = (attribute.defaultValue as? Date)?.timeIntervalSinceReferenceDate
            compare(earliest, latest, with: first, "the default value")
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
            .doubleAttributeType, .floatAttributeType:
            let minimum = limit("minValueString", of: source, type: attribute.attributeType)
            add("SELF", .greaterThanOrEqualTo, minimum, code: NSValidationNumberTooSmallError)
            let maximum = limit("maxValueString", of: source, type: attribute.attributeType)
            add("SELF", .lessThanOrEqualTo, maximum, code: NSValidationNumberTooLargeError)
            compare(
                minimum?.doubleValue, maximum?.doubleValue, with: (attribute.defaultValue as? NSNumber)?.doubleValue,
                "the default value \(attribute.defaultValue ?? "")")
        default: return
        }
        guard !predicates.isEmpty else { return }
        attribute.setValidation(predicates: predicates, warnings: codes)
    }

    private static func date(_ interval: Double) -> Date { Date(timeIntervalSinceReferenceDate: interval) }

    /// The regular expression of a string attribute. An invalid pattern is left out, because it would stop every
    /// program that validates an object.
    private func pattern(of source: XMLTreeElement) -> String? {
        guard let pattern = source.text("regularExpressionString") else { return nil }
        do {
            _ = try NSRegularExpression.limited(pattern)
            return pattern
        } catch {
            warn("'\(pattern)' is no regular expression and does not count.", at: source)
            return nil
        }
    }
}
