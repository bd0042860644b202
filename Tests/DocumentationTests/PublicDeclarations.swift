import TestSupport

/// The declarations of a source that other modules see.
struct PublicDeclarations {
    struct Declaration {
        /// The number of its first line, from 0.
        let line: Int
        /// The first line, without what surrounds it.
        let code: String
        let isDocumented: Bool
    }

    private(set) var found: [Declaration] = []

    private static let types: Set<String> = ["class", "struct", "enum", "protocol", "actor", "extension"]
    private static let kinds: Set<String> = types.union([
        "func", "var", "let", "init", "subscript", "typealias", "associatedtype", "case", "deinit", "operator",
        "precedencegroup",
    ])
    private static let modifiers: Set<String> = [
        "public", "open", "package", "internal", "private", "fileprivate", "final", "static", "class", "override",
        "lazy", "weak", "unowned", "mutating", "nonmutating", "nonisolated", "indirect", "required", "convenience",
        "dynamic", "prefix", "postfix", "infix", "isolated", "borrowing", "consuming",
    ]

    /// The text within braces.
    private enum Scope {
        /// The members of a type. Requirements and cases are as visible as the type itself.
        case members(of: String, isVisible: Bool)
        case code
    }

    /// A declaration, from its first line.
    private struct Head {
        var kind = ""
        var name = ""
        var modifiers: Set<String> = []
        var isSPI = false

        /// Whether a type of this kind can be seen from outside; nil where it has no modifier for that.
        var access: Bool? {
            if !modifiers.isDisjoint(with: ["public", "open"]) { return !isSPI }
            return modifiers.isDisjoint(with: ["package", "internal", "private", "fileprivate"]) ? nil : false
        }
    }

    /// Types of these names are not public: extensions of them are not either.
    init(_ text: SourceText, hiding hidden: Set<String> = []) {
        var scopes: [Scope] = []
        var (parentheses, opensType) = (0, Head?.none)
        var (isDocumented, isSPI) = (false, false)
        let comments = Dictionary(text.comments.map { ($0.line, $0.text) }, uniquingKeysWith: { first, _ in first })
        for (number, line) in text.lines.enumerated() {
            let code = line.drop { $0 == " " }
            if code.isEmpty {
                // An empty line parts a comment from a declaration. An ordinary comment may stand between.
                isDocumented = comments[number].map { isDocumented || $0.hasPrefix("///") } ?? false
            }
            if !code.isEmpty, parentheses == 0, !code.hasPrefix("#"), Self.areMembers(scopes) {
                var head = Self.head(code)
                head.isSPI = head.isSPI || isSPI
                if head.kind.isEmpty {
                    if code.hasPrefix("@") { isSPI = head.isSPI } else { (isDocumented, isSPI) = (false, false) }
                } else {
                    if Self.isVisible(head, in: scopes), !["extension", "deinit"].contains(head.kind) {
                        found.append(Declaration(line: number, code: String(code), isDocumented: isDocumented))
                    }
                    opensType = Self.types.contains(head.kind) ? head : nil
                    (isDocumented, isSPI) = (false, false)
                }
            }
            for mark in code.utf8 {
                switch mark {
                case UInt8(ascii: "("), UInt8(ascii: "["): parentheses += 1
                case UInt8(ascii: ")"), UInt8(ascii: "]"): parentheses -= 1
                case UInt8(ascii: "{"):
                    scopes.append(Self.scope(of: parentheses == 0 ? opensType : nil, in: scopes, hiding: hidden))
                    opensType = nil
                case UInt8(ascii: "}"): _ = scopes.popLast()
                default: break
                }
            }
        }
    }

    /// The names of the types that a source declares for its own module alone.
    static func hiddenTypes(_ text: SourceText) -> Set<String> {
        var names: Set<String> = []
        for line in text.lines {
            let head = head(line.drop { $0 == " " })
            if types.contains(head.kind), head.kind != "extension", head.access != true { names.insert(head.name) }
        }
        return names
    }

    private static func areMembers(_ scopes: [Scope]) -> Bool {
        if case .code? = scopes.last { return false }
        return true
    }

    /// The scope that a brace opens behind the head of a type, or, without one, in code.
    private static func scope(of head: Head?, in scopes: [Scope], hiding hidden: Set<String>) -> Scope {
        guard let head, areMembers(scopes) else { return .code }
        if head.kind == "extension" { return .members(of: head.kind, isVisible: !hidden.contains(head.name)) }
        return .members(of: head.kind, isVisible: isVisible(head, in: scopes))
    }

    private static func isVisible(_ head: Head, in scopes: [Scope]) -> Bool {
        guard case .members(let type, let isVisible)? = scopes.last else { return head.access ?? false }
        guard isVisible else { return false }
        // A case is as visible as its enumeration, a requirement as its protocol.
        return head.access ?? (type == "protocol" || head.kind == "case" && !head.isSPI)
    }

    /// The word at the beginning of a text; the characters of `others` count as letters.
    private static func word(_ text: Substring, with others: String = "") -> Substring {
        Substring(
            text.utf8.prefix {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "_") || $0 >= 0x80
                    || others.utf8.contains($0)
            })
    }

    /// The text in parentheses at the beginning of a text.
    private static func parentheses(_ text: Substring) -> Substring {
        guard text.utf8.first == UInt8(ascii: "(") else { return text.prefix(0) }
        var depth = 0
        let end = text.utf8.firstIndex { mark in
            depth += mark == UInt8(ascii: "(") ? 1 : mark == UInt8(ascii: ")") ? -1 : 0
            return depth == 0
        }
        return end.map { text[...$0] } ?? text
    }

    private static func head(_ code: Substring) -> Head {
        var head = Head()
        var rest = code
        while true {
            let word = word(rest, with: "@")
            if word.isEmpty { break }
            rest = rest[word.endIndex...]
            let isAttribute = word.hasPrefix("@")
            let name = String(word)
            guard isAttribute || modifiers.contains(name) || kinds.contains(name) else { return Head() }
            let following = String(Self.word(rest.drop { $0 == " " }))
            let isClassMember = name == "class" && (kinds.contains(following) || modifiers.contains(following))
            if kinds.contains(name), !isClassMember {
                head.kind = name
                let path = Self.word(rest.drop { $0 == " " }, with: ".")
                head.name = path.split(separator: ".").last.map(String.init) ?? ""
                return head
            }
            let argument = parentheses(rest)
            rest = rest[argument.endIndex...].drop { $0 == " " }
            if isAttribute { head.isSPI = head.isSPI || name == "@_spi" }
            if !isAttribute, argument != "(set)" { head.modifiers.insert(name) }
        }
        // Attributes alone: the declaration follows.
        return Head(isSPI: head.isSPI)
    }
}
