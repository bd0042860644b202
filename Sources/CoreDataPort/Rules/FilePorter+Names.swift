import CoreDataModelCompiler

extension FilePorter {
    /// Constants of Dispatch that its headers alone have.
    private static let units = [
        "NSEC_PER_SEC": "1_000_000_000", "NSEC_PER_MSEC": "1_000_000", "NSEC_PER_USEC": "1_000",
        "USEC_PER_SEC": "1_000_000",
    ]

    /// `2 * NSEC_PER_SEC`: the number is written out.
    mutating func portUnit(at index: Int) {
        guard !isMark(".", at: index - 1), let number = Self.units[tokens[index].text] else { return }
        replace(tokens[index].range, by: number)
    }

    /// `path._kvcKeyPathString`: always nil on Linux. The framework has a name for key paths of managed objects. Without
    /// a point before it the name is asked of an implicit self.
    mutating func portNameOfKeyPath(at index: Int) {
        if isWord("var", at: index - 1) || isWord("let", at: index - 1) || isMark(":", at: index + 1) { return }
        usesAdditions = true
        replace(tokens[index].range, by: "managedKeyPath")
    }

    /// `Foundation.ValueTransformer`: what is Foundation's on a Mac and the framework's here.
    mutating func portQualifiedName(at index: Int) {
        guard isMark(".", at: index + 1), let name = token(index + 2), name.isWord, !isMark(".", at: index - 1),
            FrameworkNames.ofFoundation.contains(name.text)
        else { return }
        replace(tokens[index].range, by: "CoreData")
    }

    /// `Predicate` of another target, which Foundation has, too: its module is named, so that it is clear which is meant.
    mutating func portOwnName(at index: Int) {
        let name = tokens[index].text
        guard let own = surroundings.target, let owner = surroundings.typeTargets[name], owner != own,
            importsByName(owner), !isMark(".", at: index - 1), !isMark("#", at: index - 1),
            !isMark(":", at: index + 1) || !isMark("(", at: index - 1) && !isMark(",", at: index - 1),
            keys.types.fullName(of: name, seenFrom: file.scopes.type(at: tokens[index].range.lowerBound)) == name,
            !declaresName(name)
        else { return }
        if surroundings.typeTargets[owner] != nil {
            return byHand(
                tokens[index],
                "Foundation has '\(name)', too, and the module has the name of a type: write 'import struct "
                    + "\(owner).\(name)' (or class, enum)")
        }
        insert("\(owner).", at: tokens[index].range.lowerBound)
    }

    /// Whether the file itself gives a name a meaning: as a type at its top, an alias, or a generic parameter.
    private func declaresName(_ name: String) -> Bool {
        let keywords = ["typealias", "associatedtype"]
        let generic = keywords + ["func", "struct", "class", "enum", "actor", "protocol"]
        return file.scopes.declarations[name]?.isWhole == true
            || file.tokens.indices.dropFirst(3).contains { place in
                guard file.tokens[place].isWord(name) else { return false }
                let before = file.tokens[place - 1]
                return keywords.contains(where: before.isWord)
                    || before.isMark("<") && generic.contains(where: file.tokens[place - 3].isWord)
            }
    }

    /// `withVaList(list) { NSPredicate(format: text, arguments: $0) }`: objects do not go into such lists on Linux.
    mutating func portArgumentList(at index: Int) {
        guard let (close, end) = listOfPredicate(at: index) else { return }
        let list = text(tokens[index + 2].range.lowerBound..<tokens[close].range.lowerBound)
        let start = text(tokens[close + 2].range.lowerBound..<tokens[end - 4].range.lowerBound)
        replace(
            tokens[index].range.lowerBound..<tokens[end].range.upperBound, by: start + "argumentArray: \(list))")
    }

    /// Where the list and the block of `withVaList` end, if the block makes a predicate of the list and does nothing else.
    func listOfPredicate(at index: Int) -> (close: Int, end: Int)? {
        guard isMark("(", at: index + 1), let close = closing(of: index + 1), isMark("{", at: close + 1),
            let end = closing(of: close + 1), isWord("NSPredicate", at: close + 2), isMark("(", at: close + 3),
            closing(of: close + 3) == end - 1, isWord("$0", at: end - 2),
            isMark(":", at: end - 3), isWord("arguments", at: end - 4)
        else { return nil }
        return (close, end)
    }

    /// `NSPredicate(format: text, arguments: getVaList(list))`: objects do not go into such lists on Linux.
    mutating func portArgumentPointer(at index: Int) {
        guard isArgumentOfPredicate(at: index), let close = closing(of: index + 1) else { return }
        replace(tokens[index - 2].range, by: "argumentArray")
        replace(tokens[index].range.lowerBound..<tokens[index + 1].range.upperBound, by: "")
        replace(tokens[close].range, by: "")
    }

    /// Whether `getVaList` stands for the arguments of a predicate.
    func isArgumentOfPredicate(at index: Int) -> Bool {
        isMark("(", at: index + 1) && isMark(":", at: index - 1) && isWord("arguments", at: index - 2)
            && callee(around: index) == "NSPredicate"
    }

    /// `NSPredicate()`: nothing can be asked of such a predicate on a Mac, and Foundation on Linux makes none.
    mutating func portEmptyPredicate(at index: Int) {
        let open = isMark(".", at: index + 1) && isWord("init", at: index + 2) ? index + 3 : index + 1
        guard isMark("(", at: open), isMark(")", at: open + 1) else { return }
        insert("value: true", at: tokens[open + 1].range.lowerBound)
    }
}
