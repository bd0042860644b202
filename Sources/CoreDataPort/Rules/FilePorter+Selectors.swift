import CoreDataModelCompiler

extension FilePorter {
    /// The comparisons that a sort descriptor knows by name.
    private static let comparisons: Set<String> = [
        "compare", "caseInsensitiveCompare", "localizedCompare", "localizedCaseInsensitiveCompare",
        "localizedStandardCompare",
    ]

    /// `#selector(NSString.caseInsensitiveCompare(_:))` becomes the comparison of that name.
    mutating func portSelector(at index: Int) {
        guard isWord("selector", at: index + 1), isMark("(", at: index + 2), let close = closing(of: index + 2) else {
            return
        }
        let names = tokens[(index + 3)..<close].filter(\.isWord).map(\.text)
        // `getter:`, casts and arguments' labels make other words than a type and a comparison.
        if let name = names.first(where: Self.comparisons.contains),
            ["NSString", "NSNumber", "NSDate"].contains(names[0])
        {
            return replaceSelector(index, close, by: name)
        }
        if portNameOfGetter(at: index, close) || portWrittenSelector(at: index, close) { return }
        reportSelector(at: index)
    }

    /// `NSStringFromSelector(#selector(getter: Note.title))` is the name of the property.
    private mutating func portNameOfGetter(at index: Int, _ close: Int) -> Bool {
        guard isWord("getter", at: index + 3), isMark(":", at: index + 4), let name = token(close - 1), name.isWord,
            isMark("(", at: index - 1), isWord("NSStringFromSelector", at: index - 2), isMark(")", at: close + 1)
        else { return false }
        let path = tokens[(index + 5)..<close]
        guard path.allSatisfy({ $0.isWord || $0.isMark(".") }) else { return false }
        replace(tokens[index - 2].range.lowerBound..<tokens[close + 1].range.upperBound, by: "\"\(name.text)\"")
        return true
    }

    /// `"FUNCTION($source, \"\(#selector(NSManagedObject.value(forKey:)))\", …)"`: a text with the name of what a class
    /// of Foundation or the framework has.
    private mutating func portWrittenSelector(at index: Int, _ close: Int) -> Bool {
        guard let interpolation, index == 0, close == tokens.count - 1 else { return false }
        let isGetter = isWord("getter", at: 3) && isMark(":", at: 4)
        let path = tokens[(isGetter ? 5 : 3)..<close]
        guard let type = path.first, type.isWord, type.text.hasPrefix("NS"), path.count > 2,
            path[path.startIndex + 1].isMark("."), path[path.startIndex + 2].isWord
        else { return false }
        let name = path[path.startIndex + 2].text
        let rest = path.dropFirst(3)
        if isGetter, rest.isEmpty {
            replace(interpolation.range, by: name)
        } else if !isGetter, rest.first?.isMark("(") == true, rest.last?.isMark(")") == true {
            let labels = rest.filter(\.isWord).map(\.text)
            replace(interpolation.range, by: SelectorName.of(name, labels: labels))
        } else {
            return false
        }
        return true
    }

    /// `Selector("localizedStandardCompare:")`, and the function that does the same.
    mutating func portNamedSelector(at index: Int) {
        guard isMark("(", at: index + 1), let close = closing(of: index + 1) else {
            if isMark(":", at: index - 1) || isMark("->", at: index - 1) {
                if selectsComparisonsOnly { return replace(tokens[index].range, by: "SortSelector") }
                byHand(tokens[index], "there is no type 'Selector' on Linux; comparisons are named by 'SortSelector'")
            }
            return
        }
        let inner = tokens[(index + 2)..<close].filter { !$0.isMark("(") && !$0.isMark(")") }
        if inner.count == 1, case .literal = inner[0].kind {
            let name = inner[0].text.filter { $0 != "\"" }
            if name.hasSuffix(":"), Self.comparisons.contains(String(name.dropLast())) {
                return replaceSelector(index, close, by: String(name.dropLast()))
            }
        }
        reportSelector(at: index)
    }

    /// Whether the file names comparisons by selectors, and nothing else.
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

    private mutating func reportSelector(at index: Int) {
        if portObserver(at: index) || portTimer(at: index) { return }
        let advice =
            callee(around: index) == "addObserver"
            ? "observe with addObserver(forName:object:queue:using:), keep what it returns and remove that"
            : "pass a closure instead"
        byHand(tokens[index], "there are no selectors on Linux: \(advice)")
    }

    /// The name of the function whose arguments hold a place.
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
