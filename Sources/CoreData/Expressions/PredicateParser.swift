/// Reads format strings: `name ==[c] %@ AND (age > 3 OR ANY tags.name IN {"x", "y"})`.
///
/// Recursive descent over the tokens. Only a parenthesis is tried twice, because it may open a predicate or an
/// expression. Depth and length of nested parts are limited, because the text may come from a user.
struct PredicateParser {
    let format: String
    let arguments: [Any?]
    let tokens: [PredicateToken]
    /// See `PredicateTokenCache.Words`.
    let keys: [NSExpression?]
    var index = 0
    var nextArgument = 0
    var depth = 0
    /// The expression of each argument that was taken as an operand, and the type of its placeholder.
    var operands: [(expression: NSExpression, type: Unicode.Scalar)] = []
    /// The reasons why the text after a parenthesis is no predicate, by the position of the parenthesis. Without them,
    /// conditions within parentheses within conditions would be parsed twice at each level.
    private var noPredicates: [Int: PredicateParseError] = [:]

    /// The greatest depth of nested parentheses, lists and negations.
    static let depthLimit = 100

    init(_ format: String, _ arguments: [Any?]) throws(PredicateParseError) {
        self.format = format
        self.arguments = arguments
        try Self.checkMarks(format)
        let words = try PredicateTokenCache.shared.words(of: format)
        tokens = words.tokens
        keys = words.keys
    }

    /// Checks a format before it is compared with cached ones.
    private static func checkMarks(_ format: String) throws(PredicateParseError) {
        if CombiningMarks.areEndless(in: format) {
            throw PredicateParseError(format: "…", position: 0, problem: "a letter has too many combining marks")
        }
    }

    /// Parses the whole of `format` as a predicate.
    static func predicate(_ format: String, _ arguments: [Any?]) throws(PredicateParseError) -> NSPredicate {
        try checkMarks(format)
        // Where an argument does not fit, parsing finds the error.
        if let predicate = PredicateTokenCache.shared.template(of: format)?.predicate(arguments) { return predicate }
        var parser = try PredicateParser(format, arguments)
        let predicate = try parser.disjunction()
        try parser.expectEnd("AND, OR")
        parser.rememberTemplate(of: predicate)
        return predicate
    }

    /// Remembers the template of the format, unless one of the arguments is a key path or an expression of the
    /// program's, which other predicates may share.
    private func rememberTemplate(of predicate: NSPredicate) {
        guard operands.count == nextArgument, !arguments.prefix(nextArgument).contains(where: { $0 is NSExpression }),
            let template = PredicateTemplate(predicate, operands: operands)
        else { return }
        PredicateTokenCache.shared.remember(template, of: format)
    }

    /// Parses the whole of `format` as an expression.
    static func expression(_ format: String, _ arguments: [Any?]) throws(PredicateParseError) -> NSExpression {
        var parser = try PredicateParser(format, arguments)
        let expression = try parser.expression()
        try parser.expectEnd("an operator")
        return expression
    }

    // MARK: Tokens

    var token: PredicateToken { tokens[index] }

    mutating func advance() {
        if index < tokens.count - 1 { index += 1 }
    }

    func failure(_ problem: String) -> PredicateParseError {
        PredicateParseError(format: format, position: token.position, problem: problem)
    }

    /// The name of the current token in an error.
    var found: String {
        if case .end = token.kind { return "the end" }
        let end = index + 1 < tokens.count ? tokens[index + 1].position : format.unicodeScalars.count
        let scalars = Array(format.unicodeScalars)[token.position..<end]
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return "\"" + String(text).trimmingCharacters(in: .whitespaces) + "\""
    }

    func expected(_ what: String) -> PredicateParseError {
        failure("\(what) is expected, not \(found)")
    }

    private func expectEnd(_ continuation: String) throws(PredicateParseError) {
        guard case .end = token.kind else { throw expected("\(continuation) or the end") }
    }

    func isSymbol(_ symbol: String) -> Bool {
        if case .symbol(let found) = token.kind { found == symbol } else { false }
    }

    func isKeyword(_ keyword: String) -> Bool {
        if case .word(_, let found) = token.kind { found == keyword } else { false }
    }

    mutating func take(symbol: String) -> Bool {
        guard isSymbol(symbol) else { return false }
        advance()
        return true
    }

    mutating func take(keyword: String) -> Bool {
        guard isKeyword(keyword) else { return false }
        advance()
        return true
    }

    mutating func expect(_ symbol: String) throws(PredicateParseError) {
        guard take(symbol: symbol) else { throw expected(symbol) }
    }

    mutating func nested<T>(
        _ body: (inout PredicateParser) throws(PredicateParseError) -> T
    ) throws(PredicateParseError) -> T {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthLimit else { throw failure("the nesting is deeper than \(Self.depthLimit)") }
        return try body(&self)
    }

    // MARK: Predicates

    mutating func disjunction() throws(PredicateParseError) -> NSPredicate {
        var parts = [try conjunction()]
        while isKeyword("OR") || isSymbol("||") {
            advance()
            parts.append(try conjunction())
        }
        return parts.count == 1 ? parts[0] : NSCompoundPredicate(orPredicateWithSubpredicates: Self.flat(parts, .or))
    }

    /// `(a AND b) AND c` is one list, as in Foundation: a list on the left takes the next condition.
    private static func flat(_ parts: [NSPredicate], _ type: NSCompoundPredicate.LogicalType) -> [NSPredicate] {
        guard let first = parts[0] as? NSCompoundPredicate, first.compoundPredicateType == type, first.parts.count > 1
        else { return parts }
        return first.parts + parts.dropFirst()
    }

    private mutating func conjunction() throws(PredicateParseError) -> NSPredicate {
        var parts = [try negation()]
        while isKeyword("AND") || isSymbol("&&") {
            advance()
            parts.append(try negation())
        }
        return parts.count == 1 ? parts[0] : NSCompoundPredicate(andPredicateWithSubpredicates: Self.flat(parts, .and))
    }

    private mutating func negation() throws(PredicateParseError) -> NSPredicate {
        guard isKeyword("NOT") || isSymbol("!") else { return try simplePredicate() }
        advance()
        let part = try nested { parser throws(PredicateParseError) in try parser.negation() }
        return NSCompoundPredicate(notPredicateWithSubpredicate: part)
    }

    private mutating func simplePredicate() throws(PredicateParseError) -> NSPredicate {
        if take(keyword: "TRUEPREDICATE") { return ConstantPredicate(true) }
        if take(keyword: "FALSEPREDICATE") { return ConstantPredicate(false) }
        if isSymbol("(") { return try parenthesis() }
        if take(keyword: "ANY") || take(keyword: "SOME") { return try comparison(.any) }
        if take(keyword: "ALL") { return try comparison(.all) }
        if take(keyword: "NONE") {
            return NSCompoundPredicate(notPredicateWithSubpredicate: try comparison(.any))
        }
        return try comparison(.direct)
    }

    /// `(a == 1 OR b == 2)` or `(a + b) > 3`: the token after the closing parenthesis decides.
    private mutating func parenthesis() throws(PredicateParseError) -> NSPredicate {
        let start = self
        if let known = noPredicates[start.index] { return try comparison(after: known) }
        let asPredicate: PredicateParseError
        do throws(PredicateParseError) {
            let predicate = try nested { parser throws(PredicateParseError) in
                try parser.expect("(")
                let predicate = try parser.disjunction()
                try parser.expect(")")
                return predicate
            }
            return predicate
        } catch {
            asPredicate = error
        }
        let known = noPredicates
        self = start
        noPredicates = known
        noPredicates[start.index] = asPredicate
        return try comparison(after: asPredicate)
    }

    /// A comparison that begins with a parenthesis around an expression.
    private mutating func comparison(
        after asPredicate: PredicateParseError
    ) throws(PredicateParseError) -> NSPredicate {
        do throws(PredicateParseError) {
            return try comparison(.direct)
        } catch {
            // The attempt that got further has the more useful error.
            throw error.position > asPredicate.position ? error : asPredicate
        }
    }

    private mutating func comparison(_ modifier: NSComparisonPredicate.Modifier) throws(PredicateParseError)
        -> NSPredicate
    {
        let left = try expression()
        let isNegated = isKeyword("NOT") && isFollowedByIn
        if isNegated { advance() }
        let type = try comparisonOperator()
        let options = try comparisonOptions()
        // A regular expression is checked when it is used, as on a Mac: it may be a user's input, and a fetch can
        // throw.
        let right = try expression()
        let predicate = NSComparisonPredicate(
            leftExpression: left, rightExpression: right, modifier: modifier, type: type, options: options)
        return isNegated ? NSCompoundPredicate(notPredicateWithSubpredicate: predicate) : predicate
    }

    private var isFollowedByIn: Bool {
        guard index + 1 < tokens.count, case .word(_, let word) = tokens[index + 1].kind else { return false }
        return word == "IN"
    }

    private mutating func comparisonOperator() throws(PredicateParseError) -> NSComparisonPredicate.Operator {
        let type: NSComparisonPredicate.Operator? =
            switch token.kind {
            case .symbol(let symbol):
                switch symbol {
                case "=", "==": .equalTo
                case "!=", "<>": .notEqualTo
                case "<": .lessThan
                case "<=", "=<": .lessThanOrEqualTo
                case ">": .greaterThan
                case ">=", "=>": .greaterThanOrEqualTo
                default: nil
                }
            case .word(_, let word):
                switch word {
                case "IN": .in
                case "CONTAINS": .contains
                case "BEGINSWITH": .beginsWith
                case "ENDSWITH": .endsWith
                case "LIKE": .like
                case "MATCHES": .matches
                case "BETWEEN": .between
                default: nil
                }
            default: nil
            }
        guard let type else { throw expected("a comparison operator") }
        advance()
        return type
    }

    /// `[c]`, `[cd]` … after an operator; `[l]` (locale-sensitive) is parsed and has no effect.
    private mutating func comparisonOptions() throws(PredicateParseError) -> NSComparisonPredicate.Options {
        guard take(symbol: "[") else { return [] }
        guard case .word(let letters, _) = token.kind else { throw expected("an option of c, d, n") }
        var options: NSComparisonPredicate.Options = []
        for letter in letters.lowercased() {
            switch letter {
            case "c": options.insert(.caseInsensitive)
            case "d": options.insert(.diacriticInsensitive)
            case "n": options.insert(.normalized)
            case "l": break
            default: throw expected("an option of c, d, n")
            }
        }
        advance()
        try expect("]")
        return options
    }
}
