import Foundation

/// Makes values of decodable types for tests. A number stands for each value, and other numbers give other values as
/// long as the type has any.
struct SampleDecoder: Decoder {
    private let number: Int
    private let depth: Int

    private struct Nothing: Error {}

    /// A type that leads to itself ends here.
    private static let deepest = 6

    private init(_ number: Int, depth: Int) { (self.number, self.depth) = (number, depth) }

    /// - Throws: An error for a type that takes none of the values.
    static func value<Value: Decodable>(_ type: Value.Type, _ number: Int, depth: Int = 0) throws -> Value {
        if let plain = plain(type, number) as? Value { return plain }
        let cases = EnumerationCase.values(of: type)
        if !cases.isEmpty { return cases[number % cases.count] }
        guard depth < deepest + 2 else { throw Nothing() }
        return try type.init(from: SampleDecoder(number, depth: depth + 1))
    }

    private static func plain(_ type: any Any.Type, _ number: Int) -> Any? {
        if let type = type as? any FixedWidthInteger.Type { return type.init(clamping: number % 100) }
        if let type = type as? any BinaryFloatingPoint.Type { return type.init(Double(number) + 0.5) }
        switch ObjectIdentifier(type) {
        case ObjectIdentifier(Bool.self): return number % 2 == 0
        case ObjectIdentifier(String.self): return "sample \(number)"
        case ObjectIdentifier(Date.self): return Date(timeIntervalSinceReferenceDate: Double(number) * 1000)
        case ObjectIdentifier(Data.self): return Data("sample \(number)".utf8)
        case ObjectIdentifier(UUID.self):
            return UUID(uuidString: "00000000-0000-4000-8000-" + String(String(1_000_000_000_000 + number).suffix(12)))
        case ObjectIdentifier(URL.self): return URL(string: "https://example.org/\(number)")
        case ObjectIdentifier(Decimal.self): return Decimal(number) + Decimal(sign: .plus, exponent: -1, significand: 5)
        default: return nil
        }
    }

    // MARK: Decoding

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Fields<Key>(number: number, depth: depth))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { Elements(number: number, depth: depth) }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { Single(number: number, depth: depth) }

    private struct Single: SingleValueDecodingContainer {
        let number: Int
        let depth: Int
        var codingPath: [any CodingKey] { [] }

        func decodeNil() -> Bool { depth > deepest }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try SampleDecoder.value(type, number, depth: depth)
        }
    }

    /// The fields of a structure, one case of an enumeration, or one entry of a dictionary.
    private struct Fields<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let number: Int
        let depth: Int
        var codingPath: [any CodingKey] { [] }

        var allKeys: [Key] {
            let cases = EnumerationCase.values(of: Key.self)
            if !cases.isEmpty { return [cases[number % cases.count]] }
            return depth > deepest ? [] : [Key(stringValue: "\(number)")].compactMap(\.self)
        }

        func contains(_ key: Key) -> Bool { true }
        func decodeNil(forKey key: Key) throws -> Bool { depth > deepest }
        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try SampleDecoder.value(type, number, depth: depth)
        }
        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> {
            try SampleDecoder(number, depth: depth + 1).container(keyedBy: type)
        }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            Elements(number: number, depth: depth + 1)
        }
        func superDecoder() throws -> any Decoder { SampleDecoder(number, depth: depth + 1) }
        func superDecoder(forKey key: Key) throws -> any Decoder { SampleDecoder(number, depth: depth + 1) }
    }

    /// Two elements, or the key and the value of one entry.
    private struct Elements: UnkeyedDecodingContainer {
        let number: Int
        let depth: Int
        var currentIndex = 0
        var codingPath: [any CodingKey] { [] }
        var count: Int? { depth > deepest ? 0 : 2 }
        var isAtEnd: Bool { currentIndex >= (count ?? 0) }

        init(number: Int, depth: Int) { (self.number, self.depth) = (number, depth) }

        mutating func decodeNil() throws -> Bool { false }
        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            defer { currentIndex += 1 }
            return try SampleDecoder.value(type, number + currentIndex, depth: depth)
        }
        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) throws -> KeyedDecodingContainer<Nested> { try superDecoder().container(keyedBy: type) }
        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            try superDecoder().unkeyedContainer()
        }
        mutating func superDecoder() throws -> any Decoder {
            defer { currentIndex += 1 }
            return SampleDecoder(number + currentIndex, depth: depth + 1)
        }
    }
}
