/// Lets `NSPredicate(format:)` give back a subclass; see `NSPredicate.init(format:_:)`.
///
/// Foundation on Linux declares the initialisers that take a format as unavailable, and an initialiser of a class
/// cannot return another object. One of a protocol's extension can.
public protocol NSPredicateFormatting {}

extension NSPredicate: NSPredicateFormatting {}

extension NSPredicateFormatting where Self: Foundation.NSPredicate {
    /// Creates a predicate from a format string: `NSPredicate(format: "name == %@ AND age > %d", name, 18)`.
    ///
    /// The syntax is the one of Apple's *Predicate Format String Syntax*. Placeholders: `%@` for a value, `%K` for a
    /// key path, the number formats of `printf`. Arguments may be of any type, `nil` included. A format that cannot be
    /// read stops the process; `NSPredicate.parse(format:arguments:)` reads text that a user typed, and throws.
    public init(format predicateFormat: String, _ args: Any?...) {
        self = Self.predicate(predicateFormat, args)
    }

    /// Creates a predicate from a format string and the values of its placeholders.
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

    /// The predicate with constants in place of the variables that have a value in `variables` (names without `$`).
    ///
    /// Variables without a value stay. The iterator of a subquery is not touched.
    public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
        guard let result = substituting(variables) as? Self else {
            fatalError("\(Self.self) cannot be copied with other variables")
        }
        return result
    }
}

extension NSPredicate {
    /// Creates a predicate from text that a user typed: throws where `init(format:)` stops the process.
    ///
    /// An addition to Apple's API. May be called on any thread.
    ///
    /// - Parameters:
    ///   - format: the format string.
    ///   - arguments: the values of its placeholders.
    /// - Throws: a `PredicateParseError`, which says where reading stopped and what could have stood there.
    public static func parse(format: String, arguments: [Any?] = []) throws(PredicateParseError) -> NSPredicate {
        try PredicateParser.predicate(format, arguments)
    }
}

extension NSExpression {
    /// Creates an expression from a format string: `NSExpression(format: "price * %@", factor)`.
    ///
    /// The syntax and the placeholders are those of predicates. A format that cannot be read stops the process.
    public convenience init(format expressionFormat: String, _ args: Any?...) {
        self.init(payload: Self.payload(expressionFormat, args))
    }

    /// Creates an expression from a format string and the values of its placeholders.
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

    /// Creates an expression from text that a user typed: throws where `init(format:)` stops the process.
    ///
    /// An addition to Apple's API. May be called on any thread.
    ///
    /// - Parameters:
    ///   - format: the format string.
    ///   - arguments: the values of its placeholders.
    /// - Throws: a `PredicateParseError`, which says where reading stopped and what could have stood there.
    public static func parse(format: String, arguments: [Any?] = []) throws(PredicateParseError) -> NSExpression {
        try PredicateParser.expression(format, arguments)
    }
}
