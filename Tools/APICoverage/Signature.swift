/// A declaration without what a caller may leave out or cannot see: attributes, defaults, accessors, constraints, and
/// the names of parameters and of a function's type parameters.
///
/// The text is Swift as the compiler's symbol graph has it, or a documented short form. There a parameter without a
/// label is its type alone, and a type is its name alone.
public struct Signature: Hashable, Sendable {
    /// A label is `_` if a caller writes none.
    struct Parameter: Hashable, Sendable {
        let label: String
        let type: String
    }

    let kind: String
    let name: String
    let isStatic: Bool
    private(set) var parameters: [Parameter] = []
    private(set) var effects: Set<String> = []
    /// The type of a property, or the result of a function.
    private(set) var type = ""

    /// The signature without types: what has it twice differs by types alone.
    var labels: String { "\(kind) \(name)(\(parameters.map { $0.label + ":" }.joined()))" }

    /// - Returns: Nil for a text that declares nothing, such as a heading.
    public init?(_ text: String) {
        var words = Self.withoutAttributes(text.replacing("->", with: "→").trimmed[...])
        var isStatic = false
        var keyword = ""
        while keyword.isEmpty {
            let word = words.prefix { $0.isLetter || $0 == "_" }
            if word == "static" || (word == "class" && words.dropFirst(6).hasMemberKeyword) {
                isStatic = true
            } else if let kind = Self.kinds[String(word)] {
                keyword = kind
                if kind == "init" || kind == "subscript" { break }
            } else if !Self.modifiers.contains(String(word)) {
                break
            }
            words = words.dropFirst(word.count).skippingParentheses.drop { $0 == " " }
        }
        self.isStatic = isStatic
        kind = keyword.isEmpty ? "type" : keyword
        if kind == "type" {
            guard let name = words.typeName else { return nil }
            self.name = name
            return
        }
        (name, words) = Self.name(words)
        let generics = words.first == "<" ? words.genericNames : []
        words = words.skippingGenerics
        if words.first == "(" {
            let (inside, after) = words.parenthesised
            let isUnlabelled = kind == "subscript" || !(name.first.map { $0.isLetter || $0 == "_" } ?? false)
            parameters = inside.split(atTopLevel: [","]).map { Self.parameter($0, isUnlabelled, generics) }
            words = after
        }
        readEnd(words, generics)
    }

    private static let kinds = [
        "func": "func", "macro": "macro", "var": "property", "let": "property", "case": "case", "init": "init",
        "subscript": "subscript", "struct": "type", "class": "type", "enum": "type", "protocol": "type",
        "actor": "type", "associatedtype": "type", "typealias": "type",
    ]

    private static let modifiers: Set<String> = [
        "public", "open", "final", "convenience", "required", "override", "nonisolated", "mutating", "weak",
        "unowned", "indirect", "distributed",
    ]

    private static func withoutAttributes(_ text: Substring) -> Substring {
        var rest = text
        while rest.first == "@" {
            rest = rest.dropFirst().drop { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
            rest = rest.skippingParentheses.drop { $0 == " " }
        }
        return rest
    }

    /// The name at the beginning, and what follows. An operator ends at a space.
    private static func name(_ text: Substring) -> (String, Substring) {
        let isWord = text.first.map { $0.isLetter || $0 == "_" || $0 == "`" } ?? false
        let name = text.prefix { isWord ? $0.isLetter || $0.isNumber || $0 == "_" || $0 == "`" : $0 != " " }
        var rest = text.dropFirst(name.count).drop { $0 == " " }
        if rest.first == "?" || rest.first == "!" { rest = rest.dropFirst() }
        return (String(name).replacing("`", with: ""), rest)
    }

    private static func parameter(_ text: String, _ isUnlabelled: Bool, _ generics: [String]) -> Parameter {
        var (label, type) = ("_", text[...])
        let head = text.prefix { $0 != ":" && !"[(<".contains($0) }
        if head.count < text.count, text.dropFirst(head.count).first == ":" {
            let names = head.split(separator: " ")
            // A parameter of a subscript or of an operator has no label unless a name follows the label.
            label = isUnlabelled && names.count == 1 ? "_" : names.first.map(String.init) ?? "_"
            type = text.dropFirst(head.count + 1)
        }
        let written = type.split(atTopLevel: ["="]).first ?? ""
        return Parameter(label: String(label).replacing("`", with: ""), type: plain(written, generics))
    }

    /// What follows the parameters: `throws → Result where …`, or `: Type { get }`.
    private mutating func readEnd(_ text: Substring, _ generics: [String]) {
        var rest = String(text)
        if let place = rest.range(of: " where ") { rest = String(rest[..<place.lowerBound]) }
        if kind == "property" {
            rest = rest.upTo(["{"]).trimmed
            if rest.hasPrefix(":") { rest.removeFirst() }
            type = Self.plain(rest.split(atTopLevel: ["="]).first ?? "", generics)
            return
        }
        let (before, after) = (rest.upTo(["→"]), rest.drop { $0 != "→" }.dropFirst())
        effects = Set(before.split(separator: " ").map(String.init)).intersection(["throws", "rethrows", "async"])
        if kind != "macro" { type = Self.plain(after.upTo(["{"]), generics) }
    }

    /// A type as both sides write it: the modules of Foundation on Linux and on Apple's platforms have one name, none.
    private static func plain(_ type: String, _ generics: [String]) -> String {
        let modules = /\b(Foundation\w*|Swift|SwiftData|Observation|_Concurrency|CoreData)\.(?=[A-Z])/
        var text = type.replacing(/@[A-Za-z]+\s/) { _ in "" }.replacing(modules) { _ in "" }
        text = text.replacing("NSNotification.Name", with: "Notification.Name")
        for (index, name) in generics.enumerated() {
            text = text.replacing(/\.?\w+/) { $0.output == name ? "$\(index)" : String($0.output) }
        }
        return text.filter { $0 != " " }
    }
}

extension Substring {
    /// Whether a member's keyword comes next, so that `class` before it means a member of the type.
    fileprivate var hasMemberKeyword: Bool {
        ["func ", "var ", "let ", "subscript"].contains { hasPrefix($0) }
    }

    /// The last name of a dotted one, before generic parameters and a colon; nil for a text of several words.
    fileprivate var typeName: String? {
        let head = split(separator: ":").first?.upTo(["<", "=", "{"]).trimmed ?? ""
        let words = head.split(separator: " where ").first?.split(separator: ".") ?? []
        guard let last = words.last, !head.contains(" ") else { return nil }
        return String(last)
    }

    /// The names in `<A, B : C>` at the beginning.
    fileprivate var genericNames: [String] {
        dropFirst().upTo([">"]).split(separator: ",").map { String($0).upTo([":"]).trimmed }
    }

    /// What follows parentheses at the beginning.
    fileprivate var skippingParentheses: Substring { first == "(" ? parenthesised.after : self }
}
