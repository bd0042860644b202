import CoreDataModelCompiler

extension FilePorter {
    /// The comparisons that a sort descriptor finds by name.
    private static let comparisons: Set<String> = [
        "compare", "caseInsensitiveCompare", "localizedCompare", "localizedCaseInsensitiveCompare",
        "localizedStandardCompare",
    ]

    /// The index of the parenthesis that closes `#selector(…)`.
    func endOfSelector(at index: Int) -> Int? {
        isMark("#", at: index) && isWord("selector", at: index + 1) && isMark("(", at: index + 2)
            ? closing(of: index + 2) : nil
    }

    /// Replaces `#selector(NSString.caseInsensitiveCompare(_:))` by the comparison of that name.
    mutating func portComparison(at index: Int) {
        guard let close = endOfSelector(at: index) else { return }
        let names = tokens[(index + 3)..<close].filter(\.isWord).map(\.text)
        // `getter:`, casts and labels of arguments are more words than a type and a comparison.
        guard let name = names.first(where: Self.comparisons.contains),
            ["NSString", "NSNumber", "NSDate"].contains(names[0])
        else { return }
        replaceSelector(index, close, by: name)
    }

    /// Replaces `NSStringFromSelector(#selector(getter: Note.title))` by the name of the property.
    mutating func portNameOfGetter(at index: Int) {
        guard let close = endOfSelector(at: index), isWord("getter", at: index + 3), isMark(":", at: index + 4),
            let name = token(close - 1), name.isWord, isMark("(", at: index - 1),
            isWord("NSStringFromSelector", at: index - 2), isMark(")", at: close + 1),
            tokens[(index + 5)..<close].allSatisfy({ $0.isWord || $0.isMark(".") })
        else { return }
        replace(tokens[index - 2].range.lowerBound..<tokens[close + 1].range.upperBound, by: "\"\(name.text)\"")
    }

    /// Ports `"FUNCTION($source, \"\(#selector(NSManagedObject.value(forKey:)))\", …)"`: a text with the name of a
    /// method that a class of Foundation or the framework has.
    mutating func portWrittenSelector(at index: Int) {
        guard let interpolation, index == 0, endOfSelector(at: 0) == tokens.count - 1 else { return }
        let isGetter = isWord("getter", at: 3) && isMark(":", at: 4)
        let path = tokens[(isGetter ? 5 : 3)..<(tokens.count - 1)]
        guard let type = path.first, type.isWord, type.text.hasPrefix("NS"), path.count > 2,
            path[path.startIndex + 1].isMark("."), path[path.startIndex + 2].isWord
        else { return }
        let name = path[path.startIndex + 2].text
        let rest = path.dropFirst(3)
        if isGetter, rest.isEmpty {
            replace(interpolation.range, by: name)
        } else if !isGetter, rest.first?.isMark("(") == true, rest.last?.isMark(")") == true {
            let labels = rest.filter(\.isWord).map(\.text)
            replace(interpolation.range, by: SelectorName.of(name, labels: labels))
        }
    }

    /// Ports `Selector("localizedStandardCompare:")`: the call becomes the function that does the same, and the type is
    /// replaced if the file has no other selectors.
    mutating func portNamedComparison(at index: Int) {
        guard isMark("(", at: index + 1), let close = closing(of: index + 1) else {
            if isTypeOfSelector(at: index), selectsComparisonsOnly { replace(tokens[index].range, by: "SortSelector") }
            return
        }
        let inner = tokens[(index + 2)..<close].filter { !$0.isMark("(") && !$0.isMark(")") }
        guard inner.count == 1, case .literal = inner[0].kind else { return }
        let name = inner[0].text.filter { $0 != "\"" }
        guard name.hasSuffix(":"), Self.comparisons.contains(String(name.dropLast())) else { return }
        replaceSelector(index, close, by: String(name.dropLast()))
    }

    private func isTypeOfSelector(at index: Int) -> Bool { isMark(":", at: index - 1) || isMark("->", at: index - 1) }

    /// Whether the file uses selectors only for the names of comparisons.
    private var selectsComparisonsOnly: Bool {
        let places = file.tokens.indices.filter {
            file.tokens[$0].isMark("#") && $0 + 3 < file.tokens.count && file.tokens[$0 + 1].isWord("selector")
        }
        return !places.isEmpty
            && places.allSatisfy { place in
                file.tokens[(place + 3)...].prefix(3).contains { Self.comparisons.contains($0.text) }
            }
    }

    private mutating func replaceSelector(_ first: Int, _ last: Int, by name: String) {
        let isArgument = isMark(":", at: first - 1) && isWord("selector", at: first - 2)
        replace(
            tokens[first].range.lowerBound..<tokens[last].range.upperBound,
            by: (isArgument ? "." : "SortSelector.") + name)
    }

    /// Reports a selector that no other rule has rewritten.
    mutating func reportSelector(at index: Int) {
        if isRewritten(index) { return }
        let isMade = isMark("(", at: index + 1) && closing(of: index + 1) != nil
        if endOfSelector(at: index) != nil || tokens[index].isWord && isMade {
            let advice =
                callee(around: index) == "addObserver"
                ? "observe with addObserver(forName:object:queue:using:), keep what it returns and remove that"
                : "pass a closure instead"
            byHand(tokens[index], "there are no selectors on Linux: \(advice)")
        } else if tokens[index].isWord, isTypeOfSelector(at: index) {
            byHand(tokens[index], "there is no type 'Selector' on Linux; comparisons are named by 'SortSelector'")
        }
    }

    /// The name of the function whose arguments contain a place.
    func callee(around index: Int) -> String? {
        guard let open = opening(around: index), isMark("(", at: open) else { return nil }
        return token(open - 1)?.text
    }

    /// The index of the mark that opens the innermost bracket around a place.
    func opening(around index: Int) -> Int? {
        var depth = 0
        for position in stride(from: index - 1, through: 0, by: -1) {
            if [")", "]", "}"].contains(where: tokens[position].isMark) { depth += 1 }
            if ["(", "[", "{"].contains(where: tokens[position].isMark) {
                if depth == 0 { return position }
                depth -= 1
            }
        }
        return nil
    }
}
