import CoreDataModelCompiler
import SwiftScanning

/// The values of the constants in a manifest, as far as they are literals.
struct ManifestConstants {
    private let tokens: [SwiftToken]
    private let interpolations: [SwiftInterpolation]
    /// The tokens of each value, by the name of the constant: `coreName`, `Names.core`.
    private var values: [String: Range<Int>] = [:]

    /// `tokens` are those of the manifest.
    init(_ tokens: [SwiftToken], _ interpolations: [SwiftInterpolation]) {
        self.tokens = tokens
        self.interpolations = interpolations
        let scopes = ScopeMap(tokens)
        for index in tokens.indices.dropLast(3) where tokens[index].isWord("let") && tokens[index + 1].isWord {
            var position = index + 2
            while position < tokens.count, !tokens[position].isMark("="), tokens[position].follows != .newline {
                position += 1
            }
            guard position < tokens.count, tokens[position].isMark("=") else { continue }
            let type = scopes.type(at: tokens[index].range.lowerBound)
            let name = (type.map { "\($0)." } ?? "") + tokens[index + 1].text
            values[name] = position + 1..<end(of: position + 1)
        }
    }

    /// The end of the value that begins at an index: before a new line that does not continue with an operator.
    private func end(of start: Int) -> Int {
        var position = start
        while position < tokens.count {
            if position > start, tokens[position].follows == .newline, !tokens[position].isMark("+"),
                !tokens[position].isMark(".")
            {
                break
            }
            if ["}", ";", ",", ")"].contains(where: tokens[position].isMark) { break }
            if ["(", "[", "{"].contains(where: tokens[position].isMark) {
                position = tokens.closing(of: position) ?? tokens.count - 1
            }
            position += 1
        }
        return position
    }

    /// The value behind a name, through any number of names; the value itself if it is no name.
    func value(of range: Range<Int>) -> Range<Int> {
        var range = range
        for _ in 0..<8 {
            guard let next = values[tokens[range].map(\.text).joined()] else { break }
            range = next
        }
        return range
    }

    /// The text of a value; `nil` if it is not a literal.
    func text(of range: Range<Int>) -> String? { text(of: range, depth: 0) }

    /// The text of a value. In a file that does not compile, a constant may be named in its own value: `depth` ends
    /// that.
    private func text(of range: Range<Int>, depth: Int) -> String? {
        guard depth < 8 else { return nil }
        let value = value(of: range)
        if value.count == 1, case .literal = tokens[value.lowerBound].kind {
            return text(of: tokens[value.lowerBound], depth)
        }
        guard let plus = value.first(where: { tokens[$0].isMark("+") }), plus > value.lowerBound,
            let first = text(of: value.lowerBound..<plus, depth: depth + 1),
            let second = text(of: plus + 1..<value.upperBound, depth: depth + 1)
        else { return nil }
        return first + second
    }

    private func text(of literal: SwiftToken, _ depth: Int) -> String? {
        var result = ""
        var position = literal.range.lowerBound
        let bytes = Array(literal.text.utf8)
        func part(_ end: Int) -> String {
            String(
                decoding: bytes[position - literal.range.lowerBound..<end - literal.range.lowerBound], as: UTF8.self)
        }
        for inner in interpolations where literal.range.contains(inner.range.lowerBound) {
            guard let range = values[inner.tokens.map(\.text).joined()],
                let text = text(of: range, depth: depth + 1)
            else { return nil }
            result += part(inner.range.lowerBound) + text
            position = inner.range.upperBound
        }
        return (result + part(literal.range.upperBound)).filter { $0 != "\"" }
    }
}
