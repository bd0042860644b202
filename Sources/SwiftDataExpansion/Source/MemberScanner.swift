import SwiftScanning

/// Finds the properties of a class among its other members. Bodies of functions and types within are skipped.
struct MemberScanner {
    private let tokens: [SwiftToken]
    private var index: Int

    init(_ tokens: [SwiftToken], from index: Int = 0) {
        self.tokens = tokens
        self.index = index
    }

    private var current: SwiftToken? { index < tokens.count ? tokens[index] : nil }
    private func token(_ ahead: Int) -> SwiftToken? { index + ahead < tokens.count ? tokens[index + ahead] : nil }

    // MARK: Types

    /// Reads a type with its members; returns nil where the text is none.
    mutating func readType() -> ScannedType? {
        let prefix = readPrefix()
        guard let keyword = current, Self.types.contains(keyword.text), let name = token(1), name.isWord else {
            return nil
        }
        index += 2
        let isGeneric = current?.isMark("<") == true
        while let token = current, !token.isMark("{") { index += 1 }
        guard current != nil else { return nil }
        index += 1
        let members = readMembers()
        return ScannedType(
            prefix: prefix, keyword: keyword, name: name, isGeneric: isGeneric, members: members,
            isWhole: current?.isMark("}") == true)
    }

    private static let types = ["class", "struct", "enum", "actor", "protocol", "extension"]

    private mutating func readMembers() -> [ScannedMember] {
        var members: [ScannedMember] = []
        while let token = current, !token.isMark("}") {
            if case .directive = token.kind {
                members.append(.directive(token))
                index += 1
            } else if let member = readMember() {
                members.append(member)
            }
        }
        return members
    }

    /// Reads one member, at least one token of it.
    mutating func readMember() -> ScannedMember? {
        let start = index
        let prefix = readPrefix()
        guard let token = current else { return nil }
        if case .directive = token.kind { return nil }
        if token.isWord("var") || token.isWord("let") { return .property(readProperty(prefix)) }
        if token.isMark("#"), let name = self.token(1), name.isWord, name.follows == .nothing {
            return .macro(readMacro())
        }
        guard index == start || !token.isMark("}") else { return nil }
        if !token.isMark("{"), !token.isMark("("), !token.isMark("[") { index += 1 }
        let function = readSignature(behind: token)
        skipToDeclaration()
        return function
    }

    /// The name of a function, or of an initialiser, behind its keyword.
    private mutating func readSignature(behind keyword: SwiftToken) -> ScannedMember? {
        guard keyword.isWord("init") || keyword.isWord("func"), let first = current else { return nil }
        let name = keyword.isWord("func") ? first.text : keyword.text
        let open = tokens[index...].prefix(Self.longestGenerics).firstIndex { $0.isMark("(") }
        let label = open.flatMap { $0 + 1 < tokens.count ? tokens[$0 + 1] : nil }
        return .function(name: name, label: label?.isWord == true ? label?.text : nil)
    }

    private mutating func skipToDeclaration() {
        while let token = current, !token.isMark("}"), !startsDeclaration(token) { skipOne() }
        if current?.isMark(";") == true { index += 1 }
    }

    /// Skips one token, or everything between two brackets.
    private mutating func skipOne() {
        guard let token = current else { return }
        if token.isMark("(") || token.isMark("[") || token.isMark("{") {
            index = (tokens.closing(of: index) ?? tokens.count - 1) + 1
        } else {
            index += 1
        }
    }

    // MARK: Before a declaration

    mutating func readPrefix() -> ScannedPrefix {
        var prefix = ScannedPrefix()
        while let token = current {
            if token.isMark("@"), let name = self.token(1), name.isWord {
                prefix.attributes.append(readAttribute())
            } else if isModifier(token) {
                prefix.modifiers.append(readModifier())
            } else {
                break
            }
        }
        return prefix
    }

    private mutating func readAttribute() -> ScannedAttribute {
        let at = tokens[index]
        var name = tokens[index + 1].text
        index += 2
        while current?.isMark(".") == true, let part = token(1), part.isWord {
            name = part.text
            index += 2
        }
        if current?.isMark("<") == true, let end = closingAngle(from: index) { index = end + 1 }
        return ScannedAttribute(at: at, name: name, arguments: readArguments())
    }

    /// What stands between parentheses that follow at once.
    private mutating func readArguments() -> TokenSlice? {
        guard let open = current, open.isMark("("), open.follows == .nothing else { return nil }
        let start = index + 1
        skipOne()
        return tokens[min(start, index)..<max(start, index - 1)]
    }

    private func isModifier(_ token: SwiftToken) -> Bool {
        guard token.isWord else { return false }
        if token.text == "class" { return self.token(1).map { Self.behindClass.contains($0.text) } ?? false }
        guard Self.modifiers.contains(token.text), let next = self.token(1) else { return false }
        // A modifier is a name, too, where no declaration follows.
        return next.isWord || next.isMark("(") || next.isMark("@")
    }

    private mutating func readModifier() -> ScannedModifier {
        let word = tokens[index]
        index += 1
        let detail = readArguments()?.first?.text ?? ""
        return ScannedModifier(word: word, detail: detail)
    }

    private static let behindClass = Set(ScannedPrefix.levels).union([
        "var", "let", "func", "subscript", "override", "final",
    ])

    private static let modifiers = Set(ScannedPrefix.levels).union([
        "final", "override", "dynamic", "lazy", "weak", "unowned", "optional", "required", "convenience", "mutating",
        "nonmutating", "indirect", "static", "nonisolated", "isolated", "distributed", "consuming", "borrowing",
        "prefix", "postfix", "infix", "async",
    ])

    // MARK: Properties

    private mutating func readProperty(_ prefix: ScannedPrefix) -> ScannedProperty {
        let keyword = tokens[index]
        index += 1
        var bindings: [ScannedBinding] = []
        while let binding = readBinding() {
            bindings.append(binding)
            guard current?.isMark(",") == true else { break }
            index += 1
        }
        if current?.isMark(";") == true { index += 1 }
        return ScannedProperty(prefix: prefix, keyword: keyword, bindings: bindings)
    }

    private mutating func readBinding() -> ScannedBinding? {
        guard let name = current, name.isWord || name.isMark("(") else { return nil }
        skipOne()
        let type = readTypeText()
        var value: TokenSlice?
        if current?.isMark("=") == true {
            index += 1
            value = readValue()
        }
        return ScannedBinding(name: name, type: type, value: value, accessors: readAccessors(after: value != nil))
    }

    private mutating func readTypeText() -> TokenSlice? {
        guard current?.isMark(":") == true else { return nil }
        index += 1
        let start = index
        var depth = 0
        while let token = current, !token.isMark("}"), !token.isMark("{"), !token.isMark("="), !token.isMark(";") {
            if token.isMark("<") { depth += 1 }
            if token.isMark(">") { depth -= 1 }
            if depth <= 0, token.isMark(",") || (index > start && startsDeclaration(token)) { break }
            skipOne()
        }
        return tokens[start..<index]
    }

    private mutating func readValue() -> TokenSlice {
        let start = index
        while let token = current, !token.isMark("}"), !token.isMark(";") {
            if token.isMark("{"), startsAccessors() { break }
            if token.isMark(","), startsBinding(at: index + 1) { break }
            if index > start, startsDeclaration(token) { break }
            if token.isMark("<"), let end = closingAngle(from: index) {
                index = end + 1
            } else {
                skipOne()
            }
        }
        return tokens[start..<index]
    }

    private mutating func readAccessors(after value: Bool) -> ScannedAccessors {
        guard current?.isMark("{") == true, !value || startsAccessors() else { return .none }
        let start = index + 1
        skipOne()
        // Only the words outside of bodies count.
        var inside = MemberScanner(Array(tokens[start..<max(start, index - 1)]))
        var observers: [SwiftToken] = []
        while let token = inside.current {
            if Self.observers.contains(token.text) { observers.append(token) }
            inside.skipOne()
        }
        let isObserved = Self.observers.contains { word in tokens[start..<index].first { $0.isWord }?.text == word }
        return observers.isEmpty || !isObserved ? .computed : .observers(observers)
    }

    /// Whether the brace at the present place begins accessors: in a value it would begin a closure.
    private func startsAccessors() -> Bool {
        var inside = MemberScanner(tokens, from: index + 1)
        _ = inside.readPrefix()
        guard let word = inside.current, Self.accessors.contains(word.text), let next = inside.token(1) else {
            return false
        }
        return next.isMark("{") || next.isMark("(") || next.isWord("async") || next.isWord("throws")
    }

    private static let observers: Set<String> = ["willSet", "didSet"]
    private static let accessors = observers.union(["get", "set", "_read", "_modify", "init"])

    /// Whether a further variable begins at a place behind a comma.
    private func startsBinding(at place: Int) -> Bool {
        guard place + 1 < tokens.count, tokens[place].isWord else { return false }
        return tokens[place + 1].isMark(":") || tokens[place + 1].isMark("=")
    }

    /// The place of the bracket that closes generic arguments; nil where the mark at a place compares values.
    private func closingAngle(from place: Int) -> Int? {
        guard tokens[place].follows == .nothing, place > 0, tokens[place - 1].isWord else { return nil }
        var (position, depth) = (place, 0)
        while position < min(tokens.count, place + Self.longestGenerics) {
            let token = tokens[position]
            if token.isMark("<") {
                depth += 1
            } else if token.isMark(">") {
                depth -= 1
                if depth == 0 { return position }
            } else if !token.isWord, !Self.marksOfTypes.contains(token.text) {
                return nil
            }
            position += 1
        }
        return nil
    }

    /// The tokens after which a bracket is taken for a comparison, so that many of them are read in linear time.
    private static let longestGenerics = 200
    private static let marksOfTypes: Set<String> = [".", ",", "?", ":", "[", "]", "(", ")", "&", "->", "@", "!"]

    // MARK: Macros

    private mutating func readMacro() -> ScannedMacro {
        let pound = tokens[index]
        let name = tokens[index + 1].text
        index += 2
        var generics = tokens[index..<index]
        if current?.isMark("<") == true, let end = closingAngle(from: index) {
            generics = tokens[index + 1..<end]
            index = end + 1
        }
        let arguments = readArguments() ?? tokens[index..<index]
        skipToDeclaration()
        return ScannedMacro(pound: pound, name: name, generics: generics, arguments: arguments)
    }

    // MARK: Where declarations begin

    /// Whether a declaration begins with a token, so that the one before has ended.
    private func startsDeclaration(_ token: SwiftToken) -> Bool {
        if case .directive = token.kind { return true }
        if token.isMark(";") { return true }
        guard token.follows == .newline, index > 0 else { return false }
        if token.isWord, Self.keywords.contains(token.text) { return true }
        guard !expectsOperand(tokens[index - 1]) else { return false }
        return token.isMark("@") || token.isMark("#") || isModifier(token)
            || (Self.contextualKeywords.contains(token.text) && self.token(1)?.isWord == true)
    }

    private func expectsOperand(_ token: SwiftToken) -> Bool {
        if token.isWord { return ["try", "await", "as", "is", "in"].contains(token.text) }
        return token.isMark("=") || token.isMark(",") || token.isMark(":") || token.isMark("+") || token.isMark("-")
            || token.isMark("*") || token.isMark("/") || token.isMark("|") || token.isMark("->")
    }

    private static let keywords: Set<String> = [
        "var", "let", "func", "init", "deinit", "class", "struct", "enum", "protocol", "extension", "subscript",
        "typealias", "static", "private", "fileprivate", "internal", "public", "import", "case", "associatedtype",
        "operator", "precedencegroup",
    ]
    private static let contextualKeywords: Set<String> = ["actor", "macro"]
}
