/// A part of a text, in Unicode scalars.
package struct TextPlace: Sendable, Equatable {
    package let start: Int
    package let length: Int

    package init(start: Int, length: Int) { (self.start, self.length) = (start, length) }

    /// Makes the part of the word at a place, or of one other character.
    package init(wordAt start: Int, of text: String) {
        let rest = text.unicodeScalars.dropFirst(start)
        let word = rest.prefix { $0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "_" }
        self.init(start: start, length: max(word.count, rest.isEmpty ? 0 : 1))
    }

    /// The part in the units that JavaScript counts.
    package func utf16Range(in text: String) -> Range<Int> {
        func units(_ scalars: Int) -> Int { text.unicodeScalars.prefix(scalars).reduce(0) { $0 + UTF16.width($1) } }
        return units(start)..<units(start + length)
    }
}
