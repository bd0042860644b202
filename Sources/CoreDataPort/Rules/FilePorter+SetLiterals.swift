import CoreDataModelCompiler

// Foundation's sets cannot be written as literals on Linux.
extension FilePorter {
    /// Ports `let set: NSSet = [a]`, `[a] as NSSet` and `(value as? NSSet) ?? [a]`.
    mutating func portSetLiteral(at index: Int) {
        let name = tokens[index].text
        if isMark(":", at: index - 1) {
            var position = index + 1
            while isMark("?", at: position) || isMark("!", at: position) { position += 1 }
            guard isMark("=", at: position), isMark("[", at: position + 1), let close = closing(of: position + 1) else {
                return
            }
            if isContinued(close) { return }
            wrap(position + 1, close, in: name)
        } else if isWord("as", at: index - 1), isMark("]", at: index - 2), let open = opening(of: index - 2) {
            if let before = token(open - 1), tokens[open].follows == .nothing, before.isWord || before.isMark(")") {
                return
            }
            wrap(open, index - 2, in: name)
            replace(tokens[index - 2].range.upperBound..<tokens[index].range.upperBound, by: "")
        } else if isMark("?", at: index - 1) || isMark("!", at: index - 1), isWord("as", at: index - 2) {
            // The cast may be `as! NSSet?` as well.
            var position = index + 1
            if isMark("?", at: position), token(position)?.follows == .nothing { position += 1 }
            if isMark(")", at: position) { position += 1 }
            guard isMark("?", at: position), isMark("?", at: position + 1), isMark("[", at: position + 2),
                let close = closing(of: position + 2), !isContinued(close)
            else { return }
            wrap(position + 2, close, in: name)
        }
    }

    private mutating func wrap(_ open: Int, _ close: Int, in name: String) {
        if close == open + 1 {
            return replace(tokens[open].range.lowerBound..<tokens[close].range.upperBound, by: "\(name)()")
        }
        insert("\(name)(array: ", at: tokens[open].range.lowerBound)
        insert(")", at: tokens[close].range.upperBound)
    }

    /// Ports `person.cars = [car]` and `person.addToCars([car])` if every property of the name is a set of
    /// Foundation's.
    mutating func portSetValue(at index: Int) {
        guard isMark(".", at: index - 1) else { return }
        let name = tokens[index].text
        if isMark("=", at: index + 1), isMark("[", at: index + 2), let close = closing(of: index + 2),
            !isContinued(close), let type = keys.foundationSet(named: name)
        {
            wrap(index + 2, close, in: type)
        } else if isMark("(", at: index + 1), isMark("[", at: index + 2), let close = closing(of: index + 2),
            isMark(")", at: close + 1), let key = Self.keyOfMembersAccessor(name),
            let type = keys.foundationSet(named: key)
        {
            wrap(index + 2, close, in: type)
        }
    }

    /// The relationship of a method `addToCars(_:)` or `removeFromCars(_:)`.
    private static func keyOfMembersAccessor(_ name: String) -> String? {
        for prefix in ["addTo", "removeFrom"] where name.hasPrefix(prefix) {
            let rest = name.dropFirst(prefix.count)
            return rest.first.map { $0.lowercased() + rest.dropFirst() }
        }
        return nil
    }

    /// Whether a literal is only the beginning of a value, which a subscript, a call or an operator continues.
    private func isContinued(_ close: Int) -> Bool {
        guard let next = token(close + 1) else { return false }
        if next.follows == .nothing, next.isMark(".") || next.isMark("[") { return true }
        return next.isWord("as") || next.follows != .newline && ["+", "-", "?", "|", "&"].contains(where: next.isMark)
    }
}
