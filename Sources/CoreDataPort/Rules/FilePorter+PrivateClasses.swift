import CoreDataModelCompiler
import SwiftScanning

extension FilePorter {
    private static let kinds: Set<String> = ["class", "struct", "enum", "protocol"]

    /// Makes two kinds of private classes internal, with the private types that they name. Code outside the file cannot
    /// have the accessors of classes with `@NSManaged`. For the name of a private class Foundation on Linux stops the
    /// process. A type whose name other types have, too, gets a new name.
    mutating func openPrivateClasses() {
        let types = privateTypes()
        let managed = file.scopes.bodies.filter { body in
            body.keyword == "class" && !body.isLocal && types[body.type] != nil
                && (declaresManaged(in: body.range) || isAskedForItsName(body.type))
        }
        var opened: [String] = []
        var waiting = managed.map(\.type)
        while let name = waiting.popLast() {
            guard !opened.contains(name), let type = types[name] else { continue }
            opened.append(name)
            let body = file.scopes.bodies.first { $0.type == name && $0.keyword != "extension" }
            let whole =
                tokens[type.name].range.lowerBound..<(body?.range.upperBound ?? tokens[type.name].range.upperBound)
            waiting += tokens.filter { whole.contains($0.range.lowerBound) && types[$0.text] != nil }.map(\.text)
        }
        for name in opened.sorted() {
            guard let type = types[name] else { continue }
            remove(from: type.access, through: type.access)
            if surroundings.filesNaming[name, default: 1] > 1 { rename(name, at: type.name) }
        }
    }

    /// The types of the file itself that are private to it, with the places of the access level and of the name.
    private func privateTypes() -> [String: (access: Int, name: Int)] {
        var result: [String: (access: Int, name: Int)] = [:]
        for index in tokens.indices
        where tokens[index].isWord && Self.kinds.contains(tokens[index].text) && token(index + 1)?.isWord == true {
            let place = tokens[index].range.lowerBound
            guard file.scopes.body(at: place) == nil, !file.inactive.contains(place) else { continue }
            let start = startOfDeclaration(with: index)
            let access = (start..<index).first { isWord("private", at: $0) || isWord("fileprivate", at: $0) }
            if let access { result[tokens[index + 1].text] = (access, index + 1) }
        }
        return result
    }

    private func declaresManaged(in range: Range<Int>) -> Bool {
        tokens.indices.contains {
            range.contains(tokens[$0].range.lowerBound) && isMark("@", at: $0) && isWord("NSManaged", at: $0 + 1)
        }
    }

    /// Whether the file has `NSStringFromClass(Note.self)`.
    private func isAskedForItsName(_ type: String) -> Bool {
        tokens.indices.contains { index in
            isWord("NSStringFromClass", at: index) && isMark("(", at: index + 1) && isWord(type, at: index + 2)
                && isMark(".", at: index + 3) && isWord("self", at: index + 4)
        }
    }

    private mutating func rename(_ name: String, at place: Int) {
        let base = file.path.split(separator: "/").last?.split(separator: ".").first ?? ""
        let new = base.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined() + name
        hint(tokens[place], "the private '\(name)' becomes '\(new)': it is needed outside the file")
        // Other rules may have moved the name.
        for index in edits.indices where edits[index].replacement.contains(name) {
            edits[index].replacement = Self.renamed(name, to: new, in: edits[index].replacement)
        }
        let written = edits.map(\.range)
        for tokens in [file.tokens] + file.interpolations.map(\.tokens) {
            for (index, token) in tokens.enumerated() where token.isWord(name) {
                if index > 0, tokens[index - 1].isMark(".") { continue }
                if !written.contains(where: { $0.contains(token.range.lowerBound) }) { replace(token.range, by: new) }
            }
        }
    }

    /// A text with a word replaced by another name.
    private static func renamed(_ name: String, to new: String, in text: String) -> String {
        var result: [UInt8] = []
        let bytes = Array(text.utf8)
        var end = 0
        let tokens = SwiftLexer.scan(text).tokens
        for (index, token) in tokens.enumerated() where token.isWord(name) {
            if index > 0, tokens[index - 1].isMark(".") { continue }
            result += bytes[end..<token.range.lowerBound] + Array(new.utf8)
            end = token.range.upperBound
        }
        return String(decoding: result + bytes[end...], as: UTF8.self)
    }
}
