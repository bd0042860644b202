import Foundation

// Strings in a `#Predicate`. Three of its functions are missing from Foundation on Linux, though the macro knows them.

extension PredicateExpressions.SequenceStartsWith: PredicateTranslatable {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        guard Base.Output.self is any StringProtocol.Type else { throw Untranslatable() }
        return .condition(
            PredicateTranslator.comparison(try translator.value(base), .beginsWith, try translator.value(prefix)))
    }
}

extension PredicateExpressions.CollectionContainsCollection: PredicateTranslatable {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        guard Base.Output.self is any StringProtocol.Type else { throw Untranslatable() }
        return .condition(
            PredicateTranslator.comparison(try translator.value(base), .contains, try translator.value(other)))
    }
}

extension PredicateExpressions.StringContainsRegex: PredicateTranslatable {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        guard let constant = regex as? PredicateExpressions.Value<PredicateExpressions.PredicateRegex> else {
            throw Untranslatable()
        }
        // MATCHES is about the whole string.
        let pattern = "(?s:.*)(?:\(constant.value.stringRepresentation))(?s:.*)"
        return .condition(
            PredicateTranslator.comparison(
                try translator.value(subject), .matches, NSExpression(forConstantValue: pattern)))
    }
}

extension PredicateExpressions {
    /// `localizedStandardContains(_:)` in a `#Predicate`: without regard to case and diacritics.
    public struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>:
        PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        /// The string that is searched.
        public let root: Root
        /// What it is searched for.
        public let other: Other

        /// Creates the expression.
        public init(root: Root, other: Other) {
            self.root = root
            self.other = other
        }

        /// Whether the string contains the other.
        public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
            try root.evaluate(bindings).localizedStandardContains(try other.evaluate(bindings))
        }
    }

    /// `caseInsensitiveCompare(_:)` in a `#Predicate`.
    public struct StringCaseInsensitiveCompare<Root: PredicateExpression, Other: PredicateExpression>:
        PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        /// The left string.
        public let root: Root
        /// The right string.
        public let other: Other

        /// Creates the expression.
        public init(root: Root, other: Other) {
            self.root = root
            self.other = other
        }

        /// How the strings are ordered without regard to case.
        public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
            try root.evaluate(bindings).caseInsensitiveCompare(try other.evaluate(bindings))
        }
    }

    /// `localizedCompare(_:)` in a `#Predicate`.
    public struct StringLocalizedCompare<Root: PredicateExpression, Other: PredicateExpression>: PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        /// The left string.
        public let root: Root
        /// The right string.
        public let other: Other

        /// Creates the expression.
        public init(root: Root, other: Other) {
            self.root = root
            self.other = other
        }

        /// How the strings are ordered in the current locale.
        public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
            try root.evaluate(bindings).localizedCompare(try other.evaluate(bindings))
        }
    }

    /// What the macro calls for `localizedStandardContains(_:)`.
    public static func build_localizedStandardContains<Root, Other>(
        _ root: Root, _ other: Other
    ) -> StringLocalizedStandardContains<Root, Other> {
        StringLocalizedStandardContains(root: root, other: other)
    }

    /// What the macro calls for `caseInsensitiveCompare(_:)`.
    public static func build_caseInsensitiveCompare<Root, Other>(
        _ root: Root, _ other: Other
    ) -> StringCaseInsensitiveCompare<Root, Other> {
        StringCaseInsensitiveCompare(root: root, other: other)
    }

    /// What the macro calls for `localizedCompare(_:)`.
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
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .condition(
            PredicateTranslator.comparison(
                try translator.value(root), .contains, try translator.value(other),
                [.caseInsensitive, .diacriticInsensitive]))
    }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: PredicateTranslatable {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .order(try translator.value(root), try translator.value(other), .caseInsensitive, isLocalized: false)
    }
}

extension PredicateExpressions.StringLocalizedCompare: PredicateTranslatable {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .order(try translator.value(root), try translator.value(other), [], isLocalized: true)
    }
}
