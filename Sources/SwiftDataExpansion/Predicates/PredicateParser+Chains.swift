import SwiftScanning

// Operands: names, literals and what follows them, such as members, calls and subscripts.
extension PredicateParser {
    /// Reads an operand with everything that is joined to it by dots, brackets and question marks.
    mutating func readChain() throws(PredicateFault) -> String {
        guard let first = current, !first.isMark("{"), !first.isMark("}"), !first.isMark(")") else {
            throw unexpected("an operand")
        }
        let ends = endsOfChain(from: index)
        let start = index
        let end = ends[ends.count - 1]
        let variable = firstVariable(in: start..<end) ?? end
        // A range of constants stops the process if its bounds are reversed. Its part in a predicate does not.
        if !isSearchedRange(start..<ends[0]),
            let constant = ends.last(where: { $0 <= variable && !($0 < end && beginsCall($0)) })
        {
            index = constant
            return try readSuffixes(of: self.constant(start..<constant, ends), before: end)
        }
        return try readSuffixes(of: try readBase(before: ends[0]), before: end)
    }

    /// A part without variables. Where it unwraps a value by force, the predicate does so when it is evaluated, as in
    /// `name == nil || $0.name == name!`.
    private func constant(_ range: Range<Int>, _ ends: [Int]) -> String {
        let whole = text(range)
        if whole == "nil" { return "\(Self.build)NilLiteral()" }
        if let element = element(range, ends) { return element }
        let marks = ends.filter { $0 < range.upperBound && tokens[$0].isMark("!") }
        guard !marks.isEmpty, zip(marks, marks.dropFirst()).allSatisfy({ $0 + 1 < $1 }) else {
            return "\(Self.build)Arg(\(whole))"
        }
        var parts: [String] = []
        var start = range.lowerBound
        for mark in marks {
            parts.append(text(start..<mark))
            start = mark + 1
        }
        let last = start < range.upperBound ? "?" + text(start..<range.upperBound) : ""
        return "\(Self.checked)unwrapped(\(parts.joined(separator: "?"))\(last), as: { \(whole) })"
    }

    /// The part for an element of a list, such as `list[0]`: an index that the list does not have is missed when the
    /// predicate is evaluated, as in `list.isEmpty || $0.name == list[0]`. Nil for other constants.
    private func element(_ range: Range<Int>, _ ends: [Int]) -> String? {
        guard let start = ends.last(where: { $0 < range.upperBound }), tokens[start].isMark("["),
            !["?", "!"].contains(where: tokens[start - 1].isMark)
        else { return nil }
        let index = start + 1..<range.upperBound - 1
        guard !index.isEmpty, !index.contains(where: { tokens[$0].isMark(",") || tokens[$0].isMark(":") }) else {
            return nil
        }
        return "\(Self.checked)element(in: \(text(range.lowerBound..<start)), at: \(text(index))) { $0[$1] }"
    }

    /// Reads a variable, or an expression in parentheses.
    private mutating func readBase(before end: Int) throws(PredicateFault) -> String {
        if let name = current, name.isWord, let variable = variable(name.text) {
            index = end
            return variable
        }
        guard current?.isMark("(") == true else {
            throw PredicateFault("a list with values of the variable is not supported in a predicate", at: current)
        }
        index += 1
        let wasBeforeBlock = isBeforeBlock
        isBeforeBlock = false
        defer { isBeforeBlock = wasBeforeBlock }
        let inner = try readExpression()
        guard index == end - 1 else { throw unexpected("')'") }
        index = end
        return inner
    }

    // MARK: Where an operand ends

    /// The indexes behind the first token of an operand, and behind each of its members, calls and other suffixes.
    private func endsOfChain(from start: Int) -> [Int] {
        var ends = [endOfBase(start)]
        while let end = endOfSuffix(ends[ends.count - 1]) { ends.append(end) }
        return ends
    }

    /// The index behind a number with everything that is joined to it.
    func endOfChain(from start: Int) -> Int { endsOfChain(from: start).last ?? start + 1 }

    private func endOfBase(_ start: Int) -> Int {
        let token = tokens[start]
        if token.isMark("(") || token.isMark("[") { return (tokens.closing(of: start) ?? tokens.count - 1) + 1 }
        if token.isMark("."), start + 1 < tokens.count { return start + 2 }
        guard token.isWord, start + 1 < tokens.count, tokens[start + 1].isMark("<"),
            tokens[start + 1].follows == .nothing, let angle = tokens.closingAngle(of: start + 1),
            angle + 1 < tokens.count, tokens[angle + 1].isMark("("), tokens[angle + 1].follows == .nothing
        else { return start + 1 }
        return angle + 1
    }

    private func endOfSuffix(_ start: Int) -> Int? {
        guard start < tokens.count else { return nil }
        let token = tokens[start]
        let next = start + 1 < tokens.count ? tokens[start + 1] : nil
        if token.isMark("."), let next, next.isWord { return start + 2 }
        if token.isMark("{"), !isBeforeBlock, token.follows != .newline, tokens[start - 1].isWord {
            return tokens.closing(of: start).map { $0 + 1 }
        }
        guard token.follows == .nothing else { return nil }
        if token.isMark("(") || token.isMark("[") { return tokens.closing(of: start).map { $0 + 1 } }
        if token.isMark("?"), let next, next.follows == .nothing || next.isMark("."), !next.isMark("?") {
            return start + 1
        }
        if token.isMark("!"), next?.isMark("=") != true || next?.follows != .nothing { return start + 1 }
        return nil
    }

    /// Whether the arguments of a call begin at an index.
    private func beginsCall(_ index: Int) -> Bool {
        tokens[index].isMark("{") || tokens[index].isMark("(") && tokens[index].follows == .nothing
    }

    /// The first token that names a variable of the closures around. `$0` in a closure among the tokens is that
    /// closure's own.
    private func firstVariable(in range: Range<Int>) -> Int? {
        var braces = 0
        return range.first { position in
            let token = tokens[position]
            if token.isMark("{") { braces += 1 }
            if token.isMark("}") { braces -= 1 }
            guard token.isWord, variable(token.text) != nil, braces == 0 || !token.text.hasPrefix("$")
            else { return false }
            return !isMember(position) && !(braces == 0 && isLabel(position))
        }
    }

    /// Whether tokens are a range in parentheses, followed by `contains`.
    private func isSearchedRange(_ range: Range<Int>) -> Bool {
        let (first, last) = (range.lowerBound + 1, range.upperBound - 1)
        guard tokens[range.lowerBound].isMark("("), token(range.count)?.isMark(".") == true,
            token(range.count + 1)?.isWord("contains") == true
        else { return false }
        var position = first
        while position < last {
            let isGroup = ["(", "[", "{"].contains(where: tokens[position].isMark)
            if isGroup, let end = tokens.closing(of: position) {
                position = end + 1
            } else if let (found, length) = operatorFound(at: position) {
                let isBetween = position > first && position + length < last
                if isBetween, found.text == "..." || found.text == "..<" { return true }
                position += length
            } else {
                position += 1
            }
        }
        return false
    }

    /// Whether a name stands behind a dot that is no part of a range.
    private func isMember(_ position: Int) -> Bool {
        position > 0 && tokens[position - 1].isMark(".") && tokens[position].follows == .nothing
            && !(position > 1 && tokens[position - 2].isMark("."))
    }

    private func isLabel(_ position: Int) -> Bool {
        position + 1 < tokens.count && tokens[position + 1].isMark(":") && tokens[position + 1].follows == .nothing
    }

    // MARK: Suffixes

    private mutating func readSuffixes(of base: String, before end: Int) throws(PredicateFault) -> String {
        var value = base
        while index < end, let token = current {
            value = try limited(value)
            if token.isMark("?") {
                index += 1
                let name = newName("value")
                let rest = try readingInPlace { parser throws(PredicateFault) in
                    try parser.readSuffixes(of: name, before: end)
                }
                return "\(Self.build)flatMap(\(value)) { \(name) in \(rest) }"
            }
            if token.isMark("!") {
                index += 1
                value = "\(Self.build)ForcedUnwrap(\(value))"
            } else if token.isMark("[") {
                let arguments = try readArguments()
                value = "\(Self.build)subscript(\(([value] + arguments.map(\.text)).joined(separator: ", ")))"
            } else if token.isMark("."), let name = self.token(1) {
                index += 2
                let isCall = current.map { index < end && ($0.isMark("(") && $0.follows == .nothing || $0.isMark("{")) }
                value =
                    isCall == true
                    ? try readCall(of: name, on: value)
                    : "\(Self.build)KeyPath(root: \(value), keyPath: \\.\(name.text))"
            } else {
                throw PredicateFault("a call of a value is not supported in a predicate", at: token)
            }
        }
        return value
    }

    /// An argument with its label, as it stands in the source.
    private struct Argument {
        let label: String?
        let text: String
        var isClosure = false
    }

    /// Reads arguments in parentheses or brackets, and a closure behind them.
    private mutating func readArguments() throws(PredicateFault) -> [Argument] {
        var arguments: [Argument] = []
        if current?.isMark("{") != true {
            let end = tokens.closing(of: index) ?? tokens.count - 1
            index += 1
            let wasBeforeBlock = isBeforeBlock
            isBeforeBlock = false
            defer { isBeforeBlock = wasBeforeBlock }
            while index < end {
                var label: String?
                if let name = current, name.isWord, token(1)?.isMark(":") == true {
                    label = name.text
                    index += 2
                }
                let isClosure = current?.isMark("{") == true
                let value = try isClosure ? readClosure() : readExpression()
                arguments.append(
                    Argument(label: label, text: label.map { "\($0): \(value)" } ?? value, isClosure: isClosure))
                guard index < end else { break }
                guard current?.isMark(",") == true else { throw unexpected("','") }
                index += 1
            }
            index = end + 1
        }
        if let brace = current, brace.isMark("{"), !isBeforeBlock, brace.follows != .newline {
            arguments.append(Argument(label: nil, text: try readClosure(), isClosure: true))
        }
        return arguments
    }

    private mutating func readCall(of name: SwiftToken, on base: String) throws(PredicateFault) -> String {
        let arguments = try readArguments()
        // A closure without a label stands behind the parentheses.
        let inside = arguments.filter { !$0.isClosure || $0.label != nil }
        let behind = arguments.filter { $0.isClosure && $0.label == nil }.map { " " + $0.text }.joined()
        let all = "(" + ([base] + inside.map(\.text)).joined(separator: ", ") + ")" + behind
        switch (name.text, arguments.map { $0.label ?? "_" }.joined(separator: ",")) {
        case ("contains", "_"), ("contains", "where"), ("filter", "_"), ("allSatisfy", "_"), ("flatMap", "_"),
            ("min", ""), ("max", ""):
            return "\(Self.build)\(name.text)\(all)"
        case ("starts", "with"): return "\(Self.build)starts\(all)"
        case ("hasPrefix", "_"): return "\(Self.build)starts(\(base), with: \(arguments[0].text))"
        case ("localizedStandardContains", "_"), ("localizedCompare", "_"), ("caseInsensitiveCompare", "_"),
            ("evaluate", "_"):
            return "\(Self.checked)\(name.text)\(all)"
        default:
            throw PredicateFault(
                "'\(name.text)' is not supported in a predicate: give the model a computed property with its value",
                at: name)
        }
    }
}
