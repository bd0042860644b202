extension PredicateParser {
    /// An expression: operands joined by set and arithmetic operators, the loosest first.
    mutating func expression() throws(PredicateParseError) -> NSExpression {
        try nested { parser throws(PredicateParseError) in try parser.binary(0) }
    }

    /// An operator between two expressions: how tightly it binds, and how it combines them.
    private var infix: (level: Int, combine: (NSExpression, NSExpression) -> NSExpression.Payload)? {
        func function(_ name: String) -> (NSExpression, NSExpression) -> NSExpression.Payload {
            { .function(name, target: nil, arguments: [$0, $1]) }
        }
        switch token.kind {
        case .word(_, "UNION"): return (0, { .set(.union, $0, $1) })
        case .word(_, "INTERSECT"): return (0, { .set(.intersect, $0, $1) })
        case .word(_, "MINUS"): return (0, { .set(.minus, $0, $1) })
        case .symbol("|"): return (1, function("bitwiseOr:with:"))
        case .symbol("^"): return (2, function("bitwiseXor:with:"))
        case .symbol("&"): return (3, function("bitwiseAnd:with:"))
        case .symbol("<<"): return (4, function("leftshift:by:"))
        case .symbol(">>"): return (4, function("rightshift:by:"))
        case .symbol("+"): return (5, function("add:to:"))
        case .symbol("-"): return (5, function("from:subtract:"))
        case .symbol("*"): return (6, function("multiply:by:"))
        case .symbol("/"): return (6, function("divide:by:"))
        case .symbol("**"): return (7, function("raise:toPower:"))
        default: return nil
        }
    }

    private mutating func binary(_ loosest: Int) throws(PredicateParseError) -> NSExpression {
        var left = try unary()
        while let (level, combine) = infix, level >= loosest {
            advance()
            let right = try binary(level + 1)
            left = try make(combine(left, right))
        }
        return left
    }

    /// Makes an expression of other expressions. Throws when it gets too high, because evaluating and printing it calls
    /// as deep as its height.
    private func make(_ payload: NSExpression.Payload) throws(PredicateParseError) -> NSExpression {
        try requireHeight(of: payload)
        return NSExpression(payload: payload)
    }

    private func requireHeight(of payload: NSExpression.Payload) throws(PredicateParseError) {
        guard payload.height <= NSExpression.heightLimit else {
            throw failure("more than \(NSExpression.heightLimit) operators are applied to each other")
        }
    }

    private mutating func unary() throws(PredicateParseError) -> NSExpression {
        if take(symbol: "-") {
            let operand = try nested { parser throws(PredicateParseError) in try parser.unary() }
            return try negated(operand)
        }
        if take(symbol: "~") {
            let operand = try nested { parser throws(PredicateParseError) in try parser.unary() }
            return try make(.function("onesComplement:", target: nil, arguments: [operand]))
        }
        return try postfix(try primary())
    }

    /// Negates an operand. A negated number is a constant; any other operand is subtracted from 0.
    private func negated(_ operand: NSExpression) throws(PredicateParseError) -> NSExpression {
        if case .constant(_, let value) = operand.payload {
            switch value {
            case .int(let number) where number != .min: return NSExpression(forConstantValue: -number)
            case .double(let number): return NSExpression(forConstantValue: -number)
            case .decimal(let number): return NSExpression(forConstantValue: Int64("\(-number)") ?? -number as Any)
            default: break
            }
        }
        let zero = NSExpression(forConstantValue: 0)
        return try make(.function("from:subtract:", target: nil, arguments: [zero, operand]))
    }

    // MARK: Postfix

    private mutating func postfix(_ operand: NSExpression) throws(PredicateParseError) -> NSExpression {
        var result = operand
        while true {
            if take(symbol: ".") {
                // All keys are read before the path is made: a path that grew key by key would be parsed once for each
                // key.
                var keys = [try pathComponent()]
                while take(symbol: ".") { keys.append(try pathComponent()) }
                result = try extend(result, by: keys.joined(separator: "."))
            } else if isSymbol("[") {
                advance()
                let index = try subscriptIndex()
                try expect("]")
                result = try make(.function("objectFrom:withIndex:", target: nil, arguments: [result, index]))
            } else {
                return result
            }
        }
    }

    private mutating func pathComponent() throws(PredicateParseError) -> String {
        switch token.kind {
        case .word(let key, _), .escapedKey(let key), .collectionOperator(let key):
            advance()
            return key
        case .placeholder("K"):
            return try keyPathArgument()
        default:
            throw expected("a key")
        }
    }

    private func extend(_ operand: NSExpression, by key: String) throws(PredicateParseError) -> NSExpression {
        switch operand.payload {
        case .evaluatedObject:
            NSExpression(payload: .keyPath(KeyValuePath(key), operand: nil))
        case .keyPath(let path, let base):
            NSExpression(payload: .keyPath(KeyValuePath(path.text + "." + key), operand: base))
        default:
            try make(.keyPath(KeyValuePath(key), operand: operand))
        }
    }

    private mutating func subscriptIndex() throws(PredicateParseError) -> NSExpression {
        if case .word(_, let word) = token.kind, ExpressionFunction.indexWords.contains(word) {
            advance()
            return NSExpression(forConstantValue: word)
        }
        return try expression()
    }

    // MARK: Primary

    private mutating func primary() throws(PredicateParseError) -> NSExpression {
        switch token.kind {
        case .placeholder(let type):
            return try argument(type)
        case .string(let text):
            advance()
            return NSExpression(forConstantValue: text)
        case .number(let number):
            advance()
            return NSExpression(forConstantValue: number)
        case .variable(let name):
            advance()
            return NSExpression(forVariable: name)
        case .escapedKey(let key), .collectionOperator(let key):
            advance()
            return NSExpression(forKeyPath: key)
        case .word(let word, let keyword):
            if let key = keys[index] {
                advance()
                return key
            }
            return try named(word, keyword)
        case .symbol("("):
            advance()
            let result = try expression()
            try expect(")")
            return result
        case .symbol("{"):
            advance()
            return try make(.aggregate(try list(closedBy: "}")))
        case .symbol("<null>"):
            advance()
            return NSExpression(forConstantValue: NSNull())
        case .symbol, .end:
            throw expected("an expression")
        }
    }

    /// Expressions separated by commas, up to and including `symbol`.
    private mutating func list(closedBy symbol: String) throws(PredicateParseError) -> [NSExpression] {
        var elements: [NSExpression] = []
        if take(symbol: symbol) { return elements }
        repeat {
            elements.append(try expression())
        } while take(symbol: ",")
        guard take(symbol: symbol) else { throw expected("a comma or \(symbol)") }
        return elements
    }

    /// Words that are no keys in the place of an operand; see `named`.
    static let keywords: Set<String> = [
        "NULL", "NIL", "TRUE", "YES", "FALSE", "NO", "SELF", "ANYKEY", "SUBQUERY", "TERNARY", "CAST", "FUNCTION",
        "FETCH",
        "AND", "OR", "NOT", "IN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES", "BETWEEN", "ANY", "ALL",
        "SOME",
        "NONE", "TRUEPREDICATE", "FALSEPREDICATE",
    ]

    private mutating func named(_ word: String, _ keyword: String) throws(PredicateParseError) -> NSExpression {
        let opensCall: Bool =
            if index + 1 < tokens.count, case .symbol("(") = tokens[index + 1].kind { true } else { false }
        switch (keyword, opensCall) {
        case ("NULL", false), ("NIL", false):
            advance()
            return NSExpression(forConstantValue: nil)
        case ("TRUE", false), ("YES", false):
            advance()
            return NSExpression(forConstantValue: true)
        case ("FALSE", false), ("NO", false):
            advance()
            return NSExpression(forConstantValue: false)
        case ("SELF", false):
            advance()
            return .expressionForEvaluatedObject()
        case ("ANYKEY", false):
            advance()
            return .expressionForAnyKey()
        case ("SUBQUERY", true):
            return try subquery()
        case ("TERNARY", true):
            return try conditional()
        case ("CAST", true):
            return try cast()
        case ("FUNCTION", true):
            return try call()
        case ("FETCH", true):
            return try fetch()
        case ("AND", _), ("OR", _), ("NOT", _), ("IN", _), ("CONTAINS", _), ("BEGINSWITH", _), ("ENDSWITH", _),
            ("LIKE", _), ("MATCHES", _), ("BETWEEN", _), ("ANY", _), ("ALL", _), ("SOME", _), ("NONE", _),
            ("TRUEPREDICATE", _), ("FALSEPREDICATE", _):
            throw expected("an expression")
        default:
            break
        }
        advance()
        if isSymbol("(") || isSymbol(":") { return try libraryFunction(word) }
        return NSExpression(forKeyPath: word)
    }

    // MARK: Calls

    private mutating func subquery() throws(PredicateParseError) -> NSExpression {
        advance()
        try expect("(")
        let collection = try expression()
        try expect(",")
        guard case .variable(let name) = token.kind else { throw expected("a variable") }
        advance()
        try expect(",")
        let predicate = try nested { parser throws(PredicateParseError) in try parser.disjunction() }
        try expect(")")
        return try make(.subquery(collection, variable: name, predicate))
    }

    private mutating func conditional() throws(PredicateParseError) -> NSExpression {
        advance()
        try expect("(")
        let predicate = try nested { parser throws(PredicateParseError) in try parser.disjunction() }
        try expect(",")
        let whenTrue = try expression()
        try expect(",")
        let whenFalse = try expression()
        try expect(")")
        return try make(.conditional(predicate, whenTrue, whenFalse))
    }

    /// `CAST(x, "Type")`. A number that is cast to a date becomes the date, because dates are printed so.
    private mutating func cast() throws(PredicateParseError) -> NSExpression {
        advance()
        try expect("(")
        let arguments = try list(closedBy: ")")
        guard arguments.count == 2, case .constant(_, .string(let type)) = arguments[1].payload else {
            throw failure("CAST takes an expression and the name of a type")
        }
        if type == "NSDate", case .constant(_, let value) = arguments[0].payload, let seconds = value.doubleValue {
            return NSExpression(forConstantValue: Date(timeIntervalSinceReferenceDate: seconds))
        }
        return try make(.function("castObject:toType:", target: nil, arguments: arguments))
    }

    private mutating func call() throws(PredicateParseError) -> NSExpression {
        advance()
        try expect("(")
        let position = token.position
        let arguments = try list(closedBy: ")")
        guard arguments.count >= 2, case .constant(_, .string(let name)) = arguments[1].payload else {
            throw PredicateParseError(
                format: format, position: position, problem: "FUNCTION takes an object and the name of a function")
        }
        return try make(.function(name, target: arguments[0], arguments: Array(arguments.dropFirst(2))))
    }

    /// `FETCH(request, context, NO)`: the results of the request in the context; with YES their number.
    private mutating func fetch() throws(PredicateParseError) -> NSExpression {
        advance()
        try expect("(")
        let arguments = try list(closedBy: ")")
        guard arguments.count == 3, case .constant(_, .int(let countOnly)) = arguments[2].payload else {
            throw failure("FETCH takes a request, a context and YES or NO")
        }
        try requireHeight(of: .fetch(arguments[0], context: arguments[1], countOnly: countOnly != 0))
        return NSFetchRequestExpression.expression(
            forFetch: arguments[0], context: arguments[1], countOnly: countOnly != 0)
    }

    /// `sum(x)`, `canonical:(x)`, `add:to:(a, b)`: a function of the library by its selector, or by its first word.
    private mutating func libraryFunction(_ first: String) throws(PredicateParseError) -> NSExpression {
        let start = tokens[index - 1].position
        var name = first
        while take(symbol: ":") {
            name += ":"
            if case .word(let word, _) = token.kind {
                name += word
                advance()
            }
        }
        try expect("(")
        let arguments = try list(closedBy: ")")
        guard let selector = ExpressionFunction.selector(name, arguments.count) else {
            throw PredicateParseError(
                format: format, position: start,
                problem: "there is no function \(name) of \(arguments.count) arguments")
        }
        return try make(.function(selector, target: nil, arguments: arguments))
    }

    // MARK: Arguments

    private mutating func takeArgument() throws(PredicateParseError) -> Any? {
        guard nextArgument < arguments.count else {
            throw failure("a value is expected for \(found), but there are only \(arguments.count) arguments")
        }
        let value = arguments[nextArgument]
        nextArgument += 1
        return ExpressionValue.bridged(value)
    }

    private mutating func keyPathArgument() throws(PredicateParseError) -> String {
        let value = try takeArgument()
        guard case .string(let path) = ExpressionValue(value), !path.isEmpty else {
            throw failure("%K takes a key path, not \(value ?? "nil")")
        }
        advance()
        return path
    }

    private mutating func argument(_ type: Unicode.Scalar) throws(PredicateParseError) -> NSExpression {
        if type == "K" {
            let path = try keyPathArgument()
            return path == "SELF" || path == "self" ? .expressionForEvaluatedObject() : NSExpression(forKeyPath: path)
        }
        let value = try takeArgument()
        guard let operand = Self.operand(value, type) else {
            throw failure("%\(type) takes a number, not \(value ?? "nil")")
        }
        advance()
        operands.append((operand, type))
        return operand
    }

    /// The operand that an argument is in the place of a placeholder of a type other than `%K`; nil if the placeholder
    /// takes a number, and the argument is none.
    static func operand(_ argument: Any?, _ type: Unicode.Scalar) -> NSExpression? {
        switch type {
        case "@", "s", "S":
            // A cast of a text to a class would make an object of it first.
            if let argument, Swift.type(of: argument) == String.self { return NSExpression(forConstantValue: argument) }
            let value = ExpressionValue.bridged(argument)
            return value as? NSExpression ?? NSExpression(forConstantValue: value)
        default:
            let value = ExpressionValue.bridged(argument)
            let known = ExpressionValue(value)
            guard let real = known.doubleValue else { return nil }
            if "fFeEgGaA".unicodeScalars.contains(type) { return NSExpression(forConstantValue: real) }
            if case .double = known {
                return NSExpression(forConstantValue: Int64(exactly: real.rounded(.towardZero)) ?? real as Any)
            }
            return NSExpression(forConstantValue: value)
        }
    }
}

extension ExpressionFunction {
    private static let selectorsOfTwo = [
        "add:to:", "from:subtract:", "multiply:by:", "divide:by:", "modulus:by:", "raise:toPower:", "bitwiseAnd:with:",
        "bitwiseOr:with:", "bitwiseXor:with:", "leftshift:by:", "rightshift:by:", "tokenize:using:",
        "objectFrom:withIndex:", "castObject:toType:",
    ]

    /// The selector meant by `name` with that many arguments, whether its colons are written or not.
    static func selector(_ name: String, _ count: Int) -> String? {
        let candidates = count == 0 ? [name] : [name, name + ":"] + selectorsOfTwo.filter { $0.hasPrefix(name + ":") }
        return candidates.first { named($0)?.accepts(count) == true }
    }
}
