import Foundation

/// Ways in which the file of a database gets hurt, each repeatable by its seed.
public enum FileDamage: String, CaseIterable, Sendable {
    case bytes, runs, emptyPages, cut, exchangedPages, header, definitions, freeList

    /// The pages that are on the list of free pages of a whole file.
    public static func freePages(of file: Data) -> Set<Int> {
        let (bytes, size) = (Array(file), pageSize(of: file))
        var free: Set<Int> = []
        var trunk = number(bytes, at: 32)
        while trunk > 0, free.insert(trunk).inserted {
            let start = (trunk - 1) * size
            for place in 0..<number(bytes, at: start + 4) { free.insert(number(bytes, at: start + 8 + 4 * place)) }
            trunk = number(bytes, at: start)
        }
        return free
    }

    public static func pageSize(of file: Data) -> Int {
        let size = Int(file[file.startIndex + 16]) << 8 | Int(file[file.startIndex + 17])
        return size == 1 ? 65536 : size
    }

    private static func number(_ bytes: [UInt8], at place: Int) -> Int {
        guard place + 4 <= bytes.count else { return 0 }
        return bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// A damaged copy of a whole file.
    public func applied(to file: Data, _ random: inout SplitMix) -> Data {
        var bytes = Array(file)
        let size = Self.pageSize(of: file)
        let count = bytes.count / size
        func fill(_ range: Range<Int>) {
            for place in range where place < bytes.count { bytes[place] = UInt8.random(in: 0...255, using: &random) }
        }
        switch self {
        case .bytes:
            for _ in 0..<Int.random(in: 1...64, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                fill(place..<place + 1)
            }
        case .runs:
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                fill(place..<place + Int.random(in: 8...600, using: &random))
            }
        case .emptyPages:
            for _ in 0..<max(1, Int.random(in: 1...3, using: &random) * count / 20) {
                let page = Int.random(in: 0..<count, using: &random)
                for place in page * size..<(page + 1) * size { bytes[place] = 0 }
            }
        case .cut:
            bytes.removeLast(Int.random(in: 1...(bytes.count - 1024), using: &random))
        case .exchangedPages:
            // A free page that replaces one in use would count as that page, because the file itself has no other sign.
            let free = Self.freePages(of: file)
            let used = (2...max(2, count)).filter { !free.contains($0) && $0 <= count }
            for _ in 0..<3 {
                guard let one = used.randomElement(using: &random), let other = used.randomElement(using: &random)
                else {
                    break
                }
                for place in 0..<size { bytes.swapAt((one - 1) * size + place, (other - 1) * size + place) }
            }
        case .header:
            let start = Int.random(in: 0..<96, using: &random)
            fill(start..<min(100, start + Int.random(in: 1...100, using: &random)))
        case .definitions:
            let start = Int.random(in: 100..<size - 100, using: &random)
            fill(start..<start + Int.random(in: 1...(size - start), using: &random))
        case .freeList:
            let free = Self.freePages(of: file).sorted()
            if let page = free.randomElement(using: &random) { fill((page - 1) * size..<(page - 1) * size + 64) }
            fill(32..<32 + Int.random(in: 1...8, using: &random))
        }
        return Data(bytes)
    }
}
