import CoreDataModelCompiler
import SwiftScanning

// The code in string literals that macros write or search for.
extension FilePorter {
    /// Removes `@objc` from the code that a macro writes, and notes other literals that contain it.
    mutating func portMacroText(at index: Int) {
        let literal = tokens[index]
        guard literal.text.contains("objc"), importsSyntax else { return }
        switch literal.text {
        case "\"@objc\"" where isElement(at: index): removeElement(at: index)
        case "\"objc\"":
            byHand(literal, "the macro looks for '@objc', which goes from the sources: it has to do without")
        default: removeAttributes(in: literal)
        }
    }

    /// Whether the file works with the syntax of Swift, as macros and their tests do.
    private var importsSyntax: Bool {
        file.tokens.indices.dropFirst().contains {
            file.tokens[$0].isWord && file.tokens[$0].text.hasPrefix("SwiftSyntax")
                && file.tokens[$0 - 1].isWord("import")
        }
    }

    /// Whether a literal is a whole element between the brackets or commas of a list.
    private func isElement(at index: Int) -> Bool {
        (isMark("[", at: index - 1) || isMark(",", at: index - 1))
            && (isMark("]", at: index + 1) || isMark(",", at: index + 1))
    }

    /// Removes an element from a list, with the comma before it, or otherwise the one after it.
    private mutating func removeElement(at index: Int) {
        let range = tokens[index].range
        if isMark(",", at: index - 1) {
            replace(tokens[index - 1].range.lowerBound..<range.upperBound, by: "")
        } else if isMark(",", at: index + 1), let next = token(index + 2) {
            replace(range.lowerBound..<next.range.lowerBound, by: "")
        } else {
            replace(range, by: "")
        }
    }

    /// Removes the attribute before declarations and other attributes in a literal.
    private mutating func removeAttributes(in literal: SwiftToken) {
        let bytes = file.bytes
        let attribute = Array("@objc".utf8)
        var position = literal.range.lowerBound
        var isLeft = false
        while position + attribute.count <= literal.range.upperBound {
            guard bytes[position..<position + attribute.count].elementsEqual(attribute) else {
                position += 1
                continue
            }
            if let end = endOfAttribute(from: position, literal.range.upperBound) {
                replace(position..<end, by: "")
                position = end
            } else {
                isLeft = true
                position += attribute.count
            }
        }
        if isLeft {
            byHand(literal, "the text speaks of '@objc', which Linux does not have and which goes from the sources")
        }
    }

    /// The beginning of the declaration that an attribute belongs to; `nil` if no declaration follows.
    private func endOfAttribute(from start: Int, _ limit: Int) -> Int? {
        let bytes = file.bytes
        var end = start + 5
        if end < limit, bytes[end] == UInt8(ascii: "(") {
            guard let close = bytes[end..<limit].firstIndex(of: UInt8(ascii: ")")) else { return nil }
            end = close + 1
        }
        let behind = end
        while end < limit, [UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t")].contains(bytes[end]) { end += 1 }
        guard end > behind, end < limit else { return nil }
        if bytes[end] == UInt8(ascii: "@") { return end }
        let word = String(
            decoding: bytes[end..<limit].prefix { $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") }, as: UTF8.self)
        return Self.beginnings.contains(word) ? end : nil
    }

    private static let beginnings: Set<String> = [
        "public", "open", "internal", "private", "fileprivate", "package", "final", "dynamic", "override", "static",
        "class", "enum", "protocol", "extension", "var", "let", "func", "init", "convenience", "required", "lazy",
        "weak",
    ]
}
