import CoreDataModelCompiler

extension FilePorter {
    private static let access: Set<String> = ["public", "open", "internal", "private", "fileprivate", "package"]
    private static let modifiers: Set<String> = [
        "public", "open", "internal", "private", "fileprivate", "package", "final", "class", "static", "dynamic",
        "nonisolated", "override", "convenience", "required",
    ]

    /// Moves an override in an extension, which only Objective-C allows, into its class in the same file.
    mutating func portOverride(at index: Int) {
        let place = tokens[index]
        guard let body = file.scopes.body(at: place.range.lowerBound), body.keyword == "extension" else { return }
        let start = startOfDeclaration(with: index)
        var position = index
        while let token = token(position), token.isWord, Self.modifiers.contains(token.text) { position += 1 }
        guard let keyword = token(position), ["func", "var", "init"].contains(where: keyword.isWord) else { return }
        let name = keyword.isWord("init") ? "init" : token(position + 1)?.text ?? ""
        let text = "'\(name)' cannot be overridden in an extension on Linux: "
        guard let owner = file.scopes.bodies.first(where: { $0.keyword == "class" && $0.type == body.type }) else {
            let isDeclared = keys.types.declarations[body.type]?.isClass == true
            let advice =
                if isDeclared {
                    "move it into the class '\(body.type)'"
                } else if body.type.hasPrefix("NS") {
                    "let the method that it overrides decide by the type"
                } else {
                    "no class '\(body.type)' was looked at; write out one that the model generates"
                }
            return byHand(place, text + advice)
        }
        guard !file.inactive.contains(owner.range.upperBound),
            let open = (position..<tokens.count).first(where: { isMark("{", at: $0) }), let close = closing(of: open)
        else { return byHand(place, text + "move it into the class '\(body.type)'") }
        // The access level of an extension applies to its members.
        if let access = body.access, !tokens[start..<position].contains(where: { Self.access.contains($0.text) }) {
            insert("\(access) ", at: place.range.lowerBound)
        }
        let first = lineStart(of: tokens[start].range.lowerBound)
        moves.append(Move(range: first..<tokens[close].range.upperBound, target: owner.range.upperBound))
    }

    /// The first token of the attributes and modifiers that a declaration begins with.
    func startOfDeclaration(with index: Int) -> Int {
        var start = index
        while let before = token(start - 1) {
            if before.isWord, Self.modifiers.contains(before.text) || isMark("@", at: start - 2) {
                start -= before.isWord && isMark("@", at: start - 2) ? 2 : 1
            } else if before.isMark(")"), let open = opening(of: start - 1), isMark("@", at: open - 2) {
                start = open - 2
            } else {
                break
            }
        }
        return start
    }

    /// The beginning of a declaration's line, or of the comment above it.
    func lineStart(of position: Int) -> Int {
        let bytes = file.bytes
        func start(of position: Int) -> Int {
            bytes[..<position].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        }
        func isBlank(_ range: Range<Int>) -> Bool {
            bytes[range].allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        }
        var first = start(of: position)
        // A member that shares its line with other code is moved without the rest of the line.
        guard isBlank(first..<position) else { return position }
        while first > 0 {
            let above = start(of: first - 1)
            let line = String(decoding: bytes[above..<first], as: UTF8.self).drop { $0 == " " || $0 == "\t" }
            guard line.hasPrefix("//"), !line.hasPrefix("// MARK") else { break }
            first = above
        }
        return first
    }

    /// Turns moves into edits. Edits inside a moved range move with it.
    mutating func turnMovesIntoEdits() {
        for move in moves {
            let inner = edits.filter {
                move.range.contains($0.range.lowerBound) && $0.range.upperBound <= move.range.upperBound
            }
            edits.removeAll { inner.contains($0) }
            let shifted = inner.map { edit in
                TextEdit(
                    range: edit.range.lowerBound - move.range.lowerBound..<edit.range.upperBound
                        - move.range.lowerBound,
                    replacement: edit.replacement)
            }
            let text = String(decoding: TextEdit.apply(shifted, to: Array(file.bytes[move.range])), as: UTF8.self)
            var end = move.range.upperBound
            if end < file.bytes.count, file.bytes[end] == UInt8(ascii: "\n") { end += 1 }
            replace(move.range.lowerBound..<end, by: "")
            // The place is before the line of the brace that closes the class.
            var target = move.target
            while target > 0, [UInt8(ascii: " "), UInt8(ascii: "\t")].contains(file.bytes[target - 1]) { target -= 1 }
            let isOwnLine = target > 0 && file.bytes[target - 1] == UInt8(ascii: "\n")
            insert("\n\(text)\n", at: isOwnLine ? target : move.target)
        }
        removeEmptiedExtensions()
        moves = []
    }

    /// Removes extensions that have become empty, unless they declare more than members.
    private mutating func removeEmptiedExtensions() {
        for body in file.scopes.bodies where body.keyword == "extension" {
            let inner = tokens.filter { body.range.contains($0.range.lowerBound) }
            guard !inner.isEmpty,
                inner.allSatisfy({ token in moves.contains { $0.range.contains(token.range.lowerBound) } }),
                let brace = tokens.firstIndex(where: { $0.range.upperBound == body.range.lowerBound }),
                let keyword = tokens[..<brace].lastIndex(where: { $0.isWord("extension") }),
                !tokens[keyword..<brace].contains(where: { $0.isMark(":") })
            else { continue }
            let bytes = file.bytes
            var first = lineStart(of: tokens[startOfDeclaration(with: keyword)].range.lowerBound)
            var end = body.range.upperBound + 1
            if end < bytes.count, bytes[end] == UInt8(ascii: "\n") { end += 1 }
            // The empty line before it is removed, too.
            if first > 1, bytes[first - 1] == UInt8(ascii: "\n"), bytes[first - 2] == UInt8(ascii: "\n") { first -= 1 }
            edits.removeAll { first <= $0.range.lowerBound && $0.range.upperBound <= end }
            replace(first..<end, by: "")
        }
    }
}
