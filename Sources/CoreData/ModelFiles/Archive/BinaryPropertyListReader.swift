import Foundation

/// Reads a binary property list ("bplist00").
///
/// The bytes may come from any source. Every offset and count is checked, and nesting is bounded. The number of values
/// is bounded by the size of the input, so that a small file whose parts refer to each other cannot grow without limit.
struct BinaryPropertyListReader {
    private static let maximumDepth = 64

    private let bytes: [UInt8]
    private let offsets: [Int]
    private let referenceSize: Int
    private let maximumDepth: Int
    private var budget: Int
    /// The number of bytes of data and texts that may still be returned. It is limited because objects may overlap in
    /// the file.
    private var byteBudget: Int
    /// Scalars are decoded once and shared, however often they are referred to.
    private var scalars: [PropertyListValue?]

    /// The value at the top of the list.
    static func read(_ data: Data) throws -> PropertyListValue {
        var (reader, top) = try opened(data, depth: maximumDepth)
        return try reader.value(of: top, depth: 0)
    }

    /// Checks bytes before Foundation reads them, because Foundation has no limit and stops the process at some values.
    /// All objects have to be those of property lists: no sets, no references, no missing values, and only texts as
    /// keys of dictionaries.
    static func requirePlainValues(_ data: Data, depth: Int) throws {
        var (reader, top) = try opened(data, depth: depth)
        for object in reader.offsets.indices where !reader.isPlain(object) { throw reader.damaged(object) }
        _ = try reader.value(of: top, depth: 0)
    }

    private func isPlain(_ object: Int) -> Bool {
        let marker = bytes[offsets[object]]
        switch marker >> 4 {
        case 0x0: return marker == 0x08 || marker == 0x09
        case 0x1...0x7, 0xA: return true
        case 0xD:
            guard let (start, count) = try? extent(object, size: referenceSize * 2) else { return false }
            return (0..<count).allSatisfy { index in
                guard let key = try? reference(object, start, index) else { return false }
                return (0x5...0x7).contains(bytes[offsets[key]] >> 4)
            }
        default: return false
        }
    }

    /// A reader of a list, and the place of the object at its top.
    private static func opened(_ data: Data, depth: Int) throws -> (reader: BinaryPropertyListReader, top: Int) {
        let bytes = Array(data)
        guard bytes.count >= 40, bytes.starts(with: Array("bplist0".utf8)) else {
            throw archiveError("The data is not a binary property list.")
        }
        let trailer = bytes.count - 32
        let offsetSize = Int(bytes[trailer + 6])
        let referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = bigEndian(bytes, at: trailer + 8, size: 8),
            let top = bigEndian(bytes, at: trailer + 16, size: 8),
            let table = bigEndian(bytes, at: trailer + 24, size: 8), count > 0, count <= trailer, top < count,
            table >= 8, table <= trailer, count * offsetSize <= trailer - table
        else { throw archiveError("The trailer of the binary property list is damaged.") }
        var offsets: [Int] = []
        offsets.reserveCapacity(count)
        for index in 0..<count {
            guard let offset = bigEndian(bytes, at: table + index * offsetSize, size: offsetSize), offset >= 8,
                offset < table
            else { throw archiveError("Object \(index) of the binary property list lies outside of it.") }
            offsets.append(offset)
        }
        let reader = BinaryPropertyListReader(
            bytes: Array(bytes[..<table]), offsets: offsets, referenceSize: referenceSize, maximumDepth: depth,
            budget: bytes.count * 8 + 1024)
        return (reader, top)
    }

    private init(bytes: [UInt8], offsets: [Int], referenceSize: Int, maximumDepth: Int, budget: Int) {
        self.bytes = bytes
        self.offsets = offsets
        self.referenceSize = referenceSize
        self.maximumDepth = maximumDepth
        self.budget = budget
        byteBudget = bytes.count
        scalars = Array(repeating: nil, count: offsets.count)
    }

    private mutating func value(of object: Int, depth: Int) throws -> PropertyListValue {
        budget -= 1
        guard budget > 0 else { throw archiveError("The binary property list refers to itself too often.") }
        guard depth < maximumDepth else { throw archiveError("The binary property list is nested too deeply.") }
        if let known = scalars[object] { return known }
        let offset = offsets[object]
        let marker = bytes[offset]
        let low = Int(marker & 0x0F)
        let scalar: PropertyListValue
        switch marker >> 4 {
        case 0x0:
            switch low {
            case 0: scalar = .null
            case 8: scalar = .boolean(false)
            case 9: scalar = .boolean(true)
            default: throw damaged(object)
            }
        case 0x1: scalar = .integer(try integer(object, at: offset + 1, exponent: low))
        case 0x2: scalar = .real(try real(object, at: offset + 1, exponent: low))
        case 0x3: scalar = .date(try real(object, at: offset + 1, exponent: low))
        case 0x4:
            let (start, count) = try content(object, size: 1)
            scalar = .data(Data(bytes[start..<start + count]))
        case 0x5, 0x7:
            let (start, count) = try content(object, size: 1)
            guard let text = String(validating: bytes[start..<start + count], as: UTF8.self),
                !CombiningMarks.areEndless(in: text)
            else { throw damaged(object) }
            scalar = .string(text)
        case 0x6:
            let (start, count) = try content(object, size: 2)
            let units = (0..<count).map {
                UInt16(bytes[start + $0 * 2]) << 8 | UInt16(bytes[start + $0 * 2 + 1])
            }
            let text = String(decoding: units, as: UTF16.self)
            guard !CombiningMarks.areEndless(in: text) else { throw damaged(object) }
            scalar = .string(text)
        case 0x8:
            guard let index = Self.bigEndian(bytes, at: offset + 1, size: low + 1) else { throw damaged(object) }
            scalar = .reference(index)
        case 0xA, 0xC:
            let (start, count) = try extent(object, size: referenceSize)
            return .array(
                try (0..<count).map { try value(of: reference(object, start, $0), depth: depth + 1) })
        case 0xD:
            let (start, count) = try extent(object, size: referenceSize * 2)
            var entries: [String: PropertyListValue] = [:]
            entries.reserveCapacity(count)
            for index in 0..<count {
                guard case .string(let key) = try value(of: reference(object, start, index), depth: depth + 1) else {
                    throw damaged(object)
                }
                entries[key] = try value(of: reference(object, start, count + index), depth: depth + 1)
            }
            return .dictionary(entries)
        default: throw damaged(object)
        }
        scalars[object] = scalar
        return scalar
    }

    /// The start of the bytes of data or of a text, and the number of units of a size. Throws when the objects
    /// have more bytes together than the file.
    private mutating func content(_ object: Int, size: Int) throws -> (start: Int, count: Int) {
        let (start, count) = try extent(object, size: size)
        byteBudget -= count * size
        guard byteBudget >= 0 else { throw archiveError("Objects of the binary property list lie over each other.") }
        return (start, count)
    }

    /// The start of the elements of a sized object, and their number; they lie within the bytes.
    private func extent(_ object: Int, size: Int) throws -> (start: Int, count: Int) {
        let offset = offsets[object]
        var start = offset + 1
        var count = Int(bytes[offset] & 0x0F)
        if count == 0x0F {
            guard start < bytes.count, bytes[start] >> 4 == 0x1 else { throw damaged(object) }
            let width = 1 << Int(bytes[start] & 0x0F)
            guard width <= 8, let long = Self.bigEndian(bytes, at: start + 1, size: width) else {
                throw damaged(object)
            }
            count = long
            start += 1 + width
        }
        guard start <= bytes.count, count <= (bytes.count - start) / size else { throw damaged(object) }
        return (start, count)
    }

    private func reference(_ object: Int, _ start: Int, _ index: Int) throws -> Int {
        guard let target = Self.bigEndian(bytes, at: start + index * referenceSize, size: referenceSize),
            target < offsets.count
        else { throw damaged(object) }
        return target
    }

    /// Integers of up to 4 bytes are unsigned, 8 bytes are signed; of 16 bytes the lower 8 count.
    private func integer(_ object: Int, at start: Int, exponent: Int) throws -> Int64 {
        guard exponent <= 4, bytes.count - start >= 1 << exponent else { throw damaged(object) }
        var value: UInt64 = 0
        for byte in bytes[start..<start + (1 << exponent)] { value = value << 8 | UInt64(byte) }
        return Int64(bitPattern: value)
    }

    private func real(_ object: Int, at start: Int, exponent: Int) throws -> Double {
        let bits = UInt64(bitPattern: try integer(object, at: start, exponent: exponent))
        switch exponent {
        case 2: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
        case 3: return Double(bitPattern: bits)
        default: throw damaged(object)
        }
    }

    /// An unsigned number that fits an `Int`; `nil` when it does not or lies outside of the bytes.
    private static func bigEndian(_ bytes: [UInt8], at start: Int, size: Int) -> Int? {
        guard start >= 0, start <= bytes.count, bytes.count - start >= size, size <= 8 else { return nil }
        var value: UInt64 = 0
        for byte in bytes[start..<start + size] { value = value << 8 | UInt64(byte) }
        return Int(exactly: value)
    }

    private func damaged(_ object: Int) -> NSError {
        archiveError("Object \(object) of the binary property list is damaged.")
    }
}
