import CoreDataModelCompiler

extension FilePorter {
    /// `addObserver(self, selector: #selector(saved(_:)), name: …, object: …)` becomes an observer that is a closure.
    ///
    /// It is never removed, so it only stands in for one that is removed nowhere, or when its object goes: then it does
    /// nothing more, because it holds the object weakly.
    mutating func portObserver(at selector: Int) -> Bool {
        guard let open = openingOfCall(around: selector), let close = closing(of: open), isWord("self", at: open + 1),
            isMark(",", at: open + 2), isMark(":", at: selector - 1), selector == open + 5,
            let scope = file.scopes.body(at: tokens[selector].range.lowerBound), scope.keyword != "struct",
            let method = observingMethod(at: selector), !removesObservers,
            let name = argument("name", from: open, to: close), let start = startOfStatement(before: open - 1)
        else { return false }
        let object = argument("object", from: open, to: close) ?? "nil"
        let center = String(
            decoding: file.bytes[tokens[start].range.lowerBound..<tokens[open].range.lowerBound], as: UTF8.self)
        let call = method.takesNotification ? "\(method.name)($0)" : "\(method.name)()"
        let arguments = method.takesNotification ? "" : " _ in"
        let closure = "{ [weak self]\(arguments.isEmpty ? " in" : arguments) self?.\(call) }"
        replace(
            tokens[start].range.lowerBound..<tokens[close].range.upperBound,
            by: "_ = \(center)(forName: \(name), object: \(object), queue: nil) \(closure)")
        return true
    }

    private func openingOfCall(around index: Int) -> Int? {
        var depth = 0
        for position in stride(from: index - 1, through: 0, by: -1) {
            if [")", "]", "}"].contains(where: tokens[position].isMark) { depth += 1 }
            if ["(", "[", "{"].contains(where: tokens[position].isMark) {
                if depth == 0 { return isMark("(", at: position) ? position : nil }
                depth -= 1
            }
        }
        return nil
    }

    /// The method that `#selector(…)` names, where the file declares one of that name that fits.
    private func observingMethod(at selector: Int) -> (name: String, takesNotification: Bool)? {
        guard isMark("#", at: selector), let close = closing(of: selector + 2) else { return nil }
        let names = tokens[(selector + 3)..<close].filter { $0.isWord && $0.text != "_" }.map(\.text)
        guard let name = names.last, !names.contains("getter"), !names.contains("setter"),
            let declaration = file.tokens.indices.first(where: {
                file.tokens[$0].isWord("func") && $0 + 4 < file.tokens.count && file.tokens[$0 + 1].isWord(name)
                    && file.tokens[$0 + 2].isMark("(")
            })
        else { return nil }
        if file.tokens[declaration + 3].isMark(")") { return (name, false) }
        // One parameter without a label, of a notification.
        let parameters = file.tokens[(declaration + 3)...].prefix { !$0.isMark(")") }
        guard parameters.first?.isWord("_") == true, !parameters.contains(where: { $0.isMark(",") }),
            let type = parameters.last?.text, type == "Notification" || type == "NSNotification"
        else { return nil }
        return type == "Notification" ? (name, true) : nil
    }

    /// Whether observers are removed at other times than when their object goes.
    private var removesObservers: Bool {
        let all = file.tokens
        return all.indices.contains { index in
            guard all[index].isWord("removeObserver") else { return false }
            // Looks for `deinit {` around it.
            var depth = 0
            for position in stride(from: index - 1, through: 0, by: -1) {
                if all[position].isMark("}") { depth += 1 }
                if all[position].isMark("{") {
                    if depth == 0, position > 0, all[position - 1].isWord("deinit") { return false }
                    depth = max(0, depth - 1)
                }
            }
            return true
        }
    }

    /// The text of an argument of a call.
    private func argument(_ label: String, from open: Int, to close: Int) -> String? {
        var depth = 0
        for position in open + 1..<close {
            if depth == 0, isWord(label, at: position), isMark(":", at: position + 1) {
                var end = position + 2
                var inner = 0
                while end < close {
                    if ["(", "[", "{"].contains(where: tokens[end].isMark) { inner += 1 }
                    if [")", "]", "}"].contains(where: tokens[end].isMark) { inner -= 1 }
                    if inner == 0, isMark(",", at: end) { break }
                    end += 1
                }
                guard end > position + 2 else { return nil }
                let range = tokens[position + 2].range.lowerBound..<tokens[end - 1].range.upperBound
                return String(decoding: file.bytes[range], as: UTF8.self)
            }
            if ["(", "[", "{"].contains(where: tokens[position].isMark) { depth += 1 }
            if [")", "]", "}"].contains(where: tokens[position].isMark) { depth -= 1 }
        }
        return nil
    }

    /// Where `center.addObserver` begins, if that is a statement: its value is not used.
    private func startOfStatement(before last: Int) -> Int? {
        var start = last
        while isMark(".", at: start - 1), let before = token(start - 2), before.isWord { start -= 2 }
        guard let before = token(start - 1) else { return start }
        return before.isMark("{") || before.isMark("}") || before.isMark(";")
            || tokens[start].follows == .newline && !["=", ",", "(", ":"].contains(where: before.isMark) ? start : nil
    }
}
