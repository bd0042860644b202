/// Comparing strings as predicates do: with or without regard to case and diacritics, by prefix, suffix, part and wildcard.
///
/// ASCII strings are compared on their bytes; Foundation is asked only when a string has other characters.
enum StringComparison {
    typealias Options = NSComparisonPredicate.Options

    /// Whether both strings are the same sequence of bytes. Canonically equivalent strings of different bytes differ, as
    /// they do in a store.
    static func areIdentical(_ a: String, _ b: String) -> Bool {
        // Two canonically equivalent texts may have as many bytes.
        a.utf8.count == b.utf8.count && a == b && a.utf8.elementsEqual(b.utf8)
    }

    static func areEqual(_ a: String, _ b: String, _ options: Options) -> Bool {
        if options.isEmpty { return areIdentical(a, b) }
        if let result = withASCII(a, b, { x, y in x.count == y.count && matches(x, y, at: 0, options) }) {
            return result
        }
        return fold(a, options) == fold(b, options)
    }

    /// The order of the bytes, as stores have it; of what is left of both strings under `options`.
    static func compare(_ a: String, _ b: String, _ options: Options) -> ComparisonResult {
        var (x, y) = options.isEmpty ? (a, b) : (fold(a, options), fold(b, options))
        return x.withUTF8 { x in
            y.withUTF8 { y in
                if x.elementsEqual(y) { return .orderedSame }
                return x.lexicographicallyPrecedes(y) ? .orderedAscending : .orderedDescending
            }
        }
    }

    static func hasPrefix(_ text: String, _ prefix: String, _ options: Options) -> Bool {
        if let result = withASCII(text, prefix, { x, y in x.count >= y.count && matches(x, y, at: 0, options) }) {
            return result
        }
        // Byte by byte, as an index of a store has it.
        if options.isEmpty { return text.utf8.starts(with: prefix.utf8) }
        return fold(text, options).hasPrefix(fold(prefix, options))
    }

    static func hasSuffix(_ text: String, _ suffix: String, _ options: Options) -> Bool {
        if let result = withASCII(
            text, suffix, { x, y in x.count >= y.count && matches(x, y, at: x.count - y.count, options) })
        {
            return result
        }
        return fold(text, options).hasSuffix(fold(suffix, options))
    }

    /// Whether `part` occurs in `text`. The empty string occurs in no string, as Foundation has it for `range(of:)`.
    static func contains(_ text: String, _ part: String, _ options: Options) -> Bool {
        let ascii = withASCII(text, part) { x, y in
            guard !y.isEmpty, x.count >= y.count else { return false }
            return (0...(x.count - y.count)).contains { matches(x, y, at: $0, options) }
        }
        if let ascii { return ascii }
        return fold(text, options).range(of: fold(part, options), options: .literal) != nil
    }

    /// Brings a string into the form in which equal means equal under `options`.
    static func fold(_ text: String, _ options: Options) -> String {
        var foundation: String.CompareOptions = []
        if options.contains(.caseInsensitive) { foundation.insert(.caseInsensitive) }
        if options.contains(.diacriticInsensitive) { foundation.insert(.diacriticInsensitive) }
        return foundation.isEmpty ? text : text.folding(options: foundation, locale: nil)
    }

    // MARK: Bytes

    /// Runs `body` on the bytes of both strings, or gives `nil` when one of them is not pure ASCII.
    private static func withASCII(
        _ a: String, _ b: String, _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Bool
    ) -> Bool? {
        a.utf8.withContiguousStorageIfAvailable { x in
            b.utf8.withContiguousStorageIfAvailable { y in
                isASCII(x) && isASCII(y) ? body(x, y) : nil
            } ?? nil
        } ?? nil
    }

    private static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var all: UInt8 = 0
        for byte in bytes { all |= byte }
        return all < 0x80
    }

    private static func matches(
        _ text: UnsafeBufferPointer<UInt8>, _ part: UnsafeBufferPointer<UInt8>, at offset: Int, _ options: Options
    ) -> Bool {
        if options.contains(.caseInsensitive) {
            for index in 0..<part.count where lowercased(text[offset + index]) != lowercased(part[index]) {
                return false
            }
        } else {
            for index in 0..<part.count where text[offset + index] != part[index] { return false }
        }
        return true
    }

    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }
}
