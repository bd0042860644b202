/// A replacement of some bytes of a text.
struct TextEdit: Equatable {
    /// The range in bytes of UTF-8.
    var range: Range<Int>
    var replacement: String

    /// The text with all edits made. Edits must not overlap; their order does not matter.
    static func apply(_ edits: [TextEdit], to bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var position = 0
        for edit in sorted(edits) {
            result += bytes[position..<edit.range.lowerBound]
            result += edit.replacement.utf8
            position = edit.range.upperBound
        }
        return result + bytes[position...]
    }

    static func sorted(_ edits: [TextEdit]) -> [TextEdit] {
        // Insertions go before a replacement that begins at the same place.
        edits.enumerated().sorted {
            ($0.element.range.lowerBound, $0.element.range.upperBound, $0.offset)
                < ($1.element.range.lowerBound, $1.element.range.upperBound, $1.offset)
        }.map(\.element)
    }
}
