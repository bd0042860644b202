import SwiftScanning

/// Finds imports, types and `@NSManaged` members in a Swift file. It skips the bodies of functions.
package struct DeclarationScanner {
    private let tokens: [SwiftToken]
    private var index = 0
    private var result: ScannedFile
    /// For each open `#if` the conditions of the branches before, and the condition of the present branch.
    private var branches: [(past: [String], current: String)] = []

    private init(source: String, path: String) {
        tokens = SwiftLexer.tokens(in: source)
        result = ScannedFile(path: path)
        result.words = Set(tokens.lazy.filter(\.isWord).map(\.text))
    }

    /// Scans one file.
    package static func scan(source: String, path: String) -> ScannedFile {
        var scanner = DeclarationScanner(source: source, path: path)
        scanner.scanBody(of: nil)
        return scanner.result
    }

    /// The type or extension whose body is being read.
    private struct Scope {
        var path: [String]
        /// The access of members without a level of their own.
        var defaultAccess: Access = .isInternal
        /// Whether only the file can use the type, so that accessors cannot be written outside it.
        var isOfFile = false
        var isClassLike = true
        /// Whether members without attributes can be called from any thread.
        var isPlain = false
        /// Whether the module's default isolation applies to members of a class without any.
        var isOfDefaultIsolation = false
        /// The access of types declared here without a level of their own.
        var defaultAccessOfTypes: Access { isOfFile ? .isFilePrivate : defaultAccess }
    }

    private var current: SwiftToken? { index < tokens.count ? tokens[index] : nil }
    private func token(_ ahead: Int) -> SwiftToken? { index + ahead < tokens.count ? tokens[index + ahead] : nil }

    // MARK: Bodies

    /// Reads declarations up to the brace that closes the body (or the end of the file).
    private mutating func scanBody(of scope: Scope?) {
        var prefix = DeclarationPrefix()
        var previous: SwiftToken?
        while let token = current {
            if case .directive(let directive) = token.kind {
                follow(directive, condition: token.text)
                index += 1
                continue
            }
            if token.isMark("}") {
                index += 1
                if scope != nil { return }
                continue
            }
            if token.isMark("@") {
                readAttribute(into: &prefix)
            } else if token.isWord, previous?.isMark(".") != true, !(previous?.isMark("`") ?? false) {
                if readModifier(token, into: &prefix) {
                    // More bindings may follow.
                } else {
                    readDeclaration(token, prefix, scope)
                    prefix = DeclarationPrefix()
                }
            } else {
                prefix = DeclarationPrefix()
                if token.isMark("{") {
                    let start = index
                    skipBalanced()
                    refuseLocalClasses(in: start..<index)
                } else if token.isMark("(") || token.isMark("[") {
                    skipBalanced()
                } else {
                    index += 1
                }
            }
            previous = index > 0 ? tokens[index - 1] : nil
        }
    }

    private mutating func follow(_ directive: ConditionDirective, condition: String) {
        switch directive {
        case .ifCondition: branches.append((past: [], current: condition))
        case .elseIfCondition:
            guard let last = branches.popLast() else { return }
            branches.append((past: last.past + [last.current], current: condition))
        case .elseBranch:
            guard let last = branches.popLast() else { return }
            branches.append((past: last.past + [last.current], current: ""))
        case .end: _ = branches.popLast()
        }
    }

    /// The conditions under which the code at the present place is compiled.
    private var conditions: [String] {
        branches.map { branch in
            let parts = branch.past.map { "!(\($0))" } + (branch.current.isEmpty ? [] : ["(\(branch.current))"])
            return parts.joined(separator: " && ")
        }
    }

    /// Skips a bracketed piece, from its opening to its closing mark.
    private mutating func skipBalanced() {
        var depth = 0
        while let token = current {
            if case .mark = token.kind {
                switch token.text {
                case "{", "(", "[": depth += 1
                case "}", ")", "]": depth -= 1
                default: break
                }
            }
            index += 1
            if depth <= 0 { return }
        }
    }

    /// Reports a class with `@NSManaged` that a function declares. Code outside the function cannot use it, so no file
    /// can have its accessors. The scan skips code that a condition may leave out: the linker reports it then.
    private mutating func refuseLocalClasses(in range: Range<Int>) {
        guard branches.isEmpty else { return }
        var conditions = 0
        for position in range {
            let token = tokens[position]
            if case .directive(let directive) = token.kind {
                conditions += directive == .ifCondition ? 1 : directive == .end ? -1 : 0
            }
            guard conditions == 0, token.isMark("@"), position + 1 < range.upperBound,
                tokens[position + 1].isWord("NSManaged")
            else { continue }
            result.diagnostics.append(
                Diagnostic(
                    file: result.path, line: token.line, column: token.column,
                    message:
                        "the accessors of '@NSManaged' are written outside the function around it and cannot see the "
                        + "class: declare it outside"))
        }
    }

    // MARK: Before a declaration

    private mutating func readAttribute(into prefix: inout DeclarationPrefix) {
        let at = tokens[index]
        index += 1
        guard let name = current, name.isWord else { return }
        var text = "@" + name.text
        index += 1
        while current?.isMark(".") == true, let part = token(1), part.isWord {
            text += "." + part.text
            index += 2
        }
        if let open = current, open.isMark("("), open.follows == .nothing {
            let start = index
            skipBalanced()
            text += Self.text(tokens[start..<index])
        }
        if name.text == "NSManaged" { prefix.managed = at }
        prefix.attributes.append(text)
    }

    private static let modifiers: Set<String> = [
        "final", "override", "dynamic", "lazy", "weak", "unowned", "optional", "required", "convenience", "mutating",
        "nonmutating", "indirect", "static", "nonisolated", "isolated", "distributed", "consuming", "borrowing",
        "prefix", "postfix", "infix", "async", "__consuming",
    ]

    /// Takes a modifier; returns false if the word does not begin one.
    private mutating func readModifier(_ token: SwiftToken, into prefix: inout DeclarationPrefix) -> Bool {
        if let access = Access(rawValue: token.text) {
            if self.token(1)?.isMark("(") == true, self.token(2)?.isWord("set") == true {
                prefix.setter = access
                prefix.words.append("\(token.text)(set)")
                index += 4
            } else {
                prefix.access = access
                prefix.words.append(token.text)
                index += 1
            }
            return true
        }
        guard Self.modifiers.contains(token.text) else {
            // `class func` and `class var` do not declare classes.
            guard token.text == "class", let next = self.token(1)?.text, Self.membersOfClass.contains(next) else {
                return false
            }
            prefix.words.append(token.text)
            index += 1
            return true
        }
        prefix.words.append(token.text)
        index += 1
        if let open = current, open.isMark("("), open.follows == .nothing { skipBalanced() }
        return true
    }

    private static let membersOfClass: Set<String> = [
        "func", "var", "let", "subscript", "override", "final", "public", "open", "internal", "private", "fileprivate",
        "package", "dynamic",
    ]

    // MARK: Declarations

    private mutating func readDeclaration(_ keyword: SwiftToken, _ prefix: DeclarationPrefix, _ scope: Scope?) {
        switch keyword.text {
        case "import": readImport(prefix)
        case "class", "struct", "enum", "protocol", "actor":
            guard let name = token(1), name.isWord, name.follows != .newline || keyword.text != "actor" else {
                index += 1
                return
            }
            readType(keyword.text, prefix, scope)
        case "extension": readExtension(prefix)
        case "typealias": readAlias(prefix, scope)
        case "var", "let": readProperty(prefix, scope)
        case "func": readFunction(prefix, scope)
        default: index += 1
        }
    }

    private mutating func readImport(_ prefix: DeclarationPrefix) {
        index += 1
        let start = index
        while let token = current, index == start || token.follows != .newline, !token.isMark(";") {
            if case .directive = token.kind { break }
            index += 1
        }
        let words = tokens[start..<index]
        let kinds: Set<String> = ["class", "struct", "enum", "protocol", "typealias", "func", "var", "let"]
        guard let module = words.first(where: { $0.isWord && !kinds.contains($0.text) }) else { return }
        let target = Self.text(words)
        let parts = prefix.attributes + prefix.words + ["import", target]
        result.imports.append(
            ImportDeclaration(
                text: parts.joined(separator: " "), attributes: prefix.attributes, access: prefix.access,
                target: target, module: module.text,
                isExported: prefix.attributes.contains("@_exported"), conditions: conditions))
    }

    private mutating func readType(_ kind: String, _ prefix: DeclarationPrefix, _ scope: Scope?) {
        let line = tokens[index].line
        index += 1
        let name = tokens[index].text
        index += 1
        let generics = readGenerics()
        let inherited = readHeader()
        guard current?.isMark("{") == true else { return }
        index += 1
        let access = prefix.access ?? scope?.defaultAccessOfTypes ?? .isInternal
        let path = scope?.path ?? []
        result.types.append(
            TypeDeclaration(
                kind: kind, name: name, path: path, generics: generics, alias: "", inherited: inherited,
                access: access, conditions: conditions, line: line,
                isPlain: generics.isEmpty && prefix.isPlain, isNonisolated: prefix.words.contains("nonisolated")))
        scanBody(
            of: Scope(
                path: path + [name], isOfFile: access.isOfFile || scope?.isOfFile == true,
                isClassLike: kind == "class", isPlain: kind == "class"))
    }

    private mutating func readExtension(_ prefix: DeclarationPrefix) {
        index += 1
        var path: [String] = []
        while let word = current, word.isWord {
            path.append(word.text)
            index += 1
            if current?.isMark("<") == true { _ = readGenerics() }
            guard current?.isMark(".") == true else { break }
            index += 1
        }
        let start = index
        _ = readHeader()
        guard current?.isMark("{") == true else { return }
        let isWhole = !tokens[start..<index].contains { $0.isWord("where") }
        index += 1
        scanBody(
            of: Scope(
                path: path, defaultAccess: prefix.access ?? .isInternal, isPlain: isWhole && prefix.isPlain,
                isOfDefaultIsolation: !prefix.words.contains("nonisolated")))
    }

    private mutating func readAlias(_ prefix: DeclarationPrefix, _ scope: Scope?) {
        let line = tokens[index].line
        index += 1
        guard let name = current, name.isWord else { return }
        index += 1
        let generics = readGenerics()
        guard current?.isMark("=") == true else { return }
        index += 1
        let alias = readTypeText()
        result.types.append(
            TypeDeclaration(
                kind: "typealias", name: name.text, path: scope?.path ?? [], generics: generics, alias: alias,
                inherited: [], access: prefix.access ?? scope?.defaultAccessOfTypes ?? .isInternal,
                conditions: conditions, line: line, isPlain: false, isNonisolated: false))
    }

    /// The generic parameters at the present place, without their constraints.
    private mutating func readGenerics() -> String {
        guard current?.isMark("<") == true else { return "" }
        var depth = 0
        var names: [[SwiftToken]] = [[]]
        var isConstraint = false
        while let token = current {
            if token.isMark("<") {
                depth += 1
                if depth == 1 {
                    index += 1
                    continue
                }
            } else if token.isMark(">") {
                depth -= 1
                if depth == 0 {
                    index += 1
                    break
                }
            } else if depth == 1, token.isMark(",") {
                names.append([])
                isConstraint = false
                index += 1
                continue
            } else if depth == 1, token.isMark(":") || token.isWord("where") {
                isConstraint = true
            }
            if !isConstraint { names[names.count - 1].append(token) }
            index += 1
        }
        return "<\(names.map { Self.text($0[...]) }.joined(separator: ", "))>"
    }

    /// The inherited types, up to the brace of the body.
    private mutating func readHeader() -> [String] {
        var inherited: [String] = []
        if current?.isMark(":") == true {
            index += 1
            while true {
                let type = readTypeText()
                if !type.isEmpty { inherited.append(type) }
                guard current?.isMark(",") == true else { break }
                index += 1
            }
        }
        while let token = current, !token.isMark("{"), !token.isMark("}") { index += 1 }
        return inherited
    }

    // MARK: Members

    private mutating func readProperty(_ prefix: DeclarationPrefix, _ scope: Scope?) {
        index += 1
        guard let managed = prefix.managed else { return note(NamedMemberReader(tokens).property, prefix, scope) }
        var waiting: [SwiftToken] = []
        while let name = current, name.isWord {
            index += 1
            waiting.append(name)
            if current?.isMark(":") == true {
                index += 1
                let type = readTypeText()
                for name in waiting {
                    add(
                        name, kind: .property(type: type, setter: .isInternal), managed: managed, prefix: prefix,
                        to: scope)
                }
                waiting = []
            }
            guard current?.isMark(",") == true else { break }
            index += 1
        }
        // A property without a type is an error of the compiler.
    }

    private mutating func readFunction(_ prefix: DeclarationPrefix, _ scope: Scope?) {
        index += 1
        guard let managed = prefix.managed else { return note(NamedMemberReader(tokens).method, prefix, scope) }
        guard let name = current, name.isWord else { return }
        index += 1
        guard current?.isMark("(") == true else { return }
        index += 1
        var parameters: [ManagedMember.Parameter] = []
        while let label = current, !label.isMark(")") {
            guard label.isWord else {
                index += 1
                continue
            }
            index += 1
            if current?.isWord == true { index += 1 }
            guard current?.isMark(":") == true else { continue }
            index += 1
            parameters.append(.init(label: label.text, type: readTypeText()))
            if current?.isMark(",") == true { index += 1 }
        }
        if current?.isMark(")") == true { index += 1 }
        var outcome = ""
        if current?.isMark("->") == true {
            index += 1
            outcome = readTypeText()
        }
        add(name, kind: .method(parameters: parameters, result: outcome), managed: managed, prefix: prefix, to: scope)
    }

    /// Records a member that Objective-C would find by its name. The keyword is before the present place.
    private mutating func note(
        _ read: (_ keyword: Int) -> NamedMember.Kind?, _ prefix: DeclarationPrefix, _ scope: Scope?
    ) {
        guard let scope, scope.isClassLike, let name = current, name.isWord,
            !prefix.words.contains(where: Self.wordsOfOtherMembers.contains), var kind = read(index - 1)
        else { return }
        let access = prefix.access ?? scope.defaultAccess
        if case .property = kind, prefix.setter?.isOfFile == true { kind = .property(isSettable: false) }
        result.namedMembers.append(
            NamedMember(
                kind: kind, name: name.text, className: scope.path.joined(separator: "."),
                isOfFile: access.isOfFile || scope.isOfFile,
                isPlain: scope.isPlain && prefix.isPlain,
                isOfDefaultIsolation: scope.isOfDefaultIsolation && !prefix.words.contains("nonisolated"),
                conditions: conditions, file: result.path, line: name.line, column: name.column))
    }

    /// For overrides the superclass's own declaration is enough.
    private static let wordsOfOtherMembers: Set<String> = [
        "static", "class", "override", "mutating", "async", "isolated", "distributed", "consuming", "borrowing",
    ]

    private mutating func add(
        _ name: SwiftToken, kind: ManagedMember.Kind, managed: SwiftToken, prefix: DeclarationPrefix, to scope: Scope?
    ) {
        guard let scope, scope.isClassLike else { return }
        func fail(_ message: String) {
            result.diagnostics.append(
                Diagnostic(file: result.path, line: name.line, column: name.column, message: message))
        }
        if scope.isOfFile {
            return fail(
                "the accessors of '\(name.text)' are written outside this file and cannot see the class "
                    + "'\(scope.path.joined(separator: "."))': make it internal")
        }
        let access = prefix.access ?? scope.defaultAccess
        var kind = kind
        if case .property(let type, _) = kind { kind = .property(type: type, setter: prefix.setter ?? access) }
        result.members.append(
            ManagedMember(
                kind: kind, name: name.text, className: scope.path.joined(separator: "."), access: access,
                conditions: conditions, file: result.path, line: name.line, column: name.column))
    }

    // MARK: Types

    /// Reads a type, up to a token that cannot belong to it: a comma, an initial value, a body, the end of the line.
    private mutating func readTypeText() -> String {
        let start = index
        var depth = 0
        reading: while let token = current {
            if case .directive = token.kind { break }
            if depth == 0, index > start, token.follows == .newline, !continuesType(token) { break }
            if case .mark = token.kind {
                switch token.text {
                case "(", "[", "<": depth += 1
                case ")", "]", ">":
                    if depth == 0 { break reading }
                    depth -= 1
                case ",", "=", "{", "}", ";":
                    if depth == 0 { break reading }
                default: break
                }
            } else if depth == 0, token.isWord("where") {
                break
            }
            index += 1
        }
        return Self.text(tokens[start..<index])
    }

    /// Whether a token at the beginning of a line belongs to the type of the line before.
    private func continuesType(_ token: SwiftToken) -> Bool {
        if ["->", ".", "&", "?", "!", ">"].contains(where: token.isMark) { return true }
        let last = tokens[index - 1]
        return ["->", ".", "&", ":", ",", "("].contains(where: last.isMark)
            || ["some", "any", "inout", "throws", "async"].contains(where: last.isWord)
    }

    /// The text of tokens, with the separations of the source.
    private static func text(_ tokens: ArraySlice<SwiftToken>) -> String {
        var text = ""
        for (position, token) in tokens.enumerated() {
            if position > 0, token.follows != .nothing { text += " " }
            text += token.text
        }
        return text
    }
}
