import CoreDataModelCompiler

extension FilePorter {
    /// Ports an optional member of a protocol, which only Objective-C has: a method gets an empty implementation.
    mutating func portOptionalMember(at index: Int) {
        guard let attribute = objectiveCAttribute(at: index), attribute.isOptional,
            !portOptionalMethod(at: index, through: attribute.last, attribute.keyword)
        else { return }
        byHand(
            tokens[index],
            "a protocol has no optional members on Linux: declare it without '@objc optional' and give it a default in "
                + "an extension")
    }

    /// Ports an optional method. Returns false if its default result is unknown.
    private mutating func portOptionalMethod(at attribute: Int, through last: Int, _ keyword: Int?) -> Bool {
        guard let keyword, isWord("func", at: keyword),
            let word = (last..<keyword).first(where: { isWord("optional", at: $0) }),
            let body = file.scopes.body(at: tokens[keyword].range.lowerBound), body.keyword == "protocol",
            let open = (keyword..<tokens.count).first(where: { isMark("(", at: $0) }), var end = closing(of: open)
        else { return false }
        while isWord("throws", at: end + 1) || isWord("async", at: end + 1) { end += 1 }
        if isMark("->", at: end + 1) {
            var type = end + 2
            while let next = token(type + 1), next.follows != .newline, !next.isMark("}"), !next.isMark(";") {
                type += 1
            }
            let isEmpty = isWord("Void", at: type) || isMark(")", at: type) && isMark("(", at: type - 1)
            guard isMark("?", at: type) || isEmpty && type <= end + 3 else { return false }
            end = type
        }
        remove(from: attribute, through: last)
        remove(from: word, through: word)
        let access = body.access == "public" ? "public " : ""
        let signature = tokens[keyword].range.lowerBound..<tokens[end].range.upperBound
        let returnsNothing = isMark("?", at: end) ? "{ nil }" : "{}"
        defaults[body.range.upperBound, default: []].append(
            "\(access)\(text(signature)) \(returnsNothing)")
        return true
    }

    /// Ports `delegate?.changed?(self)`, because the method always exists now.
    mutating func portOptionalCall(at index: Int) {
        guard isMark(".", at: index - 1), isMark("?", at: index + 1), isMark("(", at: index + 2),
            surroundings.optionalMethods.contains(tokens[index].text) || tellsDelegate(at: index),
            tokens[index + 1].follows == .nothing, tokens[index + 2].follows == .nothing
        else { return }
        replace(tokens[index + 1].range, by: "")
    }

    /// Whether a call is one of a method of `NSFetchedResultsControllerDelegate`, all of which exist.
    private func tellsDelegate(at index: Int) -> Bool {
        switch tokens[index].text {
        case "controllerWillChangeContent", "controllerDidChangeContent": return true
        case "controller":
            guard let close = closing(of: index + 2) else { return false }
            let labels = ["didChange", "didChangeContentWith", "sectionIndexTitleForSectionName"]
            return (index + 3..<close).contains { position in
                labels.contains { isWord($0, at: position) } && isMark(":", at: position + 1)
            }
        default: return false
        }
    }

    /// Writes the implementations after their protocols.
    mutating func writeDefaults() {
        for (end, methods) in defaults {
            guard let type = file.scopes.body(at: end - 1)?.type else { continue }
            let lines = methods.map { "    \($0)\n" }.joined()
            insert("\n\nextension \(type) {\n\(lines)}", at: end + 1)
        }
        defaults = [:]
    }
}
