import Foundation

/// Comparing strings as predicates do: with or without regard to case and diacritics, by prefix, suffix, part and
/// wildcard.
///
/// Strings are compared on their bytes as long as their characters fold one by one (`ByteFolding`); Foundation compares
/// all other strings.
enum StringComparison {
    typealias Options = NSComparisonPredicate.Options

    /// Whether both strings are the same sequence of bytes. Canonically equivalent strings of different bytes differ,
    /// as they do in a store.
    static func areIdentical(_ a: String, _ b: String) -> Bool {
        // Two canonically equivalent texts may have as many bytes.
        a.utf8.count == b.utf8.count && a == b && a.utf8.elementsEqual(b.utf8)
    }

    static func areEqual(_ a: String, _ b: String, _ options: Options) -> Bool {
        options.isEmpty ? areIdentical(a, b) : holds(.equal, between: a, and: b, options: options)
    }

    /// The order of the bytes, as in stores, of both strings after folding by `options`.
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
        holds(.beginsWith, between: text, and: prefix, options: options)
    }

    static func hasSuffix(_ text: String, _ suffix: String, _ options: Options) -> Bool {
        holds(.endsWith, between: text, and: suffix, options: options)
    }

    /// Whether `part` occurs in `text`. The empty string occurs in no string, as Foundation has it for `range(of:)`.
    static func contains(_ text: String, _ part: String, _ options: Options) -> Bool {
        holds(.contains, between: text, and: part, options: options)
    }

    private static func holds(_ relation: Relation, between text: String, and part: String, options: Options) -> Bool {
        let known = text.utf8.withContiguousStorageIfAvailable { text in
            part.utf8.withContiguousStorageIfAvailable { holds(relation, between: text, and: $0, options: options) }
                ?? nil
        }
        return known.flatMap { $0 } ?? holdsByFoundation(relation, between: text, and: part, options: options)
    }

    /// The `holds` of bytes for all texts, by Foundation's comparison.
    static func holdsByFoundation(
        _ relation: Relation, between text: String, and part: String, options: Options
    ) -> Bool {
        switch relation {
        case .equal where options.isEmpty: return areIdentical(text, part)
        // Byte by byte, as in an index of a store.
        case .beginsWith where options.isEmpty: return text.utf8.starts(with: part.utf8)
        default: break
        }
        let (text, part) = (foldByFoundation(text, options), foldByFoundation(part, options))
        return switch relation {
        case .equal: text == part
        case .beginsWith: text.hasPrefix(part)
        case .endsWith: text.hasSuffix(part)
        case .contains: text.range(of: part, options: .literal) != nil
        }
    }

    /// Folds a string so that strings that are equal under `options` become equal.
    static func fold(_ text: String, _ options: Options) -> String {
        if options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive]) { return text }
        return ByteFolding.of(options).fold(text) ?? foldByFoundation(text, options)
    }

    static func foldByFoundation(_ text: String, _ options: Options) -> String {
        var foundation: String.CompareOptions = []
        if options.contains(.caseInsensitive) { foundation.insert(.caseInsensitive) }
        if options.contains(.diacriticInsensitive) { foundation.insert(.diacriticInsensitive) }
        return foundation.isEmpty ? text : text.folding(options: foundation, locale: nil)
    }

    // MARK: Bytes

    /// The relations that may hold between two texts.
    enum Relation {
        case equal, contains, beginsWith, endsWith
    }

    /// Whether a relation holds between two texts in UTF-8; nil if Foundation has to compare them.
    static func holds(
        _ relation: Relation, between text: UnsafeBufferPointer<UInt8>, and part: UnsafeBufferPointer<UInt8>,
        options: Options
    ) -> Bool? {
        if isASCII(text), isASCII(part) {
            return matches(relation, text, part, ignoringCase: options.contains(.caseInsensitive))
        }
        let folding = ByteFolding.of(options)
        let (longest, longestPart) = (text.count * ByteFolding.growth, part.count * ByteFolding.growth)
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: longest + longestPart + 1) { memory in
            guard let folded = memory.baseAddress, let partCount = folding.fold(part, into: folded + longest),
                let count = folding.fold(text, into: folded)
            else { return nil }
            return matches(
                relation, UnsafeBufferPointer(start: folded, count: count),
                UnsafeBufferPointer(start: folded + longest, count: partCount), ignoringCase: false)
        }
    }

    private static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var all: UInt8 = 0
        for byte in bytes { all |= byte }
        return all < 0x80
    }

    /// - Parameter ignoringCase: whether letters of ASCII are equal in both cases.
    private static func matches(
        _ relation: Relation, _ text: UnsafeBufferPointer<UInt8>, _ part: UnsafeBufferPointer<UInt8>,
        ignoringCase: Bool
    ) -> Bool {
        let rest = text.count - part.count
        guard rest >= 0 else { return false }
        switch relation {
        case .equal: return rest == 0 && fits(text, part, at: 0, ignoringCase: ignoringCase)
        case .beginsWith: return fits(text, part, at: 0, ignoringCase: ignoringCase)
        case .endsWith: return fits(text, part, at: rest, ignoringCase: ignoringCase)
        case .contains:
            guard let first = part.first else { return false }
            if ignoringCase { return (0...rest).contains { fits(text, part, at: $0, ignoringCase: true) } }
            var offset = 0
            while offset <= rest, let base = text.baseAddress,
                let found = memchr(base + offset, Int32(first), rest - offset + 1)
            {
                offset = UnsafeRawPointer(found) - UnsafeRawPointer(base)
                if fits(text, part, at: offset, ignoringCase: false) { return true }
                offset += 1
            }
            return false
        }
    }

    @inline(__always)
    private static func fits(
        _ text: UnsafeBufferPointer<UInt8>, _ part: UnsafeBufferPointer<UInt8>, at offset: Int,
        ignoringCase ignoresCase: Bool
    ) -> Bool {
        guard let text = text.baseAddress, let base = part.baseAddress else { return part.isEmpty }
        if !ignoresCase { return memcmp(text + offset, base, part.count) == 0 }
        for index in 0..<part.count where lowercased(text[offset + index]) != lowercased(base[index]) { return false }
        return true
    }

    @inline(__always)
    static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
}
