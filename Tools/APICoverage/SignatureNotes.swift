/// Why symbols of a list are not declared: a table of tab-separated lines `reason, symbols`.
///
/// A symbol is that of the list, or its beginning with `…`; spaces separate several. An empty line or one that begins
/// with `#` is a comment.
public struct SignatureNotes: Sendable {
    struct Rule: Sendable {
        let reason: String
        let patterns: [String]
    }

    let rules: [Rule]

    /// A line of the table that cannot be read.
    public struct Unreadable: Error, CustomStringConvertible {
        let number: Int
        public var description: String { "line \(number): a reason and symbols, by a tab" }
    }

    public init(_ text: String) throws {
        var rules: [Rule] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.trimmed.isEmpty || line.hasPrefix("#") { continue }
            let fields = line.split(separator: "\t").map(String.init)
            guard fields.count == 2 else { throw Unreadable(number: index + 1) }
            rules.append(Rule(reason: fields[0], patterns: fields[1].split(separator: " ").map(String.init)))
        }
        self.rules = rules
    }

    static func fits(_ pattern: String, _ symbol: String) -> Bool {
        pattern.hasSuffix("…") ? symbol.hasPrefix(pattern.dropLast()) : symbol == pattern
    }
}
