import CoreDataModelCompiler

extension FilePorter {
    /// Casts between kinds of fetch requests, which generic classes of Swift do not have.
    mutating func portCast(at index: Int) {
        if portArgumentCast(at: index) || noteControllerCast(at: index) { return }
        guard let mark = token(index + 1), mark.isMark("!") || mark.isMark("?"),
            isWord("NSFetchRequest", at: index + 2),
            isMark("<", at: index + 3)
        else { return }
        guard let end = (index + 4..<tokens.count).first(where: { tokens[$0].isMark(">") }) else { return }
        let result = tokens[(index + 4)..<end].filter { !$0.isWord("any") }.map(\.text).joined()
        let isGeneral = result == "NSFetchRequestResult"
        // A copy is of the type of what is copied.
        if isMark(")", at: index - 1), isMark("(", at: index - 2), isWord("copy", at: index - 3) { return }
        if let owner = ownerOfFetchRequest(before: index) {
            // The call gives a request of the class's own type, or the general one where that is asked for.
            if result == owner.name || result == "Self" || owner.isSelf && result == own(at: index) { return }
            if isGeneral, mark.isMark("!") { return replace(mark.range, by: "") }
            if mark.isMark("!"), owner.name.first?.isUppercase == true {
                let type = String(decoding: file.bytes[rangeOfResult(index + 4..<end)], as: UTF8.self)
                let range = tokens[index - 5].range.lowerBound..<tokens[end].range.upperBound
                return replace(range, by: "NSFetchRequest<\(type)>(entityName: \(owner.name).entity().name ?? \"\")")
            }
            // A variable holds the class: the request is of its type, and that one of a generic function's parameters.
            if !owner.isSelf, !keys.isManaged(result), result.allSatisfy(\.isLetter) { return }
        }
        if mark.isMark("!"), let made = typeOfMadeRequest(before: index) {
            replace(made, by: String(decoding: file.bytes[rangeOfResult(index + 4..<end)], as: UTF8.self))
            return replace(tokens[index - 1].range.upperBound..<tokens[end].range.upperBound, by: "")
        }
        if mark.isMark("!"), let made = typeOfKeptRequest(before: index) {
            replace(made, by: String(decoding: file.bytes[rangeOfResult(index + 4..<end)], as: UTF8.self))
            return replace(tokens[index - 1].range.upperBound..<tokens[end].range.upperBound, by: "")
        }
        if isGeneral, mark.isMark("!"), let start = startOfName(before: index),
            takesAnyRequest(start, end) || isKeptForSuch(start, end)
        {
            return replace(tokens[index - 1].range.upperBound..<tokens[end].range.upperBound, by: "")
        }
        byHand(
            tokens[index],
            "a fetch request casts to its own type only: let it be made as 'NSFetchRequest<\(result)>' from the beginning"
        )
    }

    /// `controller as! NSFetchedResultsController<NSFetchRequestResult>`, which fails when it runs.
    private mutating func noteControllerCast(at index: Int) -> Bool {
        guard isMark("!", at: index + 1) || isMark("?", at: index + 1),
            isWord("NSFetchedResultsController", at: index + 2), isMark("<", at: index + 3)
        else { return false }
        byHand(tokens[index], "a fetched results controller casts to its own type only: let it be made with that type")
        return true
    }

    /// `id as CVarArg` among the arguments of a format: here they need not be that, and not everything is.
    private mutating func portArgumentCast(at index: Int) -> Bool {
        let type = isMark("!", at: index + 1) ? index + 2 : index + 1
        guard isWord("CVarArg", at: type), let function = callee(around: index),
            function == "NSPredicate" || function == "NSExpression"
        else { return false }
        replace(tokens[index - 1].range.upperBound..<tokens[type].range.upperBound, by: "")
        return true
    }

    private func rangeOfResult(_ tokens: Range<Int>) -> Range<Int> {
        self.tokens[tokens.lowerBound].range.lowerBound..<self.tokens[tokens.upperBound - 1].range.upperBound
    }

    /// What `fetchRequest()` is called on right before a cast: a class by its name, a variable, or the type around it.
    private func ownerOfFetchRequest(before index: Int) -> (name: String, isSelf: Bool)? {
        guard isMark(")", at: index - 1), isMark("(", at: index - 2), isWord("fetchRequest", at: index - 3) else {
            return nil
        }
        guard isMark(".", at: index - 4) else { return ("self", true) }
        // `type(of: self)`
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

    /// Where the type stands in `NSFetchRequest<Type>(…)` right before a cast.
    private func typeOfMadeRequest(before index: Int) -> Range<Int>? {
        guard isMark(")", at: index - 1), let open = opening(of: index - 1), isMark(">", at: open - 1),
            let start = (0..<open).last(where: { tokens[$0].isMark("<") }), start + 1 < open - 1,
            isWord("NSFetchRequest", at: start - 1)
        else { return nil }
        return tokens[start + 1].range.lowerBound..<tokens[open - 2].range.upperBound
    }

    /// Where the type stands in `let request = NSFetchRequest<Type>(…)` for a request of that name that is returned by
    /// a cast, and of which nothing but members were used in between.
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

    /// Where a name such as `request` or `self.request` begins that ends before a cast.
    private func startOfName(before index: Int) -> Int? {
        guard let last = token(index - 1), last.isWord else { return nil }
        var start = index - 1
        while isMark(".", at: start - 1), token(start - 2)?.isWord == true { start -= 2 }
        return start
    }

    /// Whether a name and its cast are kept under another name, for nothing but what takes requests of any type.
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

    /// Whether a name and its cast are the argument of something that takes requests of any type.
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

    private static let plainResults: Set<String> = [
        "dictionaryResultType", "managedObjectIDResultType", "countResultType",
    ]

    /// `let request = Note.fetchRequest()` that is to give dictionaries, ids or a number: the request of the class's
    /// own type, which the call makes here, gives objects of the class.
    mutating func portPlainRequest(at index: Int) {
        guard isMark("(", at: index + 1), isMark(")", at: index + 2), isMark(".", at: index - 1),
            token(index - 2)?.isWord == true
        else { return }
        var start = index - 2
        while isMark(".", at: start - 1), token(start - 2)?.isWord == true { start -= 2 }
        guard isMark("=", at: start - 1), let name = token(start - 2), name.isWord,
            isWord("let", at: start - 3) || isWord("var", at: start - 3),
            let open = opening(around: start), let end = closing(of: open),
            (index..<end).contains(where: { place in
                isWord(name.text, at: place) && isMark(".", at: place + 1) && isWord("resultType", at: place + 2)
                    && isMark("=", at: place + 3)
                    && tokens[(place + 4)..<min(place + 7, end)].contains { Self.plainResults.contains($0.text) }
            })
        else { return }
        insert(": NSFetchRequest<any NSFetchRequestResult>", at: name.range.upperBound)
    }

    /// `func inspect<Result>(_ request: NSFetchRequest<Result>)` where another function of the name says
    /// `<Result: NSFetchRequestResult>`: on a Mac both say so, because every request's result is one.
    mutating func portGenericRequest(at index: Int) {
        guard let name = token(index + 1), surroundings.functionsOfResults.contains(name.text),
            isMark("<", at: index + 2), let end = (index + 3..<tokens.count).first(where: { isMark(">", at: $0) }),
            isMark("(", at: end + 1), let close = closing(of: end + 1)
        else { return }
        for place in index + 3..<end {
            let parameter = tokens[place]
            guard parameter.isWord, isMark("<", at: place - 1) || isMark(",", at: place - 1),
                isMark(">", at: place + 1) || isMark(",", at: place + 1),
                (end + 1..<close).contains(where: {
                    isWord("NSFetchRequest", at: $0) && isMark("<", at: $0 + 1) && isWord(parameter.text, at: $0 + 2)
                        && isMark(">", at: $0 + 3)
                })
            else { continue }
            insert(": NSFetchRequestResult", at: parameter.range.upperBound)
        }
    }
}
