import CoreDataModelCompiler

extension FilePorter {
    /// `Bundle(for: Type.self)` and `.init(for: Type.self)`: on Linux that is the program's folder, whatever the type.
    mutating func portBundle(at index: Int) {
        if isWord("allBundles", at: index + 2), isMark(".", at: index + 1) { return portAllBundles(at: index) }
        guard isMark("(", at: index + 1), isWord("for", at: index + 2), isMark(":", at: index + 3),
            let close = closing(of: index + 1)
        else { return }
        var first = index
        if isWord("init", at: index) {
            if isMark(".", at: index - 1) { first = index - 1 }
            if isWord("Bundle", at: first - 1) {
                first -= 1
            } else if !speaksOfBundle(before: first) {
                return
            }
        }
        let text = "'Bundle(for:)' is the program's folder on Linux: "
        guard let owner = owner(in: index + 4..<close) else {
            return byHand(tokens[index], text + "use 'Bundle.module' of the target that has the resources")
        }
        guard let own = surroundings.target else { return byHand(tokens[index], text + "use 'Bundle.module'") }
        let scope = file.scopes.type(at: tokens[index].range.lowerBound)
        let theirs =
            owner.isEmpty
            ? own : keys.types.fullName(of: owner, seenFrom: scope).flatMap { surroundings.typeTargets[$0] }
        if theirs == own {
            guard surroundings.targetsWithResources.contains(own) else {
                return byHand(tokens[index], text + "use 'Bundle.module' once the target '\(own)' has resources")
            }
            return replace(tokens[first].range.lowerBound..<tokens[close].range.upperBound, by: "Bundle.module")
        }
        let other = theirs.map { "the target '\($0)'" } ?? "the module that declares '\(owner)'"
        byHand(tokens[index], text + "let \(other) hand out its 'Bundle.module' under a name of its own")
    }

    /// `Bundle.allBundles` has the main bundle alone on Linux; on a Mac the target's own is among them.
    private mutating func portAllBundles(at index: Int) {
        guard let own = surroundings.target, surroundings.targetsWithResources.contains(own),
            !(isMark("+", at: index + 3) && isMark("[", at: index + 4))
        else { return }
        replace(
            tokens[index].range.lowerBound..<tokens[index + 2].range.upperBound,
            by: "(Bundle.allBundles + [Bundle.module])")
    }

    /// The type whose bundle is asked for; empty for that of the code itself, `nil` where it cannot be told.
    private func owner(in range: Range<Int>) -> String? {
        let text = tokens[range].map(\.text).joined()
        if ["type(of:self)", "Self.self", "self", "self.classForCoder", "classForCoder"].contains(text) { return "" }
        guard text.hasSuffix(".self") else { return nil }
        let name = String(text.dropLast(5))
        return name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." } ? name : nil
    }

    /// Whether `.init(for:)` is expected to be a bundle: by the declared type, or by the label of an argument.
    private func speaksOfBundle(before index: Int) -> Bool {
        if isMark(":", at: index - 1) {
            return token(index - 2)?.text.lowercased().contains("bundle") == true || isWord("in", at: index - 2)
        }
        guard isMark("=", at: index - 1) else { return false }
        return isWord("Bundle", at: index - 2) || isWord("Bundle", at: index - 3)
    }
}
