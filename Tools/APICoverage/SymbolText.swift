/// Reads the names out of a piece of declaration: `class func a(b c: D) -> E / var f, g: H`.
///
/// The text is Swift with shorthands: several pieces with ` / ` or `;` between them, `name(label:label:)` without
/// types, `enum Name : Raw { a=0, b=1 }`, `Type(label:)` for an initialiser, `.name` for a case or a notification's
/// name.
public struct SymbolText {
    private var owner: String?
    private var symbols: [APISymbol] = []

    /// The symbols that a text names. A member belongs to `owner` unless the text names another type.
    public static func symbols(in text: String, owner: String?) -> [APISymbol] {
        var reader = SymbolText(owner: owner)
        let plain = text.replacing("->", with: "→").replacing("unowned(unsafe)/weak", with: "weak")
        for piece in plain.split(atTopLevel: [";", "/"]) { reader.read(piece) }
        return reader.symbols
    }

    private init(owner: String?) {
        self.owner = owner
    }

    private mutating func read(_ piece: String) {
        var words = piece.split(separator: " ").map(String.init)
        var isStatic: Bool?
        while let word = words.first {
            if word == "static" || word == "class", words.count > 1, words[1] != ":" {
                isStatic = true
            } else if !Self.modifiers.contains(word), !word.hasPrefix("@") {
                break
            }
            words.removeFirst()
        }
        guard let first = words.first else { return }
        let rest = words.dropFirst().joined(separator: " ")
        switch first {
        case "func", "case":
            add(member: rest, isStatic: isStatic ?? false)
        case "var", "let":
            for name in rest.upTo([":", "{", "="]).split(separator: ",") {
                add(member: String(name), isStatic: isStatic)
            }
        case "enum", "struct", "protocol", "class":
            readType(rest)
        default:
            readBare(words.joined(separator: " "), isStatic: isStatic)
        }
    }

    private static let modifiers: Set<String> = ["convenience", "open", "public", "weak", "final", "unowned(unsafe)"]

    /// `Name : Raw { members }`
    private mutating func readType(_ text: String) {
        let name = text.upTo([":", "{", "<"]).trimmed
        let path = name.hasPrefix("NS") || owner == nil ? name : "\(owner!).\(name)"
        symbols.append(APISymbol(path))
        guard let open = text.firstIndex(of: "{"), let close = text.lastIndex(of: "}") else { return }
        let outer = owner
        owner = path
        for member in String(text[text.index(after: open)..<close]).split(atTopLevel: [",", ";"]) { read(member) }
        owner = outer
    }

    /// A piece without a keyword.
    private mutating func readBare(_ text: String, isStatic: Bool?) {
        let list = text.upTo(["{"]).split(atTopLevel: [","])
        if list.count > 1, text.first?.isUppercase != true {
            for name in list { readBare(name, isStatic: isStatic) }
        } else if text.hasPrefix(".NS") {
            symbols.append(APISymbol("NSNotification.Name." + text.dropFirst().upTo([" ", "("])))
        } else if text.hasPrefix(".") {
            add(member: String(text.dropFirst()), isStatic: nil)
        } else if text.first?.isUppercase == true {
            readNamed(text)
        } else {
            add(member: text, isStatic: isStatic)
        }
    }

    /// A piece that begins with a type or a global: `Type { members }`, `Type(label:)`, `Type.member`, `Global = 1
    /// (.code)`.
    private mutating func readNamed(_ text: String) {
        let name = text.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        let rest = text.dropFirst(name.count).skippingGenerics
        if rest.first == "(" {
            owner = String(name)
            add(member: "init" + rest, isStatic: nil)
        } else if rest.first == "." {
            owner = String(name)
            add(member: String(rest.dropFirst()), isStatic: nil)
        } else if rest.trimmed.first == "{" {
            readType(text)
        } else if rest.trimmed.first == "=", !name.hasSuffix("Error"), let owner {
            symbols.append(APISymbol("\(owner).\(name)"))
        } else {
            symbols.append(APISymbol(String(name)))
            guard name.hasSuffix("Error"), let start = rest.range(of: "(.") else { return }
            let code = rest[start.upperBound...].upTo([")"])
            symbols.append(APISymbol("CocoaError.\(code)"))
            symbols.append(APISymbol("CocoaError.Code.\(code)"))
        }
    }

    /// A function, initialiser, property or case of the owner.
    private mutating func add(member text: String, isStatic: Bool?) {
        let text = text.trimmed
        var base = text.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        let rest = text.dropFirst(base.count)
        if base.isEmpty { return }
        var afterBase = rest.first == "?" || rest.first == "!" ? rest.dropFirst() : rest
        afterBase = afterBase.skippingGenerics
        var name = String(base)
        var isAsync = false
        if afterBase.first == "(" {
            let (inside, after) = afterBase.parenthesised
            let labels = base == "subscript" ? Self.labels(inside).map { _ in "_" } : Self.labels(inside)
            name += "(" + labels.map { $0 + ":" }.joined() + ")"
            isAsync = after.split(separator: " ").contains("async")
        }
        base = ""
        symbols.append(
            APISymbol(
                owner.map { "\($0).\(name)" } ?? name, isStatic: name.hasPrefix("init(") ? nil : isStatic,
                isAsync: isAsync))
    }

    private static func labels(_ parameters: String) -> [String] {
        let isShort = !parameters.contains(" ") && parameters.hasSuffix(":")
        if isShort { return parameters.split(separator: ":").map(String.init) }
        return parameters.split(atTopLevel: [","]).map { String($0.upTo([" ", ":"])) }
    }
}

extension StringProtocol {
    /// Without white space at the ends.
    var trimmed: String {
        var text = Substring(self)
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }

    func upTo(_ stops: Set<Character>) -> String { String(prefix { !stops.contains($0) }) }

    /// The pieces between separators that stand outside all brackets.
    func split(atTopLevel separators: Set<Character>) -> [String] {
        var pieces = [""]
        var depth = 0
        for character in self {
            if "([{<".contains(character) { depth += 1 }
            if ")]}>".contains(character) { depth -= 1 }
            if depth == 0, separators.contains(character) {
                pieces.append("")
            } else {
                pieces[pieces.count - 1].append(character)
            }
        }
        return pieces.map(\.trimmed).filter { !$0.isEmpty }
    }
}

extension Substring {
    /// What follows a leading `<…>`.
    var skippingGenerics: Substring {
        guard first == "<" else { return self }
        var depth = 0
        for index in indices {
            if self[index] == "<" { depth += 1 }
            if self[index] == ">" { depth -= 1 }
            if depth == 0 { return self[self.index(after: index)...] }
        }
        return self
    }

    /// What stands in the parentheses at the beginning, and what follows them.
    var parenthesised: (inside: String, after: Substring) {
        var depth = 0
        for index in indices {
            if self[index] == "(" { depth += 1 }
            if self[index] == ")" { depth -= 1 }
            if depth == 0 {
                return (String(self[self.index(after: startIndex)..<index]), self[self.index(after: index)...])
            }
        }
        return (String(dropFirst()), "")
    }
}
