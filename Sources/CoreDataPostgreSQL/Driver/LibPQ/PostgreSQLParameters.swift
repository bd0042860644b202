#if PostgreSQL
import CPostgreSQL
import CoreData
import Foundation

/// The parameters of a statement for many rows: a column of values for each, in the binary form of its type.
///
/// A column is an array of its type, in the form that the server reads. A statement for one row takes the only
/// element. The columns have memory of their own: Swift's arrays would be checked and counted at each of millions
/// of values.
final class PostgreSQLParameters: SQLParameters {
    private struct Column {
        let type: Oid
        /// The header of an array, and every element with its length before it.
        var bytes: UnsafeMutableRawPointer
        var capacity: Int
        var end = Column.header
        /// Where the last element begins, with its length.
        var last = Column.header
        var count = 0
        var hasNull = false

        /// The number of dimensions, whether one is NULL, the type, the number of elements and that of the first.
        static let header = 20

        init(type: Oid, rows: Int) {
            self.type = type
            capacity = Column.header + 16 * rows
            bytes = .allocate(byteCount: capacity, alignment: 8)
        }

        /// Reserves a number of bytes after the last ones.
        @inline(__always)
        mutating func room(_ count: Int) -> UnsafeMutableRawPointer {
            if end + count > capacity { grow(to: end + count) }
            defer { end += count }
            return bytes + end
        }

        private mutating func grow(to size: Int) {
            capacity = max(size, 2 * capacity)
            let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
            larger.copyMemory(from: bytes, byteCount: end)
            bytes.deallocate()
            bytes = larger
        }

        /// Writes the length of the next element, and reserves its bytes.
        @inline(__always)
        mutating func element(_ length: Int) -> UnsafeMutableRawPointer {
            last = end
            count += 1
            let place = room(4 + length)
            place.storeBytes(of: Int32(truncatingIfNeeded: length).bigEndian, as: Int32.self)
            return place + 4
        }
    }

    private let columns: UnsafeMutableBufferPointer<Column>
    private let labels: EntityLabels
    /// Parameters whose values do not fit into the types that the server has chosen, and the types that they need.
    private(set) var misfits: [Int: Oid] = [:]
    /// Why a value cannot be written at all.
    private(set) var refusal: NSError?

    /// - Parameter rows: how many are expected.
    init(types: some Collection<Oid>, labels: EntityLabels, rows: Int = 1) {
        columns = .allocate(capacity: types.count)
        _ = columns.initialize(from: types.map { Column(type: $0, rows: rows) })
        self.labels = labels
    }

    deinit {
        for column in columns { column.bytes.deallocate() }
        columns.deinitialize()
        columns.deallocate()
    }

    // MARK: Rows

    /// Ends a row: a parameter that was not bound keeps the value that it had for the row before.
    func endRow(_ number: Int) {
        for place in columns.indices where columns[place].count <= number {
            if columns[place].count == 0 {
                bindNull(place + 1)
            } else {
                let (start, count) = (columns[place].last, columns[place].end - columns[place].last)
                columns[place].last = columns[place].end
                columns[place].count += 1
                let target = columns[place].room(count)
                target.copyMemory(from: columns[place].bytes + start, byteCount: count)
            }
        }
    }

    /// How many bytes all values have.
    var byteCount: Int {
        var count = 0
        for place in columns.indices { count += columns[place].end }
        return count
    }

    /// The largest text or binary value: the server takes a gigabyte at once, and a value is not alone.
    static let largestValue = 1_000_000_000
    /// The largest message that the server takes: it ends a connection that sends more.
    private static let largestMessage = 1_073_000_000

    /// Throws where there is something that the server cannot take.
    func requireFit() throws {
        if let refusal { throw refusal }
        let count = byteCount
        if count > Self.largestMessage {
            throw NSError.coreData(
                NSManagedObjectValidationError,
                reason: "The values of a row have \(count) bytes, and PostgreSQL takes a gigabyte at once.")
        }
    }

    /// Records why a value cannot be written.
    @inline(never)
    private func refuse(_ number: Int, _ reason: String, code: Int = NSManagedObjectValidationError) {
        refusal = .coreData(code, reason: reason)
        bindNull(number)
    }

    private func fits(_ number: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.count <= Self.largestValue { return true }
        refuse(
            number, "A value of \(bytes.count) bytes cannot be kept in PostgreSQL, which takes a gigabyte at once.")
        return false
    }

    /// The only value of each parameter.
    func values() -> PostgreSQLValues {
        var values = PostgreSQLValues(in: self)
        for column in columns {
            // The length of NULL is negative, and the sign is in the first byte.
            let isNull = column.count == 0 || column.bytes.load(fromByteOffset: column.last, as: Int8.self) < 0
            values.append(isNull ? nil : column.bytes + column.last + 4, column.end - column.last - 4)
        }
        return values
    }

    /// The values of each parameter for some rows, as arrays.
    func arrays(_ count: Int) -> PostgreSQLValues {
        var values = PostgreSQLValues(in: self)
        for column in columns {
            let header = [1, column.hasNull ? 1 : 0, Int32(bitPattern: column.type), Int32(count), 1]
            for (place, word) in header.enumerated() {
                column.bytes.storeBytes(of: word.bigEndian, toByteOffset: 4 * place, as: Int32.self)
            }
            values.append(column.bytes, column.end)
        }
        return values
    }

    // MARK: Values

    @inline(__always)
    private func append<Word: FixedWidthInteger>(_ number: Int, word: Word) {
        columns[number - 1].element(MemoryLayout<Word>.size).storeBytes(of: word.bigEndian, as: Word.self)
    }

    @inline(__always)
    private func append(_ number: Int, bytes: UnsafeRawBufferPointer) {
        let place = columns[number - 1].element(bytes.count)
        if let base = bytes.baseAddress { place.copyMemory(from: base, byteCount: bytes.count) }
    }

    func bindNull(_ number: Int) {
        let column = columns.baseAddress! + (number - 1)
        column.pointee.last = column.pointee.end
        column.pointee.count += 1
        column.pointee.hasNull = true
        column.pointee.room(4).storeBytes(of: -1, as: Int32.self)
    }

    /// The value is not one of the parameter's type: the statement has to be prepared with another.
    private func misfit(_ number: Int, _ type: Oid) {
        misfits[number] = type
        bindNull(number)
    }

    func bind(_ number: Int, _ value: Int64) {
        switch columns[number - 1].type {
        case PostgreSQLType.int8: append(number, word: value)
        case PostgreSQLType.int4:
            guard let small = Int32(exactly: value) else { return misfit(number, PostgreSQLType.int8) }
            append(number, word: small)
        case PostgreSQLType.int2:
            guard let small = Int16(exactly: value) else { return misfit(number, PostgreSQLType.int8) }
            append(number, word: small)
        case PostgreSQLType.bool:
            guard value == 0 || value == 1 else { return misfit(number, PostgreSQLType.int8) }
            append(number, word: UInt8(value))
        case PostgreSQLType.text, PostgreSQLType.varchar: bind(number, labels.label(of: value) ?? "\(value)")
        case PostgreSQLType.numeric: bind(number, decimal: Decimal(value))
        case PostgreSQLType.float8, PostgreSQLType.float4:
            guard Int64(exactly: Double(value)) == value else { return misfit(number, PostgreSQLType.int8) }
            bind(number, Double(value))
        case PostgreSQLType.timestamptz, PostgreSQLType.timestamp: bind(number, Double(value))
        default: misfit(number, PostgreSQLType.int8)
        }
    }

    @discardableResult
    func bind(_ number: Int, _ value: Double) -> Bool {
        append(number, double: value)
        return refusal == nil
    }

    private func append(_ number: Int, double value: Double) {
        switch columns[number - 1].type {
        case PostgreSQLType.float8: append(number, word: value.bitPattern)
        case PostgreSQLType.float4:
            // Compared with a `real` column, a number that is no `real` equals none of the column's values.
            guard Double(Float(value)) == value || value.isNaN else { return misfit(number, PostgreSQLType.float8) }
            append(number, word: Float(value).bitPattern)
        case PostgreSQLType.timestamptz, PostgreSQLType.timestamp: bind(number, date: value)
        case PostgreSQLType.numeric:
            // The digits that the number has when it is written.
            guard let decimal = Decimal(string: "\(value)") else { return misfit(number, PostgreSQLType.float8) }
            bind(number, decimal: decimal)
        case PostgreSQLType.text, PostgreSQLType.varchar: bind(number, "\(value)")
        case PostgreSQLType.int8, PostgreSQLType.int4, PostgreSQLType.int2, PostgreSQLType.bool:
            guard let whole = Int64(exactly: value) else { return misfit(number, PostgreSQLType.float8) }
            bind(number, whole)
        default: misfit(number, PostgreSQLType.float8)
        }
    }

    /// Seconds since 2001, to the microsecond, as microseconds since 2000.
    private func bind(_ number: Int, date seconds: Double) {
        let microseconds = (seconds * 1_000_000).rounded() + Self.yearOfLeap
        // PostgreSQL has no years before 4713 BC or after 294276.
        guard microseconds > -211_813_488_000_000_000, microseconds < 9_223_371_331_200_000_000 else {
            return refuse(
                number, "A date \(seconds) seconds from 2001 cannot be kept in PostgreSQL.",
                code: NSValidationDateTooLateError)
        }
        append(number, word: Int64(microseconds))
    }

    /// The seconds from 2001 that a date may be, to the microsecond: years from 4713 BC to 294276.
    static let dates = (-211_845_110_399.0)...(9_223_339_708_799.0)

    /// Microseconds of the year 2000, which had 366 days.
    static let yearOfLeap = 31_622_400_000_000.0

    func bind(_ number: Int, _ value: String) {
        var value = value
        value.withUTF8 { _ = bindText(number, at: UnsafeRawBufferPointer($0)) }
    }

    func bind(_ number: Int, _ value: Data) { value.withUnsafeBytes { _ = bindBlob(number, at: $0) } }

    func bind(_ number: Int, decimal: Decimal) {
        switch columns[number - 1].type {
        case PostgreSQLType.numeric:
            var bytes: [UInt8] = []
            PostgreSQLNumeric.append(decimal, to: &bytes)
            bytes.withUnsafeBytes { append(number, bytes: $0) }
        case PostgreSQLType.text, PostgreSQLType.varchar: bind(number, "\(decimal)")
        case PostgreSQLType.float8, PostgreSQLType.float4:
            let double = NSDecimalNumber(decimal: decimal).doubleValue
            guard Decimal(string: "\(double)") == decimal else { return misfit(number, PostgreSQLType.numeric) }
            bind(number, double)
        default: misfit(number, PostgreSQLType.numeric)
        }
    }

    @discardableResult
    func bindText(_ number: Int, at bytes: UnsafeRawBufferPointer) -> Bool {
        if fits(number, bytes) { append(number, text: bytes) }
        return refusal == nil
    }

    private func append(_ number: Int, text bytes: UnsafeRawBufferPointer) {
        switch columns[number - 1].type {
        case PostgreSQLType.text, PostgreSQLType.varchar:
            if bytes.contains(0) {
                return refuse(number, "A text with the character U+0000 cannot be kept in PostgreSQL.")
            }
            append(number, bytes: bytes)
        case PostgreSQLType.bytea: append(number, bytes: bytes)
        case PostgreSQLType.numeric where bytes.elementsEqual("NaN".utf8): bind(number, decimal: .nan)
        case PostgreSQLType.uuid:
            guard let uuid = UUID(uuidString: String(decoding: bytes, as: UTF8.self)) else {
                return misfit(number, PostgreSQLType.text)
            }
            bind(number, .uuid(uuid))
        default: misfit(number, PostgreSQLType.text)
        }
    }

    @discardableResult
    func bindBlob(_ number: Int, at bytes: UnsafeRawBufferPointer) -> Bool {
        guard fits(number, bytes) else { return false }
        switch columns[number - 1].type {
        case PostgreSQLType.bytea: append(number, bytes: bytes)
        case PostgreSQLType.uuid where bytes.count == 16: append(number, bytes: bytes)
        default: misfit(number, PostgreSQLType.bytea)
        }
        return refusal == nil
    }

    func bind(_ number: Int, list: [Int64]) {
        var place = columns[number - 1].element(20 + 12 * list.count)
        func put<Word: FixedWidthInteger>(_ word: Word) {
            place.storeBytes(of: word.bigEndian, as: Word.self)
            place += MemoryLayout<Word>.size
        }
        for word in [1, 0, Int32(PostgreSQLType.int8), Int32(list.count), 1] { put(word) }
        for key in list {
            put(Int32(8))
            put(key)
        }
    }
}
#endif
