import SwiftScanning

/// Reads the closure of `#Predicate`, and writes the calls that make its expression.
///
/// A part that names no variable of the closure is a constant, whatever it calls: it is written as it stands. The
/// operands of `&&` and `||` become constants of their own in the expansion, so that the compiler finds the types of
/// one after the other. An expression with many operands would take it too long.
struct PredicateParser {
    static let build = "Foundation.PredicateExpressions.build_"
    /// Before the functions of parts that the module makes itself.
    static let checked = "SwiftData._PredicateParts."
    /// The greatest number of parts within each other. Each takes a level of calls here and in the compiler.
    private static let deepest = 200

    /// The greatest number of variables without names.
    private static let mostParameters = 20

    let tokens: [SwiftToken]
    private let source: SourceText
    var index = 0
    /// The names of the closures' variables, with the names that they have in the expansion.
    var variables: [(name: String, text: String)] = []
    /// The statements of the closures that are being written.
    private var statements: [[String]] = []
    private var names = 0
    private var depth = 0
    /// The greatest number of bytes of an expression. The parts of a longer one would be copied for too long.
    private static let longest = 100_000
    /// Whether a brace begins a block, as behind `if`, and no closure.
    var isBeforeBlock = false

    init(_ tokens: [SwiftToken], of source: SourceText) {
        self.tokens = tokens
        self.source = source
    }

    var current: SwiftToken? { index < tokens.count ? tokens[index] : nil }
    func token(_ ahead: Int) -> SwiftToken? { index + ahead < tokens.count ? tokens[index + ahead] : nil }
    func text(_ range: Range<Int>) -> String { source.text(of: tokens[range]) }

    mutating func newName(_ kind: String) -> String {
        names += 1
        // No name of a program has a dollar sign.
        return "_$\(kind)\(names)"
    }

    func unexpected(_ what: String) -> PredicateFault {
        PredicateFault("a predicate needs \(what) here", at: current)
    }

    // MARK: Closures

    /// Reads `#Predicate<Trip> { … }` or `#Predicate<Trip>({ … })`.
    mutating func readMacro() throws(PredicateFault) -> String {
        index = 2
        if current?.isMark("<") == true, let end = tokens.closingAngle(of: index) { index = end + 1 }
        if current?.isMark("(") == true { index += 1 }
        return try readClosure()
    }

    /// Reads a closure with one expression. The closure of a predicate of several models has a variable for each.
    mutating func readClosure() throws(PredicateFault) -> String {
        guard current?.isMark("{") == true, let end = tokens.closing(of: index) else {
            throw unexpected("a closure")
        }
        index += 1
        let captures = readCaptures()
        let written = readParameters(before: end)
        let (outer, count) = (variables, statements.count)
        if written.isEmpty {
            // `$0` of a closure around cannot be used in this one.
            variables.removeAll { $0.name.hasPrefix("$") }
        }
        let parameters = (written.isEmpty ? numberedParameters(before: end) : written).map { ($0, newName("value")) }
        variables += parameters
        let names = parameters.map(\.1).joined(separator: ", ")
        let (wasBeforeBlock, wasInPlace) = (isBeforeBlock, isInPlace)
        (isBeforeBlock, isInPlace) = (false, false)
        defer {
            variables = outer
            statements.removeSubrange(count...)
            (isBeforeBlock, isInPlace) = (wasBeforeBlock, wasInPlace)
        }
        statements.append([])
        let result = try readBody(before: end)
        index = end + 1
        return "{ \(captures)\(names) in\n" + statements[count].map { $0 + "\n" }.joined() + "return \(result)\n}"
    }

    /// The list of captures before the names, as it is written.
    private mutating func readCaptures() -> String {
        guard current?.isMark("[") == true, let end = tokens.closing(of: index) else { return "" }
        let isList =
            end + 1 < tokens.count
            && (tokens[end + 1].isWord && tokens[end + 1].follows != .nothing
                || tokens[end + 1].isMark("(") && tokens[end + 1].follows != .nothing)
        guard isList,
            tokens[(end + 1)...].prefix(while: { !$0.isMark("{") && !$0.isMark("}") }).contains(where: {
                $0.isWord("in")
            })
        else { return "" }
        defer { index = end + 1 }
        return text(index..<end + 1) + " "
    }

    /// The names before `in`, without their types.
    private mutating func readParameters(before end: Int) -> [String] {
        guard let keyword = tokens[index..<end].firstIndex(where: { $0.isWord("in") || $0.isMark("{") }),
            tokens[keyword].isWord("in")
        else { return [] }
        let start = tokens[index].isMark("(") ? index + 1 : index
        let names = (start..<keyword).filter {
            tokens[$0].isWord && ($0 == start || tokens[$0 - 1].isMark(","))
        }
        index = keyword + 1
        return names.map { tokens[$0].text }
    }

    /// `$0`, and the numbers up to the greatest one that the closure itself uses.
    private func numberedParameters(before end: Int) -> [String] {
        var braces = 0
        var count = 1
        for token in tokens[index..<end] {
            if token.isMark("{") { braces += 1 }
            if token.isMark("}") { braces -= 1 }
            guard braces == 0, token.text.hasPrefix("$"), let number = Int(token.text.dropFirst()) else { continue }
            count = max(count, min(number, Self.mostParameters - 1) + 1)
        }
        return (0..<count).map { "$\($0)" }
    }

    /// Reads the only statement of a closure or of a branch.
    mutating func readBody(before end: Int) throws(PredicateFault) -> String {
        if current?.isWord("return") == true { index += 1 }
        let result = try current?.isWord("if") == true ? readIf() : readExpression()
        guard index == end else {
            throw PredicateFault("a predicate is one expression, and another one begins here", at: current)
        }
        return result
    }

    // MARK: Conditions

    private mutating func readIf() throws(PredicateFault) -> String {
        guard current?.isWord("if") == true else { throw unexpected("'if'") }
        index += 1
        var conditions: [(binding: (name: String, text: String)?, text: String)] = []
        let outer = variables
        repeat {
            if !conditions.isEmpty { index += 1 }
            conditions.append(try readCondition())
        } while current?.isMark(",") == true
        let then = try readBranch()
        variables = outer
        guard current?.isWord("else") == true else { throw unexpected("'else'") }
        index += 1
        let otherwise = current?.isWord("if") == true ? try readIf() : try readBranch()
        var result = then
        for condition in conditions.reversed() {
            if let binding = condition.binding {
                let mapped = "\(Self.build)flatMap(\(condition.text)) { \(binding.text) in \(result) }"
                result = "\(Self.build)NilCoalesce(lhs: \(mapped), rhs: \(otherwise))"
            } else {
                result = "\(Self.build)Conditional(\(condition.text), \(result), \(otherwise))"
            }
        }
        return result
    }

    /// Reads a condition, or `let name = value`, whose name is known from here on.
    private mutating func readCondition() throws(PredicateFault) -> (
        binding: (name: String, text: String)?, text: String
    ) {
        let wasBeforeBlock = isBeforeBlock
        isBeforeBlock = true
        defer { isBeforeBlock = wasBeforeBlock }
        guard current?.isWord("let") == true else { return (nil, try readExpression()) }
        guard let name = token(1), name.isWord else { throw unexpected("a name") }
        index += 2
        let value: String
        if current?.isMark("=") == true {
            index += 1
            value = try readExpression()
        } else {
            value = variable(name.text) ?? "\(Self.build)Arg(\(name.text))"
        }
        let binding = (name: name.text, text: newName("value"))
        variables.append(binding)
        return (binding, value)
    }

    private mutating func readBranch() throws(PredicateFault) -> String {
        guard current?.isMark("{") == true, let end = tokens.closing(of: index) else { throw unexpected("'{'") }
        index += 1
        let wasBeforeBlock = isBeforeBlock
        isBeforeBlock = false
        defer { isBeforeBlock = wasBeforeBlock }
        let result = try readingInPlace { parser throws(PredicateFault) in try parser.readBody(before: end) }
        index = end + 1
        return result
    }

    /// Reads a part whose operands stay where they are, because they may name variables of it.
    mutating func readingInPlace(
        _ read: (inout PredicateParser) throws(PredicateFault) -> String
    ) throws(PredicateFault) -> String {
        try enter()
        let wasInPlace = isInPlace
        isInPlace = true
        defer {
            isInPlace = wasInPlace
            depth -= 1
        }
        return try read(&self)
    }

    /// Whether operands stay where they are.
    private var isInPlace = false

    /// The name of a variable in the expansion; nil for any other name.
    func variable(_ name: String) -> String? { variables.last { $0.name == name }?.text }

    // MARK: Operators

    /// Begins a part within another one.
    private mutating func enter() throws(PredicateFault) {
        guard depth < Self.deepest else {
            throw PredicateFault("the predicate has too many parts within each other", at: current)
        }
        depth += 1
    }

    /// Throws for an expression that is too long.
    func limited(_ expression: String) throws(PredicateFault) -> String {
        guard expression.utf8.count <= Self.longest else {
            throw PredicateFault("the predicate has too many parts", at: current)
        }
        return expression
    }

    mutating func readExpression() throws(PredicateFault) -> String {
        try enter()
        defer { depth -= 1 }
        let test = try readOperands(above: 0)
        guard let question = current, question.isMark("?"), question.follows != .nothing else { return test }
        index += 1
        let first = try readExpression()
        guard current?.isMark(":") == true else { throw unexpected("':'") }
        index += 1
        let second = try readExpression()
        return "\(Self.build)Conditional(\(test), \(first), \(second))"
    }

    private mutating func readOperands(above level: Int) throws(PredicateFault) -> String {
        try enter()
        defer { depth -= 1 }
        var left = try readPrefix()
        while true {
            left = try limited(left)
            if let cast = try readCast(above: level, left) {
                left = cast
            } else if let (found, length) = operatorFound(at: index), found.level > level {
                index += length
                let right = try readOperands(above: found.joinsFromRight ? found.level - 1 : found.level)
                left =
                    found.joinsConditions
                    ? found.build(hoisted(left), hoisted(right)) : found.build(left, right)
            } else {
                return left
            }
        }
    }

    /// An operand as a constant of its own.
    private mutating func hoisted(_ operand: String) -> String {
        guard !isInPlace, !statements.isEmpty, operand.utf8.count > 40 else { return operand }
        let name = newName("part")
        statements[statements.count - 1].append("let \(name) = \(operand)")
        return name
    }

    /// The operator between two operands that begins at an index, with the number of its tokens.
    func operatorFound(at index: Int) -> (PredicateOperator, Int)? {
        for length in [3, 2, 1] where index + length <= tokens.count {
            let marks = tokens[index..<index + length]
            guard marks.allSatisfy({ !$0.isWord }), marks.dropFirst().allSatisfy({ $0.follows == .nothing }) else {
                continue
            }
            if let found = PredicateOperator.all[marks.map(\.text).joined()] { return (found, length) }
        }
        return nil
    }

    private mutating func readPrefix() throws(PredicateFault) -> String {
        guard let token = current else { throw unexpected("an operand") }
        if token.isWord("try") || token.isWord("await") {
            index += 1
            return try readPrefix()
        }
        if token.isMark("!") || token.isMark("-") {
            let start = index
            index += 1
            if token.isMark("-"), let number = current, number.isWord, number.text.first?.isNumber == true {
                index = endOfChain(from: index)
                return "\(Self.build)Arg(\(text(start..<index)))"
            }
            try enter()
            defer { depth -= 1 }
            let operand = try readPrefix()
            return token.isMark("!") ? "\(Self.build)Negation(\(operand))" : "\(Self.checked)negative(\(operand))"
        }
        return try readChain()
    }

    // MARK: Casts

    /// Reads `is T`, `as T`, `as? T` or `as! T`.
    private mutating func readCast(above level: Int, _ operand: String) throws(PredicateFault) -> String? {
        guard let keyword = current, keyword.isWord("is") || keyword.isWord("as"),
            PredicateOperator.castLevel > level
        else { return nil }
        index += 1
        var node = keyword.isWord("is") ? "TypeCheck" : "ForceCast"
        if let mark = current, mark.follows == .nothing, mark.isMark("?") || mark.isMark("!") {
            if mark.isMark("?") { node = "ConditionalCast" }
            index += 1
        }
        let start = index
        skipType()
        guard index > start else { throw unexpected("a type") }
        return "Foundation.PredicateExpressions.\(node)<_, \(text(start..<index))>(\(operand))"
    }

    private mutating func skipType() {
        while let token = current {
            if token.isMark("(") || token.isMark("[") {
                index = (tokens.closing(of: index) ?? tokens.count - 1) + 1
            } else if token.isWord {
                index += 1
            } else {
                return
            }
            if current?.isMark("<") == true, let end = tokens.closingAngle(of: index) { index = end + 1 }
            while let mark = current, mark.isMark("?"), mark.follows == .nothing { index += 1 }
            guard let dot = current, dot.isMark("."), self.token(1)?.isWord == true else { return }
            index += 1
        }
    }
}
