import CoreDataModelCompiler

extension FilePorter {
    /// Constants that only the headers of Dispatch have.
    private static let units = [
        "NSEC_PER_SEC": "1_000_000_000", "NSEC_PER_MSEC": "1_000_000", "NSEC_PER_USEC": "1_000",
        "USEC_PER_SEC": "1_000_000",
    ]

    /// Replaces the constant in `2 * NSEC_PER_SEC` by its number.
    mutating func portUnit(at index: Int) {
        guard !isMark(".", at: index - 1), let number = Self.units[tokens[index].text] else { return }
        replace(tokens[index].range, by: number)
    }

    /// Ports `path._kvcKeyPathString`, which is always nil on Linux. The framework has a name for key paths of managed
    /// objects. Without a point before it, the name belongs to an implicit self.
    mutating func portNameOfKeyPath(at index: Int) {
        if isWord("var", at: index - 1) || isWord("let", at: index - 1) || isMark(":", at: index + 1) { return }
        usesAdditions = true
        replace(tokens[index].range, by: "managedKeyPath")
    }

    /// Ports `Foundation.ValueTransformer` and other names that belong to Foundation on a Mac and to the framework
    /// here.
    mutating func portQualifiedName(at index: Int) {
        guard isMark(".", at: index + 1), let name = token(index + 2), name.isWord, !isMark(".", at: index - 1),
            FrameworkNames.ofFoundation.contains(name.text)
        else { return }
        replace(tokens[index].range, by: "CoreData")
    }

    /// Ports `Predicate` of another target, which Foundation has, too. The rule writes the target's module before the
    /// name.
    mutating func portOwnName(at index: Int) {
        let name = tokens[index].text
        guard let own = surroundings.target, let owner = surroundings.typeTargets[name], owner != own,
            importsByName(owner), !isMark(".", at: index - 1), !isMark("#", at: index - 1),
            !isMark(":", at: index + 1) || !isMark("(", at: index - 1) && !isMark(",", at: index - 1),
            keys.types.fullName(of: name, seenFrom: file.scopes.type(at: tokens[index].range.lowerBound)) == name,
            !isDeclared(at: index), !declaresName(name)
        else { return }
        // `Graph.Predicate` would be a type within the class `Graph`.
        if surroundings.typeTargets[owner] != nil { return importOwnType(name, of: owner) }
        insert("\(owner).", at: tokens[index].range.lowerBound)
    }

    /// Imports one type of a module before those of modules that have the name, too.
    private mutating func importOwnType(_ name: String, of owner: String) {
        let tokens = file.tokens
        guard let keyword = surroundings.typeKeywords[name],
            let place = tokens.indices.dropFirst().first(where: {
                tokens[$0].isWord(owner) && tokens[$0 - 1].isWord("import")
            }), let first = tokens.first(where: { $0.line == tokens[place].line })
        else { return }
        let start = first.range.lowerBound
        let line =
            "\n\(indentation(at: start))\(text(start..<tokens[place - 1].range.upperBound)) \(keyword) \(owner).\(name)"
        let end = tokens[place].range.upperBound
        if !edits.contains(where: { $0.range == end..<end && $0.replacement == line }) { insert(line, at: end) }
    }

    /// Whether a name is that of a declaration: `case Predicate(String)`.
    private func isDeclared(at index: Int) -> Bool {
        guard let before = token(index - 1), before.isWord, !before.isWord("extension") else { return false }
        return Self.declarations.contains(before.text) && !isMark(".", at: index + 1)
    }

    /// Whether the file itself declares a name: as a type at its top, an alias, or a generic parameter.
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
}
