#if PostgreSQL
import CPostgreSQL
import CoreData
import Foundation

/// The rows of a SELECT's result, in the binary form of their types, and the number of the current one.
final class PostgreSQLRow: SQLRow {
    let result: OpaquePointer
    let count: Int32
    let types: [Oid]
    let labels: EntityLabels
    var row: Int32 = 0
    /// The entity's name that was read last, and its number: most rows of a result have the same.
    private var lastLabel: (text: UnsafeRawBufferPointer, number: Int64) = (.init(start: nil, count: 0), 0)

    /// - Parameters:
    ///   - result: belongs to this object from now on.
    ///   - types: the types of its columns; nil to take them from the result.
    init(_ result: OpaquePointer, types: [Oid]? = nil, labels: EntityLabels) {
        self.result = result
        self.labels = labels
        self.types = types ?? (0..<PQnfields(result)).map { PQftype(result, $0) }
        count = PQntuples(result)
    }

    deinit { PQclear(result) }

    /// The bytes of a value; none for NULL.
    @inline(__always)
    func bytes(_ place: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, Int32(place)), count: Int(PQgetlength(result, row, Int32(place))))
    }

    /// How many bytes a value has; none for NULL.
    @inline(__always)
    func length(_ place: Int) -> Int { Int(PQgetlength(result, row, Int32(place))) }

    func isNull(_ place: Int) -> Bool { PQgetisnull(result, row, Int32(place)) != 0 }

    func int64(_ place: Int) -> Int64 { int64(place, bytes(place)) }

    @inline(__always)
    func int64(_ place: Int, _ bytes: UnsafeRawBufferPointer) -> Int64 {
        if bytes.isEmpty { return 0 }
        if types[place] == PostgreSQLType.int8 { return Int64(bitPattern: bytes.bigEndianWord) }
        return otherInteger(place, bytes)
    }

    private func otherInteger(_ place: Int, _ bytes: UnsafeRawBufferPointer) -> Int64 {
        switch types[place] {
        case PostgreSQLType.int4: return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
        case PostgreSQLType.int2: return Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
        case PostgreSQLType.bool: return bytes[0] == 0 ? 0 : 1
        case PostgreSQLType.text, PostgreSQLType.varchar:
            let last = lastLabel.text
            if last.count == bytes.count, let a = last.baseAddress, let b = bytes.baseAddress,
                memcmp(a, b, last.count) == 0
            {
                return lastLabel.number
            }
            let text = String(decoding: bytes, as: UTF8.self)
            guard let number = labels.number(of: text) else { return Int64(text) ?? 0 }
            // The result stays at its place in memory as long as this object exists.
            lastLabel = (bytes, number)
            return number
        case PostgreSQLType.numeric:
            return PostgreSQLNumeric.decimal(bytes).map { NSDecimalNumber(decimal: $0.value).int64Value } ?? 0
        default: return Int64(exactly: double(place).rounded(.towardZero)) ?? 0
        }
    }

    func double(_ place: Int) -> Double { double(place, bytes(place)) }

    func double(_ place: Int, _ bytes: UnsafeRawBufferPointer) -> Double {
        if bytes.isEmpty { return 0 }
        switch types[place] {
        case PostgreSQLType.float8: return Double(bitPattern: bytes.bigEndianWord)
        case PostgreSQLType.float4:
            return Double(Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))))
        case PostgreSQLType.timestamptz, PostgreSQLType.timestamp: return Self.seconds(bytes)
        case PostgreSQLType.numeric:
            return PostgreSQLNumeric.decimal(bytes).map { NSDecimalNumber(decimal: $0.value).doubleValue } ?? .nan
        case PostgreSQLType.text, PostgreSQLType.varchar: return Double(String(decoding: bytes, as: UTF8.self)) ?? 0
        default: return Double(int64(place))
        }
    }

    /// Whether a number that was read stands for infinity or minus infinity of a time.
    @inline(__always)
    func isInfiniteTime(_ place: Int, _ value: Double) -> Bool {
        guard value > PostgreSQLParameters.dates.upperBound + 1 || value < PostgreSQLParameters.dates.lowerBound - 1
        else { return false }
        return types[place] == PostgreSQLType.timestamptz || types[place] == PostgreSQLType.timestamp
    }

    /// Microseconds since 2000 as seconds since 2001.
    @inline(__always)
    static func seconds(_ bytes: UnsafeRawBufferPointer) -> Double {
        (Double(Int64(bitPattern: bytes.bigEndianWord)) - PostgreSQLParameters.yearOfLeap) / 1_000_000
    }

    func string(_ place: Int) -> String {
        switch types[place] {
        case PostgreSQLType.text, PostgreSQLType.varchar, PostgreSQLType.bytea:
            String(decoding: bytes(place), as: UTF8.self)
        default:
            slotValue(place).asText
        }
    }

    func data(_ place: Int) -> Data { Data(bytes(place)) }

    func slotValue(_ place: Int) -> SlotValue {
        if isNull(place) { return .null }
        switch types[place] {
        case PostgreSQLType.int8, PostgreSQLType.int4, PostgreSQLType.int2, PostgreSQLType.bool:
            return .int(int64(place))
        case PostgreSQLType.float8, PostgreSQLType.float4, PostgreSQLType.timestamptz, PostgreSQLType.timestamp:
            return .double(double(place))
        case PostgreSQLType.numeric:
            return PostgreSQLNumeric.decimal(bytes(place)).map { .decimal($0.value) } ?? .null
        case PostgreSQLType.text, PostgreSQLType.varchar: return .string(string(place))
        default: return .data(data(place))
        }
    }
}

extension UnsafeRawBufferPointer {
    @inline(__always) var bigEndianWord: UInt64 { UInt64(bigEndian: loadUnaligned(as: UInt64.self)) }
}
#endif
