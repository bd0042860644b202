import Foundation

/// Writes a binary property list ("bplist00"). Equal scalars are written once.
struct BinaryPropertyListWriter {
    private var objects: [[UInt8]] = []
    /// Containers whose references are filled in at the end, when their size is known.
    private var containers: [Int: [Int]] = [:]
    private var known: [[UInt8]: Int] = [:]
    /// Most values of a model's archive are the same few texts and references: these are found without their bytes.
    /// Other texts are not here, because two that are equal may have different bytes.
    private var asciiTexts: [String: Int] = [:]
    private var references: [Int: Int] = [:]

    /// The bytes of a property list with the value at its top.
    static func write(_ value: PropertyListValue) -> Data {
        var writer = BinaryPropertyListWriter()
        let top = writer.add(value)
        return writer.assemble(top: top)
    }

    private mutating func add(_ value: PropertyListValue) -> Int {
        switch value {
        case .null: return addScalar([0x00])
        case .boolean(let flag): return addScalar([flag ? 0x09 : 0x08])
        case .integer(let number): return addScalar(Self.encoded(number))
        case .real(let number): return addScalar([0x23] + Self.bigEndian(number.bitPattern, size: 8))
        case .date(let number): return addScalar([0x33] + Self.bigEndian(number.bitPattern, size: 8))
        case .data(let data): return addScalar(Self.header(0x40, count: data.count) + data)
        case .string(let text):
            // Every character beyond ASCII takes more bytes than units of UTF-16.
            if text.utf8.count == text.utf16.count {
                if let object = asciiTexts[text] { return object }
                var bytes = Self.header(0x50, count: text.utf8.count)
                bytes += text.utf8
                let object = reserve(bytes)
                asciiTexts[text] = object
                return object
            }
            let units = Array(text.utf16)
            return addScalar(
                Self.header(0x60, count: units.count) + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
        case .reference(let index):
            if let object = references[index] { return object }
            let size = Self.size(of: index)
            var bytes = [0x80 | UInt8(size - 1)]
            Self.append(UInt64(index), size: size, to: &bytes)
            let object = reserve(bytes)
            references[index] = object
            return object
        case .array(let elements):
            let object = reserve(Self.header(0xA0, count: elements.count))
            containers[object] = elements.map { add($0) }
            return object
        case .dictionary(let entries):
            let object = reserve(Self.header(0xD0, count: entries.count))
            let sorted = entries.sorted { $0.key < $1.key }
            let keys = sorted.map { add(.string($0.key)) }
            containers[object] = keys + sorted.map { add($0.value) }
            return object
        }
    }

    private mutating func addScalar(_ bytes: [UInt8]) -> Int {
        if let object = known[bytes] { return object }
        let object = reserve(bytes)
        known[bytes] = object
        return object
    }

    private mutating func reserve(_ bytes: [UInt8]) -> Int {
        objects.append(bytes)
        return objects.count - 1
    }

    private func assemble(top: Int) -> Data {
        let referenceSize = Self.size(of: objects.count)
        var list = Array("bplist00".utf8)
        var offsets: [Int] = []
        offsets.reserveCapacity(objects.count)
        for (index, bytes) in objects.enumerated() {
            offsets.append(list.count)
            list += bytes
            for reference in containers[index] ?? [] { Self.append(UInt64(reference), size: referenceSize, to: &list) }
        }
        let table = list.count
        let offsetSize = Self.size(of: table)
        for offset in offsets { Self.append(UInt64(offset), size: offsetSize, to: &list) }
        list += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        for number in [objects.count, top, table] { Self.append(UInt64(number), size: 8, to: &list) }
        return Data(list)
    }

    private static func header(_ marker: UInt8, count: Int) -> [UInt8] {
        count < 0x0F ? [marker | UInt8(count)] : [marker | 0x0F] + encoded(Int64(count))
    }

    private static func encoded(_ number: Int64) -> [UInt8] {
        let bits = UInt64(bitPattern: number)
        return switch number {
        case 0...0xFF: [0x10] + bigEndian(bits, size: 1)
        case 0...0xFFFF: [0x11] + bigEndian(bits, size: 2)
        case 0...0xFFFF_FFFF: [0x12] + bigEndian(bits, size: 4)
        default: [0x13] + bigEndian(bits, size: 8)
        }
    }

    /// The number of bytes (1, 2, 4 or 8) that an index takes.
    private static func size(of index: Int) -> Int {
        index <= 0xFF ? 1 : index <= 0xFFFF ? 2 : index <= 0xFFFF_FFFF ? 4 : 8
    }

    private static func bigEndian(_ value: UInt64, size: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        append(value, size: size, to: &bytes)
        return bytes
    }

    /// Appends without an array for each number, because large models have 100,000 references.
    private static func append(_ value: UInt64, size: Int, to bytes: inout [UInt8]) {
        var shift = UInt64(size * 8)
        while shift > 0 {
            shift -= 8
            bytes.append(UInt8(truncatingIfNeeded: value &>> shift))
        }
    }
}
