/// Finds texts with very many combining marks after a letter.
///
/// Swift sorts the marks of a letter before it compares or hashes texts, in a time that is quadratic in their number.
/// Names and keys from outside the program are rejected before that: 200 KB of marks take minutes.
package enum CombiningMarks {
    /// The stream-safe form of Unicode has at most 30.
    private static let most = 60
    private static let step = 256

    /// The position in UTF-8 at which too many marks begin, searched at every 256th byte; nil if there is none.
    ///
    /// A sequence of fewer than 512 bytes may be missed.
    package static func endlessRun(in bytes: UnsafeRawBufferPointer) -> Int? {
        var place = 0
        while place < bytes.count {
            if bytes[place] >= 0x80, isEndlessRun(in: bytes, from: place) { return place }
            place += step
        }
        return nil
    }

    /// Whether a text has too many marks after a letter.
    package static func areEndless(in text: String) -> Bool {
        guard text.utf8.count > step else { return false }
        var text = text
        return text.withUTF8 { endlessRun(in: UnsafeRawBufferPointer($0)) != nil }
    }

    private static func isEndlessRun(in bytes: UnsafeRawBufferPointer, from place: Int) -> Bool {
        var index = place
        while index < bytes.count, bytes[index] & 0xC0 == 0x80 { index += 1 }
        var decoder = UTF8()
        var rest = bytes[index...].makeIterator()
        for _ in 0..<most {
            guard case .scalarValue(let scalar) = decoder.decode(&rest),
                scalar.properties.canonicalCombiningClass != .notReordered
            else { return false }
        }
        return true
    }
}
