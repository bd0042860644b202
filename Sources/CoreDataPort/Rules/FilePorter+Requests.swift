import CoreDataModelCompiler

extension FilePorter {
    private static let plainResults: Set<String> = [
        "dictionaryResultType", "managedObjectIDResultType", "countResultType",
    ]

    /// The name of the constant or variable that holds a class's request: `let request = Note.fetchRequest()`.
    private func nameOfKeptRequest(at index: Int) -> Int? {
        guard isMark("(", at: index + 1), isMark(")", at: index + 2), isMark(".", at: index - 1),
            token(index - 2)?.isWord == true
        else { return nil }
        var start = index - 2
        while isMark(".", at: start - 1), token(start - 2)?.isWord == true { start -= 2 }
        guard isMark("=", at: start - 1), token(start - 2)?.isWord == true,
            isWord("let", at: start - 3) || isWord("var", at: start - 3)
        else { return nil }
        return start - 2
    }

    /// Ports a request for dictionaries, ids or a number. The request of the class's own type, which the call makes
    /// here, returns objects of the class.
    mutating func portPlainRequest(at index: Int) {
        guard let name = nameOfKeptRequest(at: index), let end = opening(around: name).flatMap(closing),
            (index..<end).contains(where: { place in
                isWord(tokens[name].text, at: place) && isMark(".", at: place + 1)
                    && isWord("resultType", at: place + 2) && isMark("=", at: place + 3)
                    && tokens[(place + 4)..<min(place + 7, end)].contains { Self.plainResults.contains($0.text) }
            })
        else { return }
        declare(name, as: "NSFetchRequest<any NSFetchRequestResult>")
    }

    /// Ports a request that a function with a declared type of results returns.
    mutating func portReturnedRequest(at index: Int) {
        guard let name = nameOfKeptRequest(at: index), let body = opening(around: name), let end = closing(of: body),
            (index..<end).contains(where: { place in
                isWord(tokens[name].text, at: place) && isWord("return", at: place - 1)
                    && (tokens[place + 1].follows == .newline || place + 1 == end || isMark(";", at: place + 1))
            }),
            let type = typeOfResult(of: body), type != "NSFetchRequest<\(tokens[index - 2].text)>"
        else { return }
        declare(name, as: type)
    }

    /// The type of fetch requests that the function or property around a brace returns.
    private func typeOfResult(of brace: Int) -> String? {
        var brace = brace
        while isMark("{", at: brace) {
            if isMark(">", at: brace - 1),
                let start = (0..<brace).last(where: { isWord("NSFetchRequest", at: $0) }), isMark("<", at: start + 1),
                isMark("->", at: start - 1) || isMark(":", at: start - 1)
            {
                return text(ofTokens: start..<brace)
            }
            guard isOfControlFlow(brace), let outer = opening(around: brace) else { return nil }
            brace = outer
        }
        return nil
    }

    private func isOfControlFlow(_ brace: Int) -> Bool {
        let line = tokens[brace].line
        let words: Set<String> = ["if", "else", "for", "while", "switch", "do", "catch", "get", "guard"]
        return tokens[..<brace].reversed().prefix { $0.line == line }.contains { $0.isWord && words.contains($0.text) }
    }

    private mutating func declare(_ name: Int, as type: String) {
        let place = tokens[name].range.upperBound
        if edits.contains(where: { $0.range == place..<place }) { return }
        insert(": \(type)", at: place)
    }

    /// Ports `func inspect<Result>(_ request: NSFetchRequest<Result>)` if another function of the name has `<Result:
    /// NSFetchRequestResult>`. On a Mac the two are equivalent, because every request's result conforms to it.
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
