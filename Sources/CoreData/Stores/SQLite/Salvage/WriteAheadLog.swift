import Foundation

/// A -wal, with the places of the newest committed bytes of each page.
struct WriteAheadLog {
    private static let headerSize = 32
    private static let frameHeaderSize = 24
    private static let magic = 0x377F_0682
    private static let version = 3_007_000

    let bytes: any SalvageBytes
    let pageSize: Int
    /// The place of the bytes of each page, by page number.
    private(set) var places: [Int: Int] = [:]
    /// The number of pages of the database after the last commit; nil if nothing is committed.
    private(set) var pageCount: Int?
    /// The number of frames that belong to commits.
    private(set) var frameCount = 0
    /// Whether a frame is damaged although a commit follows it. A frame that a killed process has left half written is
    /// the last one, and does not count.
    private(set) var isDamaged = false

    /// Nil for bytes that are no log.
    init?(_ bytes: any SalvageBytes) {
        let header = bytes.bytes(at: 0, count: Self.headerSize)
        guard header.count == Self.headerSize, let magic = header.number32(at: 0), magic & ~1 == Self.magic,
            header.number32(at: 4) == Self.version, let size = header.number32(at: 8),
            DatabaseHeader.sizes.contains(size)
        else { return nil }
        self.bytes = bytes
        pageSize = size
        var sum = Checksum(hasHighByteFirst: magic & 1 == 1)
        sum.add(header, 0..<24)
        guard sum.isWritten(in: header, at: 24) else { return nil }
        readFrames(behind: sum, salts: Array(header[16..<24]))
    }

    private mutating func readFrames(behind sum: Checksum, salts: [UInt8]) {
        var sum = sum
        var open: [Int: Int] = [:]
        let size = Self.frameHeaderSize + pageSize
        let room = max(0, bytes.count - Self.headerSize) / size
        var number = 0
        while number < room {
            let offset = Self.headerSize + number * size
            let frame = bytes.bytes(at: offset, count: size)
            guard frame.count == size, let page = frame.number32(at: 0), page > 0,
                let pagesOfCommit = frame.number32(at: 4), Array(frame[8..<16]) == salts
            else { break }
            sum.add(frame, 0..<8)
            sum.add(frame, Self.frameHeaderSize..<size)
            guard sum.isWritten(in: frame, at: 16) else {
                isDamaged = hasCommit(behind: number, room: room, salts: salts)
                break
            }
            open[page] = offset + Self.frameHeaderSize
            number += 1
            if pagesOfCommit > 0 {
                places.merge(open) { $1 }
                open = [:]
                pageCount = pagesOfCommit
                frameCount = number
            }
        }
    }

    /// Whether a frame after another one ends a commit. Holes of the file have no frames.
    private func hasCommit(behind number: Int, room: Int, salts: [UInt8]) -> Bool {
        let size = Self.frameHeaderSize + pageSize
        var next = number + 1
        while next < room, let data = bytes.data(from: Self.headerSize + next * size) {
            // A header may begin in a hole and end in data.
            next = max(next, (data.lowerBound - Self.headerSize) / size)
            let end = min(room, max(next, (data.upperBound - Self.headerSize) / size) + 1)
            if (next..<end).contains(where: { isCommit($0, salts: salts) }) { return true }
            next = end
        }
        return false
    }

    private func isCommit(_ number: Int, salts: [UInt8]) -> Bool {
        let offset = Self.headerSize + number * (Self.frameHeaderSize + pageSize)
        let frame = bytes.bytes(at: offset, count: Self.frameHeaderSize)
        guard frame.count == Self.frameHeaderSize, frame.number32(at: 4) ?? 0 > 0 else { return false }
        return Array(frame[8..<16]) == salts
    }

    /// The bytes of a page; nil if the log does not have the page.
    func page(_ number: Int) -> [UInt8]? { places[number].map { bytes.bytes(at: $0, count: pageSize) } }

    /// The cumulative checksum that each frame has of everything before it.
    private struct Checksum {
        let hasHighByteFirst: Bool
        var first: UInt32 = 0
        var second: UInt32 = 0

        mutating func add(_ bytes: [UInt8], _ range: Range<Int>) {
            bytes.withUnsafeBytes { bytes in
                var place = range.lowerBound
                while place + 8 <= min(range.upperBound, bytes.count) {
                    let one = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
                    let other = bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
                    first = first &+ (hasHighByteFirst ? UInt32(bigEndian: one) : UInt32(littleEndian: one)) &+ second
                    second =
                        second &+ (hasHighByteFirst ? UInt32(bigEndian: other) : UInt32(littleEndian: other)) &+ first
                    place += 8
                }
            }
        }

        func isWritten(in bytes: [UInt8], at place: Int) -> Bool {
            bytes.number32(at: place) == Int(first) && bytes.number32(at: place + 4) == Int(second)
        }
    }
}
