import CoreDataModelCompiler
import SwiftScanning

// Texts, in forms that Foundation on Linux or version 5 of the language does not have.
extension FilePorter {
    /// `String(localized: "Save", bundle: .module, comment: "A button")`: the key of a text without values is the text.
    mutating func portLocalizedText(at index: Int) {
        guard isMark("(", at: index + 1), isWord("localized", at: index + 2), isMark(":", at: index + 3),
            case .literal? = token(index + 4)?.kind, interpolation == nil, let close = closing(of: index + 1),
            isMark(",", at: index + 5) || close == index + 5, hasNoValues(tokens[index + 4])
        else { return }
        var place = index + 5
        var labels: [String: SwiftToken] = [:]
        while place < close {
            if ["(", "[", "{"].contains(where: tokens[place].isMark) { place = closing(of: place) ?? close }
            if isMark(",", at: place), isMark(":", at: place + 2), let label = token(place + 1) {
                labels[label.text] = label
            }
            place += 1
        }
        guard labels.keys.allSatisfy({ ["table", "bundle", "comment"].contains($0) }) else { return }
        replace(tokens[index].range, by: "NSLocalizedString")
        replace(tokens[index + 2].range.lowerBound..<tokens[index + 4].range.lowerBound, by: "")
        if let table = labels["table"] { replace(table.range, by: "tableName") }
        if labels["comment"] == nil { insert(", comment: \"\"", at: tokens[close].range.lowerBound) }
    }

    /// `String(localized: "Deleted: \(title)", bundle: .module)`: Linux looks up no texts with values.
    mutating func portTextWithValues(at index: Int) {
        guard isMark("(", at: index + 1), isWord("localized", at: index + 2), isMark(":", at: index + 3),
            let literal = token(index + 4), case .literal = literal.kind, interpolation == nil,
            let close = closing(of: index + 1), isMark(",", at: index + 5) || close == index + 5,
            !hasNoValues(literal), !interpolations(in: literal).contains(where: hasFormat)
        else { return }
        hint(
            tokens[index],
            "no table of texts is asked for one with values on Linux: it is written in the language of the source")
        replace(tokens[index].range.lowerBound..<literal.range.lowerBound, by: "")
        replace(literal.range.upperBound..<tokens[close].range.upperBound, by: "")
    }

    /// Ports `text.characters`. An attributed text has such a property in version 5 of the language, too.
    mutating func portCharacters(at index: Int) {
        if let before = token(index - 1), !before.isMark("."), !["let", "var", "func", "case"].contains(before.text),
            !isMark(":", at: index + 1), let type = file.scopes.type(at: tokens[index].range.lowerBound),
            type == "String" || type == "Substring"
        {
            return replace(tokens[index].range, by: "self")
        }
        let isFollowed = ["(", ":", "="].contains { isMark($0, at: index + 1) } && !isMark("=", at: index + 2)
        guard isMark(".", at: index - 1), !isFollowed, let owner = token(index - 2),
            !owner.isMark("\\"), !owner.isMark("("), surroundings.filesNaming["AttributedString"] == nil,
            !keys.types.declarations.values.contains(where: { $0.properties["characters"] != nil })
        else { return }
        // `title?.characters` without a member behind it is `title`.
        let isChain = owner.isMark("?") && !isMark(".", at: index + 1)
        let start = isChain ? owner.range.lowerBound : tokens[index - 1].range.lowerBound
        replace(start..<tokens[index].range.upperBound, by: "")
    }

    private func interpolations(in literal: SwiftToken) -> [SwiftInterpolation] {
        file.interpolations.filter { literal.range.contains($0.range.lowerBound) }
    }

    /// Whether a value has a format: `\(date, format: .iso8601)`.
    private func hasFormat(_ interpolation: SwiftInterpolation) -> Bool {
        interpolation.tokens.contains { $0.isWord("format") || $0.isWord("specifier") }
    }

    /// Whether a string has no values in it.
    private func hasNoValues(_ literal: SwiftToken) -> Bool {
        !file.interpolations.contains { interpolation in
            interpolation.tokens.contains { literal.range.contains($0.range.lowerBound) }
        }
    }
}
