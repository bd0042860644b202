/// The type that declares the initialisers of `NSPredicate` which return a subclass, such as `init(format:_:)`.
///
/// OpenCoreData only. Foundation on Linux declares the initialisers with a format as unavailable, and an initialiser of
/// a class cannot return another object. An initialiser in a protocol's extension can.
public protocol NSPredicateFormatting {}

extension NSPredicate: NSPredicateFormatting {}

extension NSPredicateFormatting where Self: Foundation.NSPredicate {
    /// Creates a predicate from a format string: `NSPredicate(format: "name == %@ AND age > %d", name, 18)`.
    ///
    /// The placeholders are `%@` for a value, `%K` for a key path, and the number formats of `printf`. A format that
    /// cannot be read stops the process. Use `parse(format:arguments:)` for text that a user typed: it throws.
    ///
    /// - Parameters:
    ///   - predicateFormat: The format string.
    ///   - args: The values of the placeholders, of any type. Nil is allowed.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nspredicate/init(format:_:))
    public init(format predicateFormat: String, _ args: Any?...) {
        self = Self.predicate(predicateFormat, args)
    }

    /// Creates a predicate from a format string and an array with the values of its placeholders.
    ///
    /// A format that cannot be read stops the process.
    ///
    /// - Parameters:
    ///   - predicateFormat: The format string.
    ///   - arguments: The values of the placeholders; nil stands for none.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nspredicate/init(format:argumentarray:))
    public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        self = Self.predicate(predicateFormat, arguments ?? [])
    }

    private static func predicate(_ format: String, _ arguments: [Any?]) -> Self {
        do throws(PredicateParseError) {
            let predicate = try PredicateParser.predicate(format, arguments)
            guard let result = predicate as? Self else {
                fatalError("The format string \"\(format)\" does not describe a \(Self.self)")
            }
            return result
        } catch {
            fatalError(error.description)
        }
    }

    /// Returns the predicate with constants in place of variables.
    ///
    /// Variables without a value stay, and so does the variable of a subquery.
    ///
    /// - Parameter variables: The values, by the names of the variables without `$`.
    /// - Returns: A new predicate.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nspredicate/withsubstitutionvariables(_:))
    public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
        guard let result = substituting(variables) as? Self else {
            fatalError("\(Self.self) cannot be copied with other variables")
        }
        return result
    }
}

extension NSPredicate {
    /// Creates a predicate from text that a user typed.
    ///
    /// OpenCoreData only. It throws where `init(format:_:)` stops the process. Any thread may call it.
    ///
    /// - Parameters:
    ///   - format: The format string.
    ///   - arguments: The values of its placeholders.
    /// - Returns: The predicate.
    /// - Throws: A ``PredicateParseError`` with the place where parsing stopped and the words that could be there.
    public static func parse(format: String, arguments: [Any?] = []) throws(PredicateParseError) -> NSPredicate {
        try PredicateParser.predicate(format, arguments)
    }
}

extension NSExpression {
    /// Creates an expression from a format string: `NSExpression(format: "price * %@", factor)`.
    ///
    /// The syntax and the placeholders are those of predicates. A format that cannot be read stops the process. Use
    /// ``parse(format:arguments:)`` for text that a user typed: it throws.
    ///
    /// - Parameters:
    ///   - expressionFormat: The format string.
    ///   - args: The values of the placeholders, of any type. Nil is allowed.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/init(format:_:))
    public convenience init(format expressionFormat: String, _ args: Any?...) {
        self.init(payload: Self.payload(expressionFormat, args))
    }

    /// Creates an expression from a format string and an array with the values of its placeholders.
    ///
    /// A format that cannot be read stops the process.
    ///
    /// - Parameters:
    ///   - expressionFormat: The format string.
    ///   - arguments: The values of the placeholders.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsexpression/init(format:argumentarray:))
    public convenience init(format expressionFormat: String, argumentArray arguments: [Any]) {
        self.init(payload: Self.payload(expressionFormat, arguments))
    }

    private static func payload(_ format: String, _ arguments: [Any?]) -> Payload {
        do throws(PredicateParseError) {
            return try PredicateParser.expression(format, arguments).payload
        } catch {
            fatalError(error.description)
        }
    }

    /// Creates an expression from text that a user typed.
    ///
    /// OpenCoreData only. It throws where ``init(format:_:)`` stops the process. Any thread may call it.
    ///
    /// - Parameters:
    ///   - format: The format string.
    ///   - arguments: The values of its placeholders.
    /// - Returns: The expression.
    /// - Throws: A ``PredicateParseError`` with the place where parsing stopped and the words that could be there.
    public static func parse(format: String, arguments: [Any?] = []) throws(PredicateParseError) -> NSExpression {
        try PredicateParser.expression(format, arguments)
    }
}
