import SwiftScanning

/// A property or method of a class that Objective-C would find by its name.
struct NamedMember {
    enum Kind: Equatable {
        case property(isSettable: Bool)
        case method(parameters: [ManagedMember.Parameter], throws: Bool, hasResult: Bool)
    }

    let kind: Kind
    /// The name with the backticks of the source.
    let name: String
    /// The class, in the form for an extension of it.
    let className: String
    /// Whether only its file may use it.
    let isOfFile: Bool
    /// Whether code of any thread can call it without a warning.
    let isPlain: Bool
    /// Whether the member belongs to the main actor if that is the module's default, although the class is declared
    /// nonisolated.
    let isOfDefaultIsolation: Bool
    let conditions: [String]
    let file: String
    let line: Int
    let column: Int

    /// The name without backticks.
    var plainName: String { name.filter { $0 != "`" } }
}

/// Reads the declaration of a property or method, as far as a call of it needs.
struct NamedMemberReader {
    private let tokens: [SwiftToken]

    init(_ tokens: [SwiftToken]) { self.tokens = tokens }

    private func isMark(_ mark: String, at index: Int) -> Bool { index < tokens.count && tokens[index].isMark(mark) }
    private func isWord(_ word: String, at index: Int) -> Bool { index < tokens.count && tokens[index].isWord(word) }

    /// The method whose keyword is at an index; nil if a call by name cannot give its parameters or wait for its
    /// result.
    func method(at keyword: Int) -> NamedMember.Kind? {
        guard isMark("(", at: keyword + 2), let close = tokens.closing(of: keyword + 2),
            let parameters = parameters(in: keyword + 3..<close)
        else { return nil }
        var index = close + 1
        var canThrow = false
        if isWord("async", at: index) || isWord("rethrows", at: index) { return nil }
        if isWord("throws", at: index) {
            canThrow = true
            index += 1
            if isMark("(", at: index) { index = (tokens.closing(of: index) ?? index) + 1 }
        }
        guard isMark("->", at: index) else {
            return .method(parameters: parameters, throws: canThrow, hasResult: false)
        }
        if isWord("Never", at: index + 1) { return nil }
        let isVoid = isWord("Void", at: index + 1) || isMark("(", at: index + 1) && isMark(")", at: index + 2)
        return .method(parameters: parameters, throws: canThrow, hasResult: !isVoid)
    }

    private func parameters(in range: Range<Int>) -> [ManagedMember.Parameter]? {
        var parameters: [ManagedMember.Parameter] = []
        var (start, depth) = (range.lowerBound, 0)
        for index in range.lowerBound...range.upperBound {
            if index < range.upperBound {
                if ["(", "[", "<"].contains(where: tokens[index].isMark) { depth += 1 }
                if [")", "]", ">"].contains(where: tokens[index].isMark) { depth -= 1 }
                guard depth == 0, tokens[index].isMark(",") else { continue }
            } else if start == index {
                break
            }
            guard let colon = (start..<index).first(where: { isMark(":", at: $0) }), (1...2).contains(colon - start),
                colon + 1 < index
            else { return nil }
            let end = (colon..<index).first { isMark("=", at: $0) } ?? index
            let type = tokens[colon + 1..<end]
            // Expressions have no values for blocks and variadic parameters.
            if type.contains(where: { ["@", "->"].contains(where: $0.isMark) }) || isMark(".", at: end - 1) {
                return nil
            }
            parameters.append(
                .init(
                    label: tokens[start].text,
                    type: type.map { $0.text + ($0.isWord("inout") ? " " : "") }.joined()))
            start = index + 1
        }
        return parameters
    }

    /// The property whose keyword is at an index; nil if its type is not written or reading it may throw.
    func property(at keyword: Int) -> NamedMember.Kind? {
        guard isMark(":", at: keyword + 2) else { return nil }
        let isConstant = isWord("let", at: keyword)
        var (index, depth) = (keyword + 3, 0)
        while index < tokens.count {
            let token = tokens[index]
            if depth == 0 {
                if token.isMark("{") { return accessors(at: index) }
                if token.isMark("=") || token.isMark(";") || token.isMark("}") { break }
                if token.isMark(",") { return nil }
                if case .directive = token.kind { break }
                let continues = ["?", "!", ".", "&"].contains(where: token.isMark)
                if token.follows == .newline, index > keyword + 3, !continues, !isMark("&", at: index - 1) { break }
            }
            // A block is no value of a key.
            if token.isMark("->") { return nil }
            if ["(", "[", "<"].contains(where: token.isMark) { depth += 1 }
            if [")", "]", ">"].contains(where: token.isMark) { depth -= 1 }
            index += 1
        }
        return .property(isSettable: !isConstant)
    }

    /// The property by the accessors in the braces after the type.
    private func accessors(at brace: Int) -> NamedMember.Kind? {
        guard let close = tokens.closing(of: brace) else { return nil }
        var (index, isSettable) = (brace + 1, false)
        while index < close {
            if ["{", "(", "["].contains(where: tokens[index].isMark) {
                index = (tokens.closing(of: index) ?? close) + 1
                continue
            }
            let opens = (isMark("{", at: index + 1) || isMark("(", at: index + 1)) && !isMark(".", at: index - 1)
            if isWord("get", at: index), isWord("async", at: index + 1) || isWord("throws", at: index + 1) {
                return nil
            }
            if opens, ["set", "willSet", "didSet", "_modify"].contains(where: tokens[index].isWord) {
                isSettable = true
            }
            index += 1
        }
        return .property(isSettable: isSettable)
    }
}
