import Foundation

/// The header of a database (its first hundred bytes), as far as its values are valid.
struct DatabaseHeader {
    static let size = 100
    static let sizes = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536]
    private static let magic = Array("SQLite format 3\0".utf8)

    /// Nil if the value is no valid page size.
    let pageSize: Int?
    /// The number of reserved bytes at the end of each page, which SQLite does not use.
    let reserved: Int
    /// The number of pages that the database should have; 0 if an old version of SQLite has not recorded it.
    let pageCount: Int
    let firstFreePage: Int
    let freePageCount: Int
    let hasPointerMap: Bool
    /// 1 for UTF-8, 2 and 3 for UTF-16 with the low and with the high byte first.
    let encoding: Int
    /// Whether all values are there that every database has in common.
    let isWhole: Bool
    /// Whether changes are written to a -wal.
    let usesLog: Bool

    init(_ bytes: [UInt8]) {
        let size = bytes.number16(at: 16).map { $0 == 1 ? 65536 : $0 }
        pageSize = size.flatMap { Self.sizes.contains($0) ? $0 : nil }
        let spare = bytes.count > 20 ? Int(bytes[20]) : 0
        reserved = (pageSize ?? 0) - spare >= 480 ? spare : 0
        pageCount = bytes.number32(at: 28) ?? 0
        firstFreePage = bytes.number32(at: 32) ?? 0
        freePageCount = bytes.number32(at: 36) ?? 0
        hasPointerMap = bytes.number32(at: 52) ?? 0 != 0
        let text = bytes.number32(at: 56) ?? 0
        encoding = (1...3).contains(text) ? text : 1
        let fractions = bytes.count > 23 && bytes[21] == 64 && bytes[22] == 32 && bytes[23] == 32
        let hasMagic = bytes.starts(with: Self.magic)
        isWhole =
            bytes.count >= Self.size && hasMagic && pageSize != nil && reserved == spare && fractions
            && text <= 3 && (bytes.number32(at: 44) ?? 0) <= 4
        usesLog = hasMagic && bytes.count > 19 && bytes[18] == 2 && bytes[19] == 2
    }
}
