import TestSupport

/// The names that a Swift source declares for other sources, and those that it uses.
struct SourceNames {
    /// A type, a global, or a member of a type.
    struct Declaration: Hashable {
        let name: String
        let isMember: Bool
    }

    /// The names that can be used elsewhere: nothing private, nothing within functions.
    private(set) var declarations: Set<Declaration> = []
    /// Every name in the source that is none of its own variables, parameters, labels or types.
    private(set) var used: Set<String> = []

    private static let types: Set<Substring> = ["class", "struct", "enum", "protocol", "actor", "extension"]
    private static let kinds: Set<Substring> = types.union([
        "func", "var", "let", "typealias", "case", "init", "subscript", "deinit",
    ])
    private static let modifiers: Set<Substring> = [
        "public", "open", "package", "internal", "private", "fileprivate", "final", "static", "class", "override",
        "lazy",
        "weak", "unowned", "mutating", "nonmutating", "nonisolated", "indirect", "required", "convenience", "dynamic",
        "(", ")", "set", "unsafe",
    ]

    init(_ text: SourceText) {
        let tokens = text.tokens
        findDeclarations(tokens)
        findUses(tokens)
    }

    private static func isWord(_ token: Substring) -> Bool {
        token.utf8.first.map {
            $0 >= 0x80 || $0 == UInt8(ascii: "_")
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
        } ?? false
    }

    // MARK: Declarations

    private mutating func findDeclarations(_ tokens: [Substring]) {
        var around: [Substring] = []
        var latest: Substring = ""
        for (index, token) in tokens.enumerated() {
            switch token {
            case "{":
                around.append(latest)
                latest = ""
            case "}":
                _ = around.popLast()
                latest = ""
            case _ where Self.kinds.contains(token):
                guard index == 0 || tokens[index - 1] != ".", around.allSatisfy(Self.types.contains) else { continue }
                // `class func` declares a function.
                let next = index + 1 < tokens.count ? tokens[index + 1] : ""
                if token == "class", Self.kinds.contains(next) || Self.modifiers.contains(next) { continue }
                latest = token
                if token == "extension" || Self.isPrivate(tokens, before: index) { continue }
                for name in Self.names(tokens, after: index) {
                    declarations.insert(Declaration(name: String(name), isMember: !around.isEmpty))
                }
            default: break
            }
        }
    }

    private static func isPrivate(_ tokens: [Substring], before index: Int) -> Bool {
        var place = index - 1
        while place >= 0, modifiers.contains(tokens[place]) {
            // `private(set)` is about writing alone.
            if ["private", "fileprivate"].contains(tokens[place]), tokens[place + 1] != "(" { return true }
            place -= 1
        }
        return false
    }

    /// The names that one declaration has: several cases stand behind one `case`.
    private static func names(_ tokens: [Substring], after index: Int) -> [Substring] {
        var names: [Substring] = []
        var place = index + 1
        var depth = 0
        while place < tokens.count {
            let token = tokens[place]
            if depth == 0 {
                guard isWord(token), !kinds.contains(token), !modifiers.contains(token) else { return names }
                names.append(token)
                if tokens[index] != "case" { return names }
                place += 1
                guard place < tokens.count else { return names }
            }
            switch tokens[place] {
            case "(": depth += 1
            case ")": depth -= 1
            case ",": break
            default: if depth == 0 { return names }
            }
            place += 1
            if depth == 0, place < tokens.count, tokens[place] == "," { place += 1 }
        }
        return names
    }

    // MARK: Uses

    private mutating func findUses(_ tokens: [Substring]) {
        var own: Set<Substring> = []
        for (index, token) in tokens.enumerated() {
            switch token {
            case "let", "var", "func", "case", "for":
                var place = index + 1
                while place < tokens.count, Self.isWord(tokens[place]) || ["(", ","].contains(tokens[place]) {
                    own.insert(tokens[place])
                    place += 1
                }
            case "class", "struct", "enum", "protocol", "actor", "typealias":
                if index + 1 < tokens.count { own.insert(tokens[index + 1]) }
            case "in" where index + 1 == tokens.count || tokens[index + 1] != ":":
                // The parameters of a closure.
                var place = index - 1
                while place >= 0, Self.isWord(tokens[place]) || ["(", ")", ","].contains(tokens[place]) {
                    own.insert(tokens[place])
                    place -= 1
                }
            case ":":
                // Behind a question mark it is one of two values.
                if index > 0, Self.isWord(tokens[index - 1]), index == 1 || ![".", "?"].contains(tokens[index - 2]) {
                    own.insert(tokens[index - 1])
                    // A label, and the parameter behind it.
                    if index > 1, Self.isWord(tokens[index - 2]) { own.insert(tokens[index - 2]) }
                }
            default: break
            }
        }
        used = Set(tokens.filter { Self.isWord($0) && !own.contains($0) }.map(String.init))
    }
}
