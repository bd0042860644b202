/// The name that Objective-C has for a Swift method, in the form in strings of expressions.
package enum SelectorName {
    /// - Parameter labels: The labels of the parameters; `_` for a parameter without one.
    package static func of(_ name: String, labels: [String]) -> String {
        guard let first = labels.first else { return name }
        return name + word(for: first, after: name) + ":"
            + labels.dropFirst().map { ($0 == "_" ? "" : $0) + ":" }.joined()
    }

    /// The form of the first label: `value(forKey:)` is `valueForKey:`, `title(book:)` is `titleWithBook:`.
    private static func word(for label: String, after name: String) -> String {
        guard label != "_", let initial = label.first else { return "" }
        let isJoined = prepositions.contains(firstWord(of: label)) || prepositions.contains(lastWord(of: name))
        return (isJoined ? "" : "With") + initial.uppercased() + label.dropFirst()
    }

    private static func firstWord(of name: String) -> String {
        let rest = name.dropFirst().prefix { !$0.isUppercase }
        return (name.prefix(1) + rest).lowercased()
    }

    private static func lastWord(of name: String) -> String {
        let start = name.lastIndex(where: \.isUppercase) ?? name.startIndex
        return name[start...].lowercased()
    }

    private static let prepositions: Set<String> = [
        "above", "after", "along", "alongside", "as", "at", "before", "below", "by", "following", "for", "from",
        "given",
        "in", "including", "inside", "into", "matching", "of", "on", "passing", "preceding", "since", "to", "until",
        "using", "via", "when", "with", "within",
    ]
}
