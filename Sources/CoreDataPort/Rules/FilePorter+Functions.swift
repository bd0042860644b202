import CoreDataModelCompiler

// Methods of policies and managers that expressions of mapping models call by the names of selectors. The plugin lists
// the methods that it sees under the name that Swift gives them for Objective-C. The remaining methods need an
// override.
extension FilePorter {
    private static let callers: Set<String> = ["NSEntityMigrationPolicy", "NSMigrationManager"]

    /// A method that Objective-C finds by its name, and the arguments for a call from an expression.
    private struct Function {
        let selector: String
        let name: String
        let parameters: [Parameter]
        let returnsNothing: Bool
    }

    private struct Parameter {
        let label: String
        let type: String
    }

    /// Writes the override that calls methods with `@objc` in a policy or a manager's subclass by name, if the plugin
    /// does not list them.
    mutating func writeFunctions() {
        for body in file.scopes.bodies where body.keyword == "class" || body.keyword == "extension" {
            guard isCalledByExpressions(body.type), !file.inactive.contains(body.range.upperBound) else { continue }
            let parts = file.scopes.bodies.filter { $0.type == body.type && $0.keyword == "extension" }
            let owner = file.scopes.bodies.first { $0.type == body.type && $0.keyword == "class" }
            // The class's body gets the methods of the extensions in its file.
            if owner != nil, body.keyword == "extension" { continue }
            let seesAll = owner.map(isWhollyExposed) == true
            let isOfFramework = Self.callers.contains(body.type)
            let methods = (owner.map { [$0] + parts } ?? [body]).flatMap { exposedMethods(of: $0, seesAll: seesAll) }
                .filter { isOfFramework || !isListed($0) }
            guard !methods.isEmpty else { continue }
            let isWritten = tokens.contains { $0.isWord("performFunction") && body.range.contains($0.range.lowerBound) }
            guard owner != nil, !isWritten else {
                for method in methods { reportFunction(method, of: body.type) }
                continue
            }
            var functions: [Function] = []
            for method in methods {
                if let function = function(at: method) {
                    functions.append(function)
                } else {
                    reportFunction(method, of: body.type)
                }
            }
            if !functions.isEmpty { write(functions, into: body, like: methods[0]) }
        }
    }

    private func isCalledByExpressions(_ type: String) -> Bool {
        keys.types.chain(from: type).contains { name in
            Self.callers.contains(name.split(separator: ".").last.map(String.init) ?? name)
        }
    }

    /// Whether the plugin lists a method by the name that an expression has for it.
    private func isListed(_ keyword: Int) -> Bool {
        guard let function = function(at: keyword) else { return false }
        let modifiers = tokens[startOfDeclaration(with: keyword)..<keyword]
        let isHidden = modifiers.contains { $0.isWord("private") || $0.isWord("fileprivate") }
        return !isHidden
            && function.selector == SelectorName.of(function.name, labels: function.parameters.map(\.label))
    }

    private mutating func reportFunction(_ keyword: Int, of type: String) {
        let name = token(keyword + 1) ?? tokens[keyword]
        byHand(
            name,
            "expressions of a mapping model do not find '\(name.text)': call it in an override of "
                + "'performFunction(_:arguments:)' in \(Self.callers.contains(type) ? "a subclass of" : "the class") '\(type)'"
        )
    }

    /// The keywords of the methods in a body that are visible to Objective-C, without overrides.
    private func exposedMethods(of body: ScopeMap.Body, seesAll: Bool) -> [Int] {
        var depth = 0
        var methods: [Int] = []
        for index in tokens.indices where body.range.contains(tokens[index].range.lowerBound) {
            if tokens[index].isMark("{") { depth += 1 }
            if tokens[index].isMark("}") { depth -= 1 }
            guard depth == 0, tokens[index].isWord("func"), token(index + 1)?.isWord == true,
                !file.inactive.contains(tokens[index].range.lowerBound)
            else { continue }
            let modifiers = tokens[startOfDeclaration(with: index)..<index]
            func has(_ word: String) -> Bool { modifiers.contains { $0.isWord(word) } }
            if has("override") || has("static") || has("class") || has("nonobjc") { continue }
            // A throwing method has one more parameter in Objective-C, for which no expression has a value.
            if let close = closing(of: index + 2), isWord("throws", at: close + 1) { continue }
            let isHidden = has("private") || has("fileprivate")
            if has("objc") || seesAll && !isHidden { methods.append(index) }
        }
        return methods
    }

    /// Whether a class has `@objcMembers`.
    private func isWhollyExposed(_ body: ScopeMap.Body) -> Bool {
        guard let brace = tokens.firstIndex(where: { $0.range.upperBound == body.range.lowerBound }),
            let keyword = tokens[..<brace].lastIndex(where: { $0.isWord("class") })
        else { return false }
        return tokens[startOfDeclaration(with: keyword)..<keyword].contains { $0.isWord("objcMembers") }
    }

    /// The method at a keyword; `nil` if its parameters have an unsupported form.
    private func function(at keyword: Int) -> Function? {
        guard let name = token(keyword + 1), isMark("(", at: keyword + 2), let close = closing(of: keyword + 2) else {
            return nil
        }
        var parameters: [Parameter] = []
        var start = keyword + 3
        var depth = 0
        for position in start...close {
            let token = tokens[position]
            if ["(", "[", "<"].contains(where: token.isMark), position != close { depth += 1 }
            if [")", "]", ">"].contains(where: token.isMark), position != close { depth -= 1 }
            guard depth == 0, token.isMark(",") || position == close, position > start else { continue }
            guard let parameter = parameter(in: start..<position) else { return nil }
            parameters.append(parameter)
            start = position + 1
        }
        if isWord("async", at: close + 1) { return nil }
        let isEmpty =
            !isMark("->", at: close + 1) || isWord("Void", at: close + 2)
            || isMark("(", at: close + 2) && isMark(")", at: close + 3)
        var selector = SelectorName.of(name.text, labels: parameters.map(\.label))
        if let given = givenSelector(of: keyword) { selector = given }
        guard selector.filter({ $0 == ":" }).count == parameters.count else { return nil }
        return Function(
            selector: selector, name: name.text, parameters: parameters, returnsNothing: isEmpty)
    }

    /// The name in `@objc(name:)`.
    private func givenSelector(of keyword: Int) -> String? {
        let start = startOfDeclaration(with: keyword)
        guard let word = (start..<keyword).first(where: { isWord("objc", at: $0) }), isMark("(", at: word + 1),
            let close = closing(of: word + 1)
        else { return nil }
        return tokens[word + 2..<close].map(\.text).joined()
    }

    /// Reads a parameter of the form `label name: Type = value`.
    private func parameter(in range: Range<Int>) -> Parameter? {
        guard let colon = range.first(where: { isMark(":", at: $0) }), colon > range.lowerBound,
            colon - range.lowerBound <= 2, tokens[range.lowerBound].isWord, colon + 1 < range.upperBound
        else { return nil }
        let end = range.first { isMark("=", at: $0) } ?? range.upperBound
        // An expression has no values for blocks, inout parameters and variadic parameters.
        let words = tokens[colon + 1..<end]
        guard !words.contains(where: { $0.isMark("@") || $0.isMark("->") || $0.isWord("inout") }) else { return nil }
        let type = text(ofTokens: colon + 1..<end)
        guard !type.hasSuffix("...") else { return nil }
        return Parameter(label: tokens[range.lowerBound].text, type: type)
    }

    private mutating func write(_ functions: [Function], into body: ScopeMap.Body, like method: Int) {
        let access = isPublic(body) ? "public " : ""
        append(to: body, like: method) { step in
            var lines = [
                "\(access)override func performFunction(_ name: String, arguments: [Any?]) throws -> Any? {",
                step + "switch (name, arguments.count) {",
            ]
            for function in functions { lines += Self.lines(of: function, step).map { step + $0 } }
            return lines + [
                step + "default: break", step + "}",
                step + "return try super.performFunction(name, arguments: arguments)", "}",
            ]
        }
    }

    /// The lines of the case for one function.
    private static func lines(of function: Function, _ step: String) -> [String] {
        var conditions: [String] = []
        var arguments: [String] = []
        for (index, parameter) in function.parameters.enumerated() {
            let label = parameter.label == "_" ? "" : "\(parameter.label): "
            let isOptional = parameter.type.hasSuffix("?") || parameter.type.hasSuffix("!")
            let type = isOptional ? String(parameter.type.dropLast()) : parameter.type
            let value =
                switch type {
                case "Any": "arguments[\(index)]"
                case "AnyObject": "arguments[\(index)].map({ $0 as AnyObject })"
                default: "arguments[\(index)] as? \(type)"
                }
            if !isOptional { conditions.append("let value\(index) = \(value)") }
            arguments.append(label + (isOptional ? value : "value\(index)"))
        }
        let call = "\(function.name)(\(arguments.joined(separator: ", ")))"
        var lines = ["case (\"\(function.selector)\", \(function.parameters.count)):"]
        if !conditions.isEmpty { lines.append(step + "guard \(conditions.joined(separator: ", ")) else { break }") }
        return lines + (function.returnsNothing ? [step + call, step + "return nil"] : [step + "return \(call)"])
    }
}
