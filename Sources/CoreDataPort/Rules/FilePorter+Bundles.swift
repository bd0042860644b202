import CoreDataModelCompiler

extension FilePorter {
    /// Ports `Bundle(for: Type.self)` and `.init(for: Type.self)`, which on Linux give the program's folder for every
    /// type. For a class of the target's own it becomes the target's bundle, otherwise the framework's replacement.
    mutating func portBundle(at index: Int) {
        if isWord("allBundles", at: index + 2), isMark(".", at: index + 1) { return portAllBundles(at: index) }
        if isWord("Bundle", at: index), isMark("(", at: index + 1), isWord("identifier", at: index + 2) {
            return portIdentifiedBundle(at: index)
        }
        guard isMark("(", at: index + 1), isWord("for", at: index + 2), isMark(":", at: index + 3),
            let close = closing(of: index + 1)
        else { return }
        var first = index
        if isWord("init", at: index) {
            if isMark(".", at: index - 1) { first = index - 1 }
            if isWord("Bundle", at: first - 1) {
                first -= 1
            } else if !speaksOfBundle(before: first) {
                return hintAtBundle(index, index + 4..<close)
            }
        }
        let range = tokens[first].range.lowerBound..<tokens[close].range.upperBound
        if let own = surroundings.target, surroundings.targetsWithResources.contains(own),
            isOwn(index + 4..<close, own, seenFrom: tokens[index].range.lowerBound), !isInDefaultValue(first)
        {
            return replace(range, by: "Bundle.module")
        }
        guard index + 4 < close else { return }
        usesAdditions = true
        replace(range, by: "Bundle.withResources(of: \(text(ofTokens: index + 4..<close)))")
    }

    /// Whether a place is in the default value of a parameter. Callers outside the module use that value, too, so it
    /// must not name internal declarations such as the target's own bundle.
    private func isInDefaultValue(_ index: Int) -> Bool {
        var place = index
        while let open = opening(around: place), !isMark("{", at: open) {
            if isMark("(", at: open) {
                var position = place - 1
                while position > open, !isMark(",", at: position) {
                    if isMark("=", at: position) { return true }
                    if [")", "]", "}"].contains(where: tokens[position].isMark) {
                        position = opening(of: position) ?? open
                    }
                    position -= 1
                }
            }
            place = open
        }
        return false
    }

    /// Hints at `.init(for: Note.self)` if the context does not determine the type. It is a bundle more often than not.
    private mutating func hintAtBundle(_ index: Int, _ argument: Range<Int>) {
        guard isMark(".", at: index - 1), isWord("return", at: index - 2) || token(index - 2)?.isWord != true,
            !isMark(")", at: index - 2),
            owner(in: argument) != nil, importsByName("CoreData")
        else { return }
        hint(
            tokens[index],
            "if this is a bundle, write 'Bundle.withResources(of:)': 'Bundle(for:)' is the program's folder on Linux")
    }

    /// Whether a class is the target's own.
    private func isOwn(_ range: Range<Int>, _ own: String, seenFrom position: Int) -> Bool {
        guard let owner = owner(in: range) else { return false }
        if owner.isEmpty { return true }
        let full = keys.types.fullName(of: owner, seenFrom: file.scopes.type(at: position))
        return full.flatMap { surroundings.typeTargets[$0] } == own
    }

    /// Ports `Bundle(identifier: "…")`. A package has no bundles with identifiers. A framework of Xcode's uses this
    /// form for its own bundle.
    private mutating func portIdentifiedBundle(at index: Int) {
        guard let own = surroundings.target, surroundings.targetsWithResources.contains(own),
            let close = closing(of: index + 1), close == index + 5, case .literal = tokens[index + 4].kind
        else { return }
        let isForced = isMark("!", at: close + 1)
        hint(tokens[index], "the bundle \(tokens[index + 4].text) becomes that of the target '\(own)'")
        replace(
            tokens[index].range.lowerBound..<tokens[isForced ? close + 1 : close].range.upperBound,
            by: isForced ? "Bundle.module" : "Optional(Bundle.module)")
    }

    /// Replaces `Bundle.main.bundleIdentifier!`, because a program of a package has no property list with its
    /// identifier.
    mutating func portBundleIdentifier(at index: Int) {
        guard isMark("!", at: index + 1), isMark(".", at: index - 1), !isMark("=", at: index + 2),
            let last = token(index - 2)
        else { return }
        let start: Int
        if last.isWord("main") || last.isWord("module") {
            start = index - 4
        } else if last.isMark(")"), let open = opening(of: index - 2) {
            start = isWord("init", at: open - 1) ? open - 3 : open - 1
        } else {
            return
        }
        guard isWord("Bundle", at: start), !isMark(".", at: start - 1) else { return }
        insert("(", at: tokens[start].range.lowerBound)
        replace(tokens[index + 1].range, by: " ?? ProcessInfo.processInfo.processName)")
    }

    /// Replaces `kCFBundleNameKey as String` by the text itself.
    mutating func portBundleKey(at index: Int) {
        guard isWord("as", at: index + 1), isWord("String", at: index + 2), !isMark(".", at: index - 1) else { return }
        replace(
            tokens[index].range.lowerBound..<tokens[index + 2].range.upperBound,
            by: "\"\(tokens[index].text.dropFirst().dropLast(3))\"")
    }

    /// Ports `Bundle.allBundles`, which has the main bundle alone on Linux. On a Mac the target's own is among them.
    private mutating func portAllBundles(at index: Int) {
        guard let own = surroundings.target, surroundings.targetsWithResources.contains(own),
            !(isMark("+", at: index + 3) && isMark("[", at: index + 4))
        else { return }
        replace(
            tokens[index].range.lowerBound..<tokens[index + 2].range.upperBound,
            by: "(Bundle.allBundles + [Bundle.module])")
    }

    /// The type in the argument; empty for the type of the code itself, `nil` if it cannot be determined.
    private func owner(in range: Range<Int>) -> String? {
        let text = tokens[range].map(\.text).joined()
        if ["type(of:self)", "Self.self", "self", "self.classForCoder", "classForCoder"].contains(text) { return "" }
        guard text.hasSuffix(".self") else { return nil }
        let name = String(text.dropLast(5))
        return name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." } ? name : nil
    }

    /// The index after the opening bracket of the list that contains a comma; `nil` if there is none.
    private func startOfList(around comma: Int) -> Int? {
        var position = comma - 1
        while let token = token(position) {
            if token.isMark("[") { return position + 1 }
            if token.isMark("(") || token.isMark("{") { return nil }
            if [")", "]", "}"].contains(where: token.isMark) {
                guard let open = opening(of: position) else { return nil }
                position = open
            }
            position -= 1
        }
        return nil
    }

    /// Whether the context of `.init(for:)` requires a bundle: by the declared type, or by the label of an argument.
    private func speaksOfBundle(before index: Int) -> Bool {
        // Each element of a list has the type of the first one.
        if isMark(",", at: index - 1), let first = startOfList(around: index - 1) {
            return speaksOfBundle(before: first)
        }
        // The first element of a list: `mergedModel(from: [.init(for: Note.self)])`, `let all: [Bundle] = [.init(…)]`.
        if isMark("[", at: index - 1) {
            return isMark(":", at: index - 2) && isWord("from", at: index - 3) || speaksOfBundle(before: index - 1)
        }
        if isMark(":", at: index - 1) {
            return token(index - 2)?.text.lowercased().contains("bundle") == true || isWord("in", at: index - 2)
        }
        if isWord("return", at: index - 1) || isMark("{", at: index - 1) {
            return bodyGivesBundle(around: index)
        }
        guard isMark("=", at: index - 1) else { return false }
        return isWord("Bundle", at: index - 2) || isWord("Bundle", at: index - 3)
    }

    /// Whether the innermost function, property or closure with a declared result around a place returns a bundle.
    private func bodyGivesBundle(around index: Int) -> Bool {
        var place = index
        while let open = opening(around: place), isMark("{", at: open) {
            let end = isMark("?", at: open - 1) ? open - 2 : open - 1
            if isWord("Bundle", at: end) { return isMark("->", at: end - 1) || isMark(":", at: end - 1) }
            if isMark("=", at: end) { return speaksOfBundle(before: open) }
            // The body returns another type, or declares a type.
            if isMark("->", at: end - 1) || isMark(":", at: end - 1) { return false }
            place = open
        }
        return false
    }
}
