import Foundation
import Synchronization

/// The results of Foundation's folding for single characters, as bytes.
///
/// The table has characters of one or two bytes and the usual punctuation, if they fold in every text as they do alone.
/// Marks are left out, because they belong to the character before them. Characters with another canonical form are
/// left out, too. Foundation folds texts with such characters.
struct ByteFolding: Sendable {
    typealias Options = NSComparisonPredicate.Options

    /// The greatest factor by which a text can become longer.
    static let growth = 3

    /// The characters whose bytes differ only in the last one: 64 entries of eight bytes. The first byte of an entry is
    /// the number of folded bytes that follow; 0 stands for a character that the table does not have.
    private typealias Block = UnsafeMutablePointer<UInt8>

    private static let blockSize = 64
    private static let entrySize = 8
    /// The blocks of the two-byte characters from C2 80 to DF BF, and of those from E2 80 80 to E2 81 BF.
    private static let blockCount = 32

    private let options: Options
    private let ignoresCase: Bool
    /// A block is made when a text has one of its characters, and never freed. Their number is limited by the number of
    /// options.
    private nonisolated(unsafe) let blocks: UnsafeMutablePointer<Atomic<Block?>>

    private static let plain = ByteFolding([])
    private static let withoutCase = ByteFolding(.caseInsensitive)
    private static let withoutMarks = ByteFolding(.diacriticInsensitive)
    private static let withoutBoth = ByteFolding([.caseInsensitive, .diacriticInsensitive])

    static func of(_ options: Options) -> ByteFolding {
        switch (options.contains(.caseInsensitive), options.contains(.diacriticInsensitive)) {
        case (false, false): plain
        case (true, false): withoutCase
        case (false, true): withoutMarks
        case (true, true): withoutBoth
        }
    }

    private init(_ options: Options) {
        self.options = options
        ignoresCase = options.contains(.caseInsensitive)
        blocks = .allocate(capacity: Self.blockCount)
        for number in 0..<Self.blockCount { (blocks + number).initialize(to: Atomic(nil)) }
    }

    // MARK: Folding

    /// Writes a folded text to memory that holds `growth` times its bytes.
    ///
    /// - Returns: the number of bytes of the folded text; nil if Foundation has to fold the text.
    func fold(_ text: UnsafeBufferPointer<UInt8>, into folded: UnsafeMutablePointer<UInt8>) -> Int? {
        var (place, count) = (0, 0)
        while place < text.count {
            let byte = text[place]
            if byte < 0x80 {
                folded[count] = ignoresCase ? StringComparison.lowercased(byte) : byte
                count += 1
                place += 1
                continue
            }
            guard let (number, last, length) = Self.character(of: text, at: place) else { return nil }
            let entry = block(number) + last * Self.entrySize
            let written = Int(entry[0])
            if written == 0 { return nil }
            for offset in 0..<written { folded[count + offset] = entry[1 + offset] }
            count += written
            place += length
        }
        return count
    }

    /// The folded text; nil if Foundation has to fold it.
    func fold(_ text: String) -> String? {
        text.utf8.withContiguousStorageIfAvailable { bytes in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count * Self.growth + 1) { memory in
                guard let start = memory.baseAddress, let count = fold(bytes, into: start) else { return nil }
                return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
            }
        } ?? nil
    }

    /// The block of the character that begins at a place, the character's place in the block, and its number of bytes.
    /// Nil for a character that is in no block, and for bytes that are no character.
    private static func character(
        of text: UnsafeBufferPointer<UInt8>, at place: Int
    ) -> (block: Int, last: Int, length: Int)? {
        func bits(_ offset: Int) -> Int? {
            guard place + offset < text.count, text[place + offset] & 0xC0 == 0x80 else { return nil }
            return Int(text[place + offset] & 0x3F)
        }
        let first = text[place]
        if 0xC2...0xDF ~= first { return bits(1).map { (Int(first) - 0xC2, $0, 2) } }
        guard first == 0xE2, let middle = bits(1), middle < 2, let last = bits(2) else { return nil }
        return (blockCount - 2 + middle, last, 3)
    }

    // MARK: Blocks

    private func block(_ number: Int) -> Block {
        if let known = blocks[number].load(ordering: .acquiring) { return known }
        let new = makeBlock(number)
        let (exchanged, other) = blocks[number].compareExchange(
            expected: nil, desired: new, ordering: .acquiringAndReleasing)
        guard !exchanged, let other else { return new }
        // Another thread has made the block since the check.
        new.deallocate()
        return other
    }

    private func makeBlock(_ number: Int) -> Block {
        let block = Block.allocate(capacity: Self.blockSize * Self.entrySize)
        block.initialize(repeating: 0, count: Self.blockSize * Self.entrySize)
        let first = number < Self.blockCount - 2 ? 0x80 + number * 64 : 0x2000 + (number - Self.blockCount + 2) * 64
        for place in 0..<Self.blockSize {
            guard let character = Unicode.Scalar(UInt32(first + place)), Self.isAlone(character) else { continue }
            let folded = StringComparison.foldByFoundation(String(character), options)
            let bytes = folded.utf8
            if bytes.isEmpty || bytes.count > min(Self.entrySize - 1, character.utf8.count * Self.growth) { continue }
            // If folding produces a mark, a search would find a part of the character at the end or the beginning of a
            // text.
            if folded.unicodeScalars.contains(where: Self.isMark) { continue }
            let entry = block + place * Self.entrySize
            entry[0] = UInt8(bytes.count)
            for (offset, byte) in bytes.enumerated() { entry[1 + offset] = byte }
        }
        return block
    }

    private static func isMark(_ character: Unicode.Scalar) -> Bool {
        switch character.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    private static func isAlone(_ character: Unicode.Scalar) -> Bool {
        switch character.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark, .format, .control, .unassigned, .lineSeparator,
            .paragraphSeparator:
            false
        default:
            Array(String(character).precomposedStringWithCanonicalMapping.unicodeScalars) == [character]
        }
    }
}
