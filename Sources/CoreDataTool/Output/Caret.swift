/// A text with a mark below one of its places.
enum Caret {
    /// - Parameter position: the number of Unicode scalars before the place.
    static func lines(_ text: String, below position: Int) -> [String] {
        let before = String(String.UnicodeScalarView(text.unicodeScalars.prefix(position)))
        let spaces = String(repeating: " ", count: TextWidth.of(Table.onOneLine(before)))
        return ["  \(Table.onOneLine(text))", "  \(spaces)^"]
    }
}
