import CoreDataModelCompiler

// Arguments of predicates, which need not be `CVarArg` here. Numbers, dates and objects do not conform to it on Linux.
extension FilePorter {
    /// Removes the cast of `id as CVarArg` among the arguments of a format. It is not needed here, and fails for some
    /// values.
    mutating func portArgumentCast(at index: Int) {
        let type = isMark("!", at: index + 1) ? index + 2 : index + 1
        guard isWord("CVarArg", at: type), let function = callee(around: index),
            function == "NSPredicate" || function == "NSExpression"
        else { return }
        replace(tokens[index - 1].range.upperBound..<tokens[type].range.upperBound, by: "")
    }

    /// Replaces `CVarArg` as the type of a parameter for an argument of a format. Numbers, dates and objects do not
    /// conform to it on Linux, and a predicate takes any value. `Sequence & CVarArg` becomes any sequence.
    mutating func portArgumentType(at index: Int) {
        guard makesPredicates, !formatsText else { return }
        if isMark("&", at: index - 1), token(index - 2)?.isWord == true {
            replace(tokens[index - 2].range.upperBound..<tokens[index].range.upperBound, by: "")
        } else if isMark(":", at: index - 1) {
            replace(tokens[index].range, by: "Any")
        } else if isMark("[", at: index - 1), isMark("]", at: index + 1) {
            // A list of arguments that is filled before it is passed on.
            replace(tokens[index].range, by: "Any")
        }
    }

    private var makesPredicates: Bool {
        importsByName("CoreData")
            || file.tokens.contains { token in
                ["NSPredicate", "NSComparisonPredicate", "NSExpression"].contains(where: token.isWord)
            }
    }

    /// Whether the file formats arguments as text, for which they must be `CVarArg`.
    private var formatsText: Bool {
        file.tokens.indices.contains { index in
            let token = file.tokens[index]
            // Lists for predicates become arrays.
            let isOfPredicate =
                interpolation == nil
                && (token.isWord("getVaList") && isArgumentOfPredicate(at: index)
                    || token.isWord("withVaList") && listOfPredicate(at: index) != nil)
            if isOfPredicate { return false }
            if ["getVaList", "withVaList", "NSLog", "vprintf", "CVaListPointer"].contains(where: token.isWord) {
                return true
            }
            return token.isWord("format") && index > 1 && file.tokens[index - 1].isMark("(")
                && ["String", "NSString", "localizedStringWithFormat"].contains(where: file.tokens[index - 2].isWord)
        }
    }

    /// Ports `withVaList(list) { NSPredicate(format: text, arguments: $0) }`, because such lists cannot contain objects
    /// on Linux.
    mutating func portArgumentList(at index: Int) {
        guard let (close, end) = listOfPredicate(at: index) else { return }
        let list = text(tokens[index + 2].range.lowerBound..<tokens[close].range.lowerBound)
        let start = text(tokens[close + 2].range.lowerBound..<tokens[end - 4].range.lowerBound)
        replace(
            tokens[index].range.lowerBound..<tokens[end].range.upperBound, by: start + "argumentArray: \(list))")
    }

    /// The ends of the list and the block of `withVaList`, if the block only makes a predicate of the list.
    func listOfPredicate(at index: Int) -> (close: Int, end: Int)? {
        guard isMark("(", at: index + 1), let close = closing(of: index + 1), isMark("{", at: close + 1),
            let end = closing(of: close + 1), isWord("NSPredicate", at: close + 2), isMark("(", at: close + 3),
            closing(of: close + 3) == end - 1, isWord("$0", at: end - 2),
            isMark(":", at: end - 3), isWord("arguments", at: end - 4)
        else { return nil }
        return (close, end)
    }

    /// Ports `NSPredicate(format: text, arguments: getVaList(list))`, because such lists cannot contain objects on
    /// Linux.
    mutating func portArgumentPointer(at index: Int) {
        guard isArgumentOfPredicate(at: index), let close = closing(of: index + 1) else { return }
        replace(tokens[index - 2].range, by: "argumentArray")
        replace(tokens[index].range.lowerBound..<tokens[index + 1].range.upperBound, by: "")
        replace(tokens[close].range, by: "")
    }

    /// Whether `getVaList` makes the arguments of a predicate.
    func isArgumentOfPredicate(at index: Int) -> Bool {
        isMark("(", at: index + 1) && isMark(":", at: index - 1) && isWord("arguments", at: index - 2)
            && callee(around: index) == "NSPredicate"
    }

    /// Ports `NSPredicate()`. Such a predicate cannot be evaluated on a Mac, and Foundation on Linux has no such
    /// initialiser.
    mutating func portEmptyPredicate(at index: Int) {
        let open = isMark(".", at: index + 1) && isWord("init", at: index + 2) ? index + 3 : index + 1
        guard isMark("(", at: open), isMark(")", at: open + 1) else { return }
        insert("value: true", at: tokens[open + 1].range.lowerBound)
    }
}
