import CoreDataModelCompiler

extension FilePorter {
    /// Replaces `Timer(timeInterval: 1, target: self, selector: #selector(tick), userInfo: nil, repeats: true)` by
    /// `Timer(timeInterval: 1, repeats: true, block: { _ in self.tick() })`. Both hold the target until they are
    /// invalidated.
    mutating func portTimer(at selector: Int) {
        guard let end = endOfSelector(at: selector), let open = opening(around: selector),
            isMark("(", at: open), let close = closing(of: open), let first = token(open + 1),
            isMark(":", at: selector - 1), isWord("selector", at: selector - 2), isMark(",", at: selector - 3),
            let target = token(selector - 4), target.isWord, isMark(":", at: selector - 5),
            isWord("target", at: selector - 6), isMark(",", at: selector - 7),
            isMark(",", at: end + 1), isWord("userInfo", at: end + 2), isMark(":", at: end + 3),
            isWord("nil", at: end + 4), isMark(",", at: end + 5), isWord("repeats", at: end + 6),
            let label = Self.labelOfTimer(token(open - 1)?.text, first.text),
            let call = callOfMethod(selector + 3..<end, of: target.text)
        else { return }
        replace(first.range, by: label)
        replace(tokens[selector - 6].range.lowerBound..<tokens[end + 6].range.lowerBound, by: "")
        insert(", block: \(call)", at: tokens[close].range.lowerBound)
    }

    /// The label of the first argument of a timer with a block.
    private static func labelOfTimer(_ callee: String?, _ label: String) -> String? {
        switch (callee, label) {
        case ("scheduledTimer", "timeInterval"): "withTimeInterval"
        case ("Timer", "timeInterval"): "timeInterval"
        case ("Timer", "fireAt"): "fire"
        default: nil
        }
    }

    /// The block that calls the method of a selector. The file must declare the method, because its parameters are
    /// needed.
    private func callOfMethod(_ selector: Range<Int>, of target: String) -> String? {
        var position = selector.lowerBound
        while position + 2 < selector.upperBound, isMark(".", at: position + 1) { position += 2 }
        guard let name = token(position), name.isWord, name.text != "getter", name.text != "setter" else { return nil }
        let methods = file.tokens.indices.filter { isWord("func", at: $0) && isWord(name.text, at: $0 + 1) }
        guard methods.count == 1, let method = methods.first, isMark("(", at: method + 2),
            let close = closing(of: method + 2)
        else { return nil }
        if close == method + 3 { return "{ _ in \(target).\(name.text)() }" }
        guard let label = token(method + 3), label.isWord,
            !tokens[method + 3..<close].contains(where: { $0.isMark(",") })
        else { return nil }
        let argument = label.text == "_" ? "timer" : "\(label.text): timer"
        return "{ timer in \(target).\(name.text)(\(argument)) }"
    }
}
