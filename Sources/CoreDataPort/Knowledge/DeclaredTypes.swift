import CoreDataModelCompiler
import SwiftScanning

/// The types that some sources declare, with their properties: enough to follow a key path.
struct DeclaredTypes {
    struct Declaration {
        /// The inherited types. The first is the superclass, if there is one.
        var inherited: [String] = []
        /// The declared type of each property; empty if the source does not name it.
        var properties: [String: String] = [:]
        /// Names for Objective-C that differ from the property's own.
        var otherNames: [String: String] = [:]
        var isClass = false
        /// Whether the type itself is declared, and not only extended.
        var isWhole = false
    }

    /// The declarations by full name.
    private(set) var declarations: [String: Declaration] = [:]
    private var fullNames: [String: [String]] = [:]

    mutating func add(_ file: ScopeMap) {
        for (name, declaration) in file.declarations {
            if declarations[name] == nil {
                fullNames[String(name.split(separator: ".").last ?? ""), default: []].append(name)
            }
            var known = declarations[name] ?? Declaration()
            // An extension only adds protocols.
            known.inherited =
                declaration.isClass
                ? declaration.inherited + known.inherited : known.inherited + declaration.inherited
            known.properties.merge(declaration.properties) { first, _ in first }
            known.otherNames.merge(declaration.otherNames) { first, _ in first }
            known.isClass = known.isClass || declaration.isClass
            known.isWhole = known.isWhole || declaration.isWhole
            declarations[name] = known
        }
    }

    /// The full name of a type by the name that code inside another type uses; `nil` if the sources do not declare it.
    func fullName(of name: String, seenFrom scope: String?) -> String? {
        var outer = scope?.split(separator: ".").map(String.init) ?? []
        while !outer.isEmpty {
            let candidate = (outer + [name]).joined(separator: ".")
            if declarations[candidate] != nil { return candidate }
            outer.removeLast()
        }
        if declarations[name] != nil { return name }
        // A name with its module before it, or a nested type's name whose path is hidden by an alias.
        let last = String(name.split(separator: ".").last ?? "")
        guard let candidates = fullNames[last], candidates.count == 1 else { return nil }
        return name.contains(".") || candidates[0] == last ? candidates[0] : nil
    }

    /// The class and its superclasses, as far as the sources declare them; then the name of the first one that they do
    /// not.
    func chain(from name: String) -> [String] {
        var result: [String] = []
        var next: String? = name
        while let current = next, !result.contains(current) {
            let full = fullName(of: current, seenFrom: result.last) ?? current
            if result.contains(full) { break }
            result.append(full)
            guard let declaration = declarations[full], declaration.isClass else { break }
            next = declaration.inherited.first.map { String($0.prefix { $0 != "<" }) }
        }
        return result
    }

    /// Whether a class descends from `NSManagedObject`, by its declarations in the sources.
    func isManaged(_ name: String) -> Bool {
        chain(from: name).contains { $0 == "NSManagedObject" || $0 == "CoreData.NSManagedObject" }
    }

    /// Whether a protocol is one of managed objects alone.
    func isOfManaged(_ name: String) -> Bool {
        guard let declaration = declarations[fullName(of: name, seenFrom: nil) ?? name], !declaration.isClass else {
            return false
        }
        return declaration.inherited.contains { $0 != name && (isManaged($0) || isOfManaged($0)) }
    }
}

/// The types in one file: their declarations, and the places of their bodies.
struct ScopeMap {
    private(set) var declarations: [String: DeclaredTypes.Declaration] = [:]
    /// The names of classes in `@objc(Name)`, by the full name of the class, if the two differ.
    private(set) var otherClassNames: [String: String] = [:]
    /// The body of a type or extension, between its braces.
    struct Body {
        let range: Range<Int>
        let type: String
        /// `class`, `extension` …
        let keyword: String
        /// The access level of an extension, which its members have, too.
        let access: String?
        /// Whether the type is inside a function.
        let isLocal: Bool
    }

    private(set) var bodies: [Body] = []

    /// The type whose body is the innermost around a place.
    func type(at position: Int) -> String? { body(at: position)?.type }

    /// The innermost body around a place.
    func body(at position: Int) -> Body? {
        bodies.filter { $0.range.contains(position) }.max { $0.range.lowerBound < $1.range.lowerBound }
    }

    private static let keywords: Set<String> = ["class", "struct", "enum", "actor", "protocol", "extension"]
    private static let members: Set<String> = [
        "func", "var", "let", "subscript", "override", "final", "public", "open", "internal", "private", "fileprivate",
        "package", "dynamic",
    ]

    init(_ tokens: [SwiftToken]) {
        // For each open brace the type whose body it begins, if it does.
        var open: [(type: (name: String, keyword: String, access: String?)?, start: Int)] = []
        var nesting = 0
        var waiting: (name: String, keyword: String, access: String?)?
        var otherName: String?
        var index = 0
        while index < tokens.count {
            let token = tokens[index]
            let follows = index + 1 < tokens.count ? tokens[index + 1] : nil
            if token.isMark("{") {
                open.append((waiting, token.range.upperBound))
                waiting = nil
            } else if token.isMark("}") {
                if let last = open.popLast(), let type = last.type {
                    bodies.append(
                        Body(
                            range: last.start..<token.range.lowerBound, type: type.name, keyword: type.keyword,
                            access: type.access,
                            isLocal: open.contains { $0.type == nil }))
                }
            } else if token.isMark("(") || token.isMark("[") {
                nesting += 1
            } else if token.isMark(")") || token.isMark("]") {
                nesting -= 1
            } else if token.isMark("@"), follows?.isWord("objc") == true, index + 3 < tokens.count,
                tokens[index + 2].isMark("("), tokens[index + 3].isWord
            {
                otherName = tokens[index + 3].text
                index += 3
                nesting += 1
            } else if Self.keywords.contains(token.text), token.isWord, let follows, follows.isWord,
                // `import class Module.Name` is no declaration.
                index == 0 || !tokens[index - 1].isMark(".") && !tokens[index - 1].isWord("import"),
                !Self.members.contains(follows.text)
            {
                let outer = open.last?.type?.name
                let before = index > 0 ? tokens[index - 1].text : ""
                let access = ["public", "fileprivate", "private", "package"].contains(before) ? before : nil
                index += 1
                var name = tokens[index].text
                while index + 2 < tokens.count, tokens[index + 1].isMark("."), tokens[index + 2].isWord {
                    name += "." + tokens[index + 2].text
                    index += 2
                }
                let full = token.text == "extension" ? name : (outer.map { "\($0)." } ?? "") + name
                waiting = (full, token.text, access)
                let inherited = Self.inherited(tokens, &index)
                declarations[full, default: .init()].inherited += inherited
                if token.text == "class" { declarations[full]?.isClass = true }
                if token.text != "extension" { declarations[full]?.isWhole = true }
                if token.text == "class", let otherName, otherName != full { otherClassNames[full] = otherName }
                otherName = nil
            } else if token.isWord("var") || token.isWord("let"), let type = open.last?.type?.name, nesting == 0 {
                for (name, declared) in Self.properties(tokens, &index) {
                    declarations[type, default: .init()].properties[name] = declared
                    if let otherName, otherName != name { declarations[type]?.otherNames[name] = otherName }
                }
                otherName = nil
                continue
            } else if token.isWord("func") || token.isWord("init") || token.isWord("case") {
                otherName = nil
            }
            index += 1
        }
    }

    /// The types after the colon of a type's header. `index` is left on the token before the brace.
    private static func inherited(_ tokens: [SwiftToken], _ index: inout Int) -> [String] {
        var result: [String] = []
        var depth = 0
        var isBehindColon = false
        var current = ""
        while index + 1 < tokens.count, !tokens[index + 1].isMark("{"), !tokens[index + 1].isMark("}") {
            index += 1
            let token = tokens[index]
            if token.isMark("<") || token.isMark("(") { depth += 1 }
            if token.isMark(">") || token.isMark(")") { depth -= 1 }
            if token.isWord("where"), depth == 0 {
                // Constraints contain types, but no inherited ones.
                while index + 1 < tokens.count, !tokens[index + 1].isMark("{") { index += 1 }
                break
            }
            if token.isMark(":"), depth == 0 {
                isBehindColon = true
            } else if token.isMark(","), depth == 0 {
                result.append(current)
                current = ""
            } else if isBehindColon {
                current += token.text
            }
        }
        return (result + [current]).filter { !$0.isEmpty }
    }

    /// The names after `var` or `let`, with their types. `index` is left after the last type.
    private static func properties(_ tokens: [SwiftToken], _ index: inout Int) -> [(name: String, type: String)] {
        var result: [(name: String, type: String)] = []
        var untyped: [String] = []
        index += 1
        while index < tokens.count, tokens[index].isWord {
            untyped.append(tokens[index].text.filter { $0 != "`" })
            index += 1
            if index < tokens.count, tokens[index].isMark(":") {
                index += 1
                let type = self.type(tokens, &index)
                result += untyped.map { ($0, type) }
                untyped = []
            }
            guard index < tokens.count, tokens[index].isMark(",") else { break }
            index += 1
        }
        return result + untyped.map { ($0, "") }
    }

    private static func type(_ tokens: [SwiftToken], _ index: inout Int) -> String {
        var text = ""
        var depth = 0
        while index < tokens.count {
            let token = tokens[index]
            if depth == 0 {
                if !text.isEmpty, token.follows == .newline { break }
                if [",", "=", "{", "}", ";", ")"].contains(where: token.isMark) { break }
            }
            if case .directive = token.kind { break }
            if ["(", "[", "<"].contains(where: token.isMark) { depth += 1 }
            if [")", "]", ">"].contains(where: token.isMark) { depth -= 1 }
            text += token.text
            index += 1
        }
        return text
    }
}
