import CoreDataModelCompiler

extension FilePorter {
    /// Replaces `#selector(saved(_:))` in the arguments of `addObserver` by the method itself, `Stack.saved(_:)`, which
    /// the framework's `addObserver(_:selector:name:object:)` takes. The same applies to the value of a constant in
    /// these arguments.
    mutating func portObserver(at selector: Int) {
        guard let close = endOfSelector(at: selector), isObserving(selector),
            let method = method(selector + 3..<close, of: observer(at: selector))
        else { return }
        usesAdditions = true
        replace(tokens[selector].range.lowerBound..<tokens[close].range.upperBound, by: method)
    }

    /// Whether a selector is an argument of `addObserver`, or the value of a constant that is one.
    private func isObserving(_ selector: Int) -> Bool {
        if callee(around: selector) == "addObserver" { return true }
        guard isMark("=", at: selector - 1), let name = token(selector - 2), name.isWord,
            isWord("let", at: selector - 3)
        else { return false }
        return tokens.indices.contains {
            isWord(name.text, at: $0) && isMark(":", at: $0 - 1) && isWord("selector", at: $0 - 2)
                && callee(around: $0) == "addObserver"
        }
    }

    /// The observer in the call with a selector, and its class; `nil` if the class is unknown.
    private func observer(at selector: Int) -> (name: String, type: String)? {
        let scope = file.scopes.body(at: tokens[selector].range.lowerBound)
        let own = scope?.keyword == "struct" || scope?.keyword == "enum" ? nil : scope?.type
        if isMark("=", at: selector - 1) { return own.map { ("self", $0) } }
        guard isMark(":", at: selector - 1), isMark(",", at: selector - 3), let name = token(selector - 4), name.isWord,
            isMark("(", at: selector - 5)
        else { return nil }
        let type = name.text == "self" ? own : typeOfLocal(name.text, before: selector, own: own)
        return type.map { (name.text, $0) }
    }

    /// The class of a local variable: `guard let strongSelf = self`, `let observer = Observer()`, `observer: Observer`.
    private func typeOfLocal(_ name: String, before index: Int, own: String?) -> String? {
        for place in stride(from: index - 5, to: 0, by: -1) where isWord(name, at: place) {
            if isMark("=", at: place + 1), isWord("let", at: place - 1) || isWord("var", at: place - 1) {
                if isWord("self", at: place + 2), !isMark(".", at: place + 3) { return own }
                guard let type = token(place + 2), isTypeName(type.text), isMark("(", at: place + 3) else { return nil }
                return type.text
            }
            if isMark(":", at: place + 1), let type = token(place + 2), type.isWord, isTypeName(type.text),
                [",", ")", "=", "?"].contains(where: { isMark($0, at: place + 3) })
            {
                return type.text
            }
        }
        return nil
    }

    /// The method that a selector names, with its type before it.
    private func method(_ range: Range<Int>, of observer: (name: String, type: String)?) -> String? {
        guard let first = token(range.lowerBound), first.isWord, !isMark(":", at: range.lowerBound + 1),
            !tokens[range].contains(where: { $0.isWord("as") })
        else { return nil }
        let isMember = isMark(".", at: range.lowerBound + 1)
        if isMember || isMark("<", at: range.lowerBound + 1), isTypeName(first.text), first.text != "Self" {
            return text(ofTokens: range)
        }
        guard let observer, !isMember || ["self", "Self", observer.name].contains(first.text) else { return nil }
        return observer.type + "." + text(ofTokens: isMember ? range.lowerBound + 2..<range.upperBound : range)
    }
}
