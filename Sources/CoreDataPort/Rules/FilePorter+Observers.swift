import CoreDataModelCompiler

extension FilePorter {
    /// `#selector(saved(_:))` that an observer is given becomes the method itself, `Stack.saved(_:)`, which the
    /// framework's `addObserver(_:selector:name:object:)` takes. So does one that is kept under a name that an observer
    /// is given.
    mutating func portObserver(at selector: Int) -> Bool {
        guard isMark("#", at: selector), let close = closing(of: selector + 2), isObserving(selector),
            let method = method(selector + 3..<close, isOfSelf: observesItself(selector))
        else { return false }
        usesAdditions = true
        replace(tokens[selector].range.lowerBound..<tokens[close].range.upperBound, by: method)
        return true
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

    /// Whether the object that is given as the observer is the one whose code this is.
    private func observesItself(_ selector: Int) -> Bool {
        isMark("=", at: selector - 1)
            || isMark(":", at: selector - 1) && isMark(",", at: selector - 3) && isWord("self", at: selector - 4)
                && isMark("(", at: selector - 5)
    }

    /// The method that a selector names, with its type before it.
    private func method(_ range: Range<Int>, isOfSelf: Bool) -> String? {
        guard let first = token(range.lowerBound), first.isWord, !isMark(":", at: range.lowerBound + 1),
            !tokens[range].contains(where: { $0.isWord("as") })
        else { return nil }
        let isMember = isMark(".", at: range.lowerBound + 1)
        if isMember || isMark("<", at: range.lowerBound + 1), first.text.first?.isUppercase == true,
            first.text != "Self"
        {
            return text(range)
        }
        guard isOfSelf, !isMember || first.text == "self" || first.text == "Self",
            let scope = file.scopes.body(at: first.range.lowerBound), scope.keyword != "struct", scope.keyword != "enum"
        else { return nil }
        return scope.type + "." + text(isMember ? range.lowerBound + 2..<range.upperBound : range)
    }

    private func text(_ range: Range<Int>) -> String {
        String(
            decoding: file.bytes[
                tokens[range.lowerBound].range.lowerBound..<tokens[range.upperBound - 1].range.upperBound],
            as: UTF8.self)
    }
}
