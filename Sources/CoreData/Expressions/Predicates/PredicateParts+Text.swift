import Foundation

// Strings in a `#Predicate`. Three of its functions are missing from Foundation on Linux, although the macro uses them.

extension PredicateExpressions.SequenceStartsWith: PredicateTranslatable {
    var operands: [Any] { [base, prefix] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        guard Base.Output.self is any StringProtocol.Type else { throw Untranslatable() }
        return .condition(
            PredicateTranslator.comparison(try translator.value(base), .beginsWith, try translator.value(prefix)))
    }
}

extension PredicateExpressions.CollectionContainsCollection: PredicateTranslatable {
    var operands: [Any] { [base, other] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        guard Base.Output.self is any StringProtocol.Type else { throw Untranslatable() }
        return .condition(
            PredicateTranslator.comparison(try translator.value(base), .contains, try translator.value(other)))
    }
}

extension PredicateExpressions.StringContainsRegex: PredicateTranslatable {
    var operands: [Any] { [subject, regex] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        guard let constant = regex as? PredicateExpressions.Value<PredicateExpressions.PredicateRegex> else {
            throw Untranslatable()
        }
        // MATCHES compares the whole string.
        let pattern = "(?s:.*)(?:\(constant.value.stringRepresentation))(?s:.*)"
        return .condition(
            PredicateTranslator.comparison(
                try translator.value(subject), .matches, NSExpression(forConstantValue: pattern)))
    }
}

extension PredicateExpressions {
    /// `localizedStandardContains(_:)` in a `#Predicate`: without regard to case and diacritics.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/predicateexpressions/stringlocalizedstandardcontains)
    public struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>:
        PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        /// The string to search in.
        public let root: Root
        /// The string to search for.
        public let other: Other

        /// Creates the expression.
        ///
        /// - Parameters:
        ///   - root: The string to search in.
        ///   - other: The string to search for.
        public init(root: Root, other: Other) {
            self.root = root
            self.other = other
        }

        /// Whether the string contains the other one.
        ///
        /// - Parameter bindings: The values of variables.
        /// - Throws: An error of evaluating one of the strings.
        public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
            try root.evaluate(bindings).localizedStandardContains(try other.evaluate(bindings))
        }
    }

    /// `caseInsensitiveCompare(_:)` in a `#Predicate`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/predicateexpressions/stringcaseinsensitivecompare)
    public struct StringCaseInsensitiveCompare<Root: PredicateExpression, Other: PredicateExpression>:
        PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        /// The left string.
        public let root: Root
        /// The right string.
        public let other: Other

        /// Creates the expression.
        ///
        /// - Parameters:
        ///   - root: The left string.
        ///   - other: The right string.
        public init(root: Root, other: Other) {
            self.root = root
            self.other = other
        }

        /// The order of the strings without regard to case.
        ///
        /// - Parameter bindings: The values of variables.
        /// - Throws: An error of evaluating one of the strings.
        public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
            try root.evaluate(bindings).caseInsensitiveCompare(try other.evaluate(bindings))
        }
    }

    /// `localizedCompare(_:)` in a `#Predicate`. A fetch can use it only in a comparison with `.orderedSame`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/predicateexpressions/stringlocalizedcompare)
    public struct StringLocalizedCompare<Root: PredicateExpression, Other: PredicateExpression>: PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        /// The left string.
        public let root: Root
        /// The right string.
        public let other: Other

        /// Creates the expression.
        ///
        /// - Parameters:
        ///   - root: The left string.
        ///   - other: The right string.
        public init(root: Root, other: Other) {
            self.root = root
            self.other = other
        }

        /// The order of the strings in the current locale.
        ///
        /// - Parameter bindings: The values of variables.
        /// - Throws: An error of evaluating one of the strings.
        public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
            try root.evaluate(bindings).localizedCompare(try other.evaluate(bindings))
        }
    }

    /// Creates the expression for `localizedStandardContains(_:)`. The macro `#Predicate` calls it.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/predicateexpressions/build_localizedstandardcontains(_:_:))
    public static func build_localizedStandardContains<Root, Other>(
        _ root: Root, _ other: Other
    ) -> StringLocalizedStandardContains<Root, Other> {
        StringLocalizedStandardContains(root: root, other: other)
    }

    /// Creates the expression for `caseInsensitiveCompare(_:)`. The macro `#Predicate` calls it.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/predicateexpressions/build_caseinsensitivecompare(_:_:))
    public static func build_caseInsensitiveCompare<Root, Other>(
        _ root: Root, _ other: Other
    ) -> StringCaseInsensitiveCompare<Root, Other> {
        StringCaseInsensitiveCompare(root: root, other: other)
    }

    /// Creates the expression for `localizedCompare(_:)`. The macro `#Predicate` calls it.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/predicateexpressions/build_localizedcompare(_:_:))
    public static func build_localizedCompare<Root, Other>(
        _ root: Root, _ other: Other
    ) -> StringLocalizedCompare<Root, Other> {
        StringLocalizedCompare(root: root, other: other)
    }
}

extension PredicateExpressions.StringLocalizedStandardContains: Codable where Root: Codable, Other: Codable {}
extension PredicateExpressions.StringLocalizedStandardContains: Sendable where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
extension PredicateExpressions.StringCaseInsensitiveCompare: Codable where Root: Codable, Other: Codable {}
extension PredicateExpressions.StringCaseInsensitiveCompare: Sendable where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
extension PredicateExpressions.StringLocalizedCompare: Codable where Root: Codable, Other: Codable {}
extension PredicateExpressions.StringLocalizedCompare: Sendable where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringLocalizedCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions.StringLocalizedStandardContains: PredicateTranslatable {
    var operands: [Any] { [root, other] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .condition(
            PredicateTranslator.comparison(
                try translator.value(root), .contains, try translator.value(other),
                options: [.caseInsensitive, .diacriticInsensitive]))
    }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: PredicateTranslatable {
    var operands: [Any] { [root, other] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .order(try translator.value(root), try translator.value(other), .caseInsensitive, isLocalized: false)
    }
}

extension PredicateExpressions.StringLocalizedCompare: PredicateTranslatable {
    var operands: [Any] { [root, other] }

    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .order(try translator.value(root), try translator.value(other), [], isLocalized: true)
    }
}
