import Foundation

/// A case of an enumeration without a raw value.
struct EnumerationCase {
    let name: String
    let hasPayload: Bool

    /// The cases in declared order; nil if the type decodes itself in a way of its own.
    ///
    /// The compiler's own coding of enumerations has a key for each case. The keys are found by letting the type decode
    /// itself from a decoder that listens.
    static func all(of type: any Decodable.Type) -> [EnumerationCase]? {
        let listener = CaseListener()
        _ = try? type.init(from: listener)
        guard !listener.names.isEmpty else { return nil }
        return listener.names.map { name in
            let asking = CaseListener(answering: name)
            _ = try? type.init(from: asking)
            return EnumerationCase(name: name, hasPayload: asking.wasAskedForPayload)
        }
    }

    /// All values of an enumeration without payload; none for other types.
    ///
    /// Such a type has its cases numbered from 0, and an optional of it is nil by the number behind the last one.
    static func values<Value>(of type: Value.Type) -> [Value] {
        guard TypeShape(type) == .enumeration, _isPOD(type), MemoryLayout<Value?>.size == 1 else { return [] }
        if MemoryLayout<Value>.size == 0 { return [unsafeBitCast((), to: type)] }
        let count = unsafeBitCast(Value?.none, to: UInt8.self)
        return (0..<count).map { unsafeBitCast($0, to: type) }
    }
}

/// A decoder without values, which notes the keys of an enumeration's cases.
private final class CaseListener: Decoder {
    let answer: String?
    var names: [String] = []
    var wasAskedForPayload = false

    init(answering answer: String? = nil) { self.answer = answer }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if names.isEmpty { names = Self.keys(type).map(\.stringValue) }
        return KeyedDecodingContainer(Cases<Key>(listener: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Nothing() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Nothing() }

    /// All keys of a type of keys without payload.
    private static func keys<Key: CodingKey>(_ type: Key.Type) -> [Key] { EnumerationCase.values(of: type) }

    struct Nothing: Error {}

    private struct Cases<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let listener: CaseListener
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { listener.answer.flatMap { Key(stringValue: $0) }.map { [$0] } ?? [] }
        func contains(_ key: Key) -> Bool { true }
        func decodeNil(forKey key: Key) throws -> Bool {
            listener.wasAskedForPayload = true
            throw Nothing()
        }
        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
            listener.wasAskedForPayload = true
            throw Nothing()
        }
        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { KeyedDecodingContainer(Cases<Nested>(listener: listener)) }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw Nothing() }
        func superDecoder() throws -> any Decoder { throw Nothing() }
        func superDecoder(forKey key: Key) throws -> any Decoder { throw Nothing() }
    }
}
