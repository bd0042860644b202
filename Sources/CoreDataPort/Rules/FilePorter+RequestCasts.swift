import CoreDataModelCompiler

extension FilePorter {
    /// Ports casts between kinds of fetch requests, which generic classes of Swift do not allow.
    mutating func portCast(at index: Int) {
        guard let mark = token(index + 1), mark.isMark("!") || mark.isMark("?"),
            let end = endOfRequestType(at: index + 2)
        else { return }
        let result = tokens[(index + 4)..<end].filter { !$0.isWord("any") }.map(\.text).joined()
        let isGeneral = result == "NSFetchRequestResult"
        // A copy has the type of its original.
        if isMark(")", at: index - 1), isMark("(", at: index - 2), isWord("copy", at: index - 3) { return }
        if let owner = ownerOfFetchRequest(before: index) {
            // The call returns a request of the class's own type, or the general one if the context requires it.
            if result == owner.name || result == "Self" || owner.isSelf && result == own(at: index) { return }
            if isGeneral, mark.isMark("!") { return replace(mark.range, by: "") }
            if mark.isMark("!"), owner.name.first?.isUppercase == true {
                let type = text(ofTokens: index + 4..<end)
                let range = tokens[index - 5].range.lowerBound..<tokens[end].range.upperBound
                return replace(range, by: "NSFetchRequest<\(type)>(entityName: \(owner.name).entity().name ?? \"\")")
            }
            // A variable holds the class. The request has its type, which is a generic parameter of the function.
            if !owner.isSelf, !keys.isManaged(result), result.allSatisfy(\.isLetter) { return }
        }
        if mark.isMark("!"), let made = typeOfMadeRequest(before: index) {
            replace(made, by: text(ofTokens: index + 4..<end))
            return replace(tokens[index - 1].range.upperBound..<tokens[end].range.upperBound, by: "")
        }
        if mark.isMark("!"), let made = typeOfKeptRequest(before: index) {
            replace(made, by: text(ofTokens: index + 4..<end))
            return replace(tokens[index - 1].range.upperBound..<tokens[end].range.upperBound, by: "")
        }
        if isGeneral, mark.isMark("!"), let start = startOfName(before: index),
            takesAnyRequest(start, end) || isKeptForSuch(start, end)
        {
            return replace(tokens[index - 1].range.upperBound..<tokens[end].range.upperBound, by: "")
        }
        convert(index, end)
    }

    /// Replaces `f() as? NSFetchRequest<Note>` by `NSFetchRequest<Note>(casting: f())`, a request with another type of
    /// results.
    private mutating func convert(_ index: Int, _ end: Int) {
        guard let start = startOfOperand(before: index) else { return }
        let operand = tokens[start].range.lowerBound..<tokens[index - 1].range.upperBound
        insert(text(ofTokens: index + 2..<end + 1) + "(casting: ", at: operand.lowerBound)
        replace(operand.upperBound..<tokens[end].range.upperBound, by: isMark("!", at: index + 1) ? ")!" : ")")
        if isMark(")", at: index - 1) { return }
        let isHandedOn = isMark(")", at: end + 1) && isMark("(", at: start - 1)
        let name = isMark("=", at: start - 1) ? token(start - 2)?.text : nil
        guard isHandedOn || name.map({ isChanged($0, behind: end) }) == true else { return }
        hint(
            tokens[index],
            "\(name.map { "'\($0)'" } ?? "the argument") becomes a copy: what is set on it is no longer set on "
                + "'\(text(operand))', too")
    }

    /// Ports `request is NSFetchRequest<Note>`, which is true on a Mac for a request with any type of results.
    mutating func portTypeTest(at index: Int) {
        guard let end = endOfRequestType(at: index + 1), !isInPattern(index), let start = startOfOperand(before: index)
        else { return }
        insert("(" + text(ofTokens: index + 1..<end + 1) + "(casting: ", at: tokens[start].range.lowerBound)
        replace(tokens[index - 1].range.upperBound..<tokens[end].range.upperBound, by: ") != nil)")
    }

    /// Reports `case let request as NSFetchRequest<Note>`, which no call can replace.
    mutating func reportRequestPattern(at index: Int) {
        guard endOfRequestType(at: index + 1) != nil, isInPattern(index) else { return }
        byHand(
            tokens[index],
            "the pattern matches requests of its own type only: match another type, such as 'NSPersistentStoreRequest', and "
                + "make the request by 'NSFetchRequest(casting:)'")
    }

    /// The end of `NSFetchRequest<Type>`.
    private func endOfRequestType(at index: Int) -> Int? {
        guard isWord("NSFetchRequest", at: index), isMark("<", at: index + 1) else { return nil }
        return (index + 2..<tokens.count).first { isMark(">", at: $0) }
    }

    /// Whether a cast is part of the pattern of a case.
    func isInPattern(_ index: Int) -> Bool {
        isWord("case", at: index - 1) || isWord("case", at: index - 3) || isWord("case", at: index - 2)
    }

    /// The beginning of a cast's operand: a name or a parenthesis, followed by members, calls and subscripts.
    func startOfOperand(before index: Int) -> Int? {
        var position = index - 1
        while position >= 0 {
            while isMark("!", at: position) || isMark("?", at: position) { position -= 1 }
            if [")", "]", "}"].contains(where: { isMark($0, at: position) }) {
                guard let open = opening(of: position) else { return nil }
                position = isMark(">", at: open - 1) ? startOfArguments(before: open) : open
                let isTied = isMark("{", at: open) || tokens[position].follows == .nothing
                let isCalled =
                    token(position - 1).map { before in
                        before.isWord || [")", "]", "?", "!"].contains(where: before.isMark)
                    } == true
                guard isTied, isCalled else { return position }
                position -= 1
            } else if isMark(".", at: position - 1) {
                // The operand may be `.shared.request()`.
                guard let owner = token(position - 2),
                    owner.isWord || [")", "]", "}", "?", "!"].contains(where: owner.isMark)
                else { return position - 1 }
                position -= 2
            } else {
                return position
            }
        }
        return nil
    }

    /// The beginning of `<Type>` before a parenthesis.
    private func startOfArguments(before open: Int) -> Int {
        var depth = 0
        for position in stride(from: open - 1, through: 0, by: -1) {
            if isMark(">", at: position) { depth += 1 }
            if isMark("<", at: position) { depth -= 1 }
            if depth == 0 { return position }
        }
        return open
    }

    /// Whether a member of a name is set in the rest of its scope, or of the scope in which it is bound.
    private func isChanged(_ name: String, behind index: Int) -> Bool {
        let end = opening(around: index).flatMap(closing) ?? tokens.count
        return (index..<end).contains { place in
            isWord(name, at: place) && isMark(".", at: place + 1) && isMark("=", at: place + 3)
                && !isMark("=", at: place + 4)
        }
    }

    /// The receiver of `fetchRequest()` directly before a cast: a class by its name, a variable, or the type around it.
    private func ownerOfFetchRequest(before index: Int) -> (name: String, isSelf: Bool)? {
        guard isMark(")", at: index - 1), isMark("(", at: index - 2), isWord("fetchRequest", at: index - 3) else {
            return nil
        }
        guard isMark(".", at: index - 4) else { return ("self", true) }
        // The receiver is `type(of: self)`.
        if isMark(")", at: index - 5) {
            let isType = isWord("self", at: index - 6) && isWord("of", at: index - 8) && isWord("type", at: index - 10)
            return isType ? ("self", true) : nil
        }
        guard let owner = token(index - 5), owner.isWord, owner.text != "super", !isMark(".", at: index - 6) else {
            return nil
        }
        return (owner.text, owner.text == "self")
    }

    /// The type around a place.
    private func own(at index: Int) -> String? {
        file.scopes.type(at: tokens[index].range.lowerBound)?.split(separator: ".").last.map(String.init)
    }

    /// The place of the type in `NSFetchRequest<Type>(…)` directly before a cast.
    private func typeOfMadeRequest(before index: Int) -> Range<Int>? {
        guard isMark(")", at: index - 1), let open = opening(of: index - 1), isMark(">", at: open - 1),
            let start = (0..<open).last(where: { tokens[$0].isMark("<") }), start + 1 < open - 1,
            isWord("NSFetchRequest", at: start - 1)
        else { return nil }
        return tokens[start + 1].range.lowerBound..<tokens[open - 2].range.upperBound
    }

    /// The place of the type in `let request = NSFetchRequest<Type>(…)`, if the request of that name is returned by a
    /// cast, and only its members were used in between.
    private func typeOfKeptRequest(before index: Int) -> Range<Int>? {
        guard let name = token(index - 1), name.isWord, isWord("return", at: index - 2) else { return nil }
        var made: Range<Int>?
        for position in stride(from: index - 3, through: 1, by: -1) where isWord(name.text, at: position) {
            guard isWord("let", at: position - 1), isMark("=", at: position + 1),
                isWord("NSFetchRequest", at: position + 2), isMark("<", at: position + 3)
            else {
                guard isMark(".", at: position + 1), !isMark(".", at: position - 1) else { return nil }
                continue
            }
            guard let end = (position + 4..<index).first(where: { isMark(">", at: $0) }), isMark("(", at: end + 1),
                end > position + 4
            else { return nil }
            made = tokens[position + 4].range.lowerBound..<tokens[end - 1].range.upperBound
            break
        }
        return made
    }

    /// The beginning of a name such as `request` or `self.request` that ends before a cast.
    private func startOfName(before index: Int) -> Int? {
        guard let last = token(index - 1), last.isWord else { return nil }
        var start = index - 1
        while isMark(".", at: start - 1), token(start - 2)?.isWord == true { start -= 2 }
        return start
    }

    /// Whether a name with its cast is the value of another name that is used only as an argument for requests of any
    /// type.
    private func isKeptForSuch(_ start: Int, _ end: Int) -> Bool {
        guard isMark("=", at: start - 1), let name = token(start - 2), isWord("let", at: start - 3) else {
            return false
        }
        var depth = 0
        var position = end + 1
        var isUsed = false
        while position < tokens.count, depth >= 0 {
            if ["(", "[", "{"].contains(where: tokens[position].isMark) { depth += 1 }
            if [")", "]", "}"].contains(where: tokens[position].isMark) { depth -= 1 }
            if isWord(name.text, at: position) {
                guard takesAnyRequest(position, position) else { return false }
                isUsed = true
            }
            position += 1
        }
        return isUsed
    }

    /// Whether a name with its cast is the argument of a function that takes requests of any type.
    private func takesAnyRequest(_ start: Int, _ end: Int) -> Bool {
        guard isMark(")", at: end + 1) || isMark(",", at: end + 1), let function = callee(around: start) else {
            return false
        }
        switch function {
        case "fetch": return isMark("(", at: start - 1)
        case "count": return isMark(":", at: start - 1) && isWord("for", at: start - 2)
        case "NSBatchDeleteRequest": return isMark(":", at: start - 1) && isWord("fetchRequest", at: start - 2)
        default: return false
        }
    }
}
