#if PostgreSQL
    import CPostgreSQL
    import CoreData
    import Foundation

    /// The parameters of a statement for many rows: a column of values for each, in the binary form of its type.
    ///
    /// A column is what an array of its type holds. A statement for one row takes the only element.
    final class PostgreSQLParameters: SQLParameters {
        private struct Column {
            let type: Oid
            /// Every element with its length before it, as arrays have it.
            var bytes: [UInt8] = []
            /// Where the last element begins, with its length.
            var last = 0
            var count = 0
            var hasNull = false
        }

        private var columns: [Column]
        private let labels: EntityLabels
        /// Parameters whose values do not fit into the types that the server has chosen, and the types that they need.
        private(set) var misfits: [Int: Oid] = [:]
        /// What cannot be written at all.
        private(set) var failure: NSError?

        init(types: [Oid], labels: EntityLabels) {
            columns = types.map { Column(type: $0) }
            self.labels = labels
        }

        // MARK: Rows

        /// Ends a row: a parameter that was not bound keeps the value that it had for the row before.
        func endRow(_ number: Int) {
            for place in columns.indices where columns[place].count <= number {
                if columns[place].count == 0 {
                    bindNull(place + 1)
                } else {
                    let element = columns[place].bytes[columns[place].last...]
                    columns[place].last = columns[place].bytes.count
                    columns[place].bytes += element
                    columns[place].count += 1
                }
            }
        }

        /// The only value of each parameter; nil for NULL.
        func values() -> [[UInt8]?] {
            columns.map { column in
                guard column.count > 0, !column.hasNull else { return nil }
                return Array(column.bytes[(column.last + 4)...])
            }
        }

        /// The values of each parameter for some rows, as arrays.
        func arrays(_ count: Int) -> [[UInt8]] {
            columns.map { column in
                var bytes: [UInt8] = []
                bytes.reserveCapacity(column.bytes.count + 20)
                for word in [1, column.hasNull ? 1 : 0, Int32(column.type), Int32(count), 1] {
                    bytes.append(word: word)
                }
                return bytes + column.bytes
            }
        }

        // MARK: Values

        private func append(_ number: Int, _ count: Int, _ write: (inout [UInt8]) -> Void) {
            let place = number - 1
            columns[place].last = columns[place].bytes.count
            columns[place].bytes.append(word: Int32(count))
            write(&columns[place].bytes)
            columns[place].count += 1
        }

        func bindNull(_ number: Int) {
            append(number, -1) { _ in }
            columns[number - 1].hasNull = true
        }

        /// The value is not one of the parameter's type: the statement has to be prepared with another.
        private func misfit(_ number: Int, _ type: Oid) {
            misfits[number] = type
            bindNull(number)
        }

        func bind(_ number: Int, _ value: Int64) {
            switch columns[number - 1].type {
            case PostgreSQLType.int8: append(number, 8) { $0.append(big: UInt64(bitPattern: value)) }
            case PostgreSQLType.int4:
                guard let small = Int32(exactly: value) else { return misfit(number, PostgreSQLType.int8) }
                append(number, 4) { $0.append(word: small) }
            case PostgreSQLType.int2:
                guard let small = Int16(exactly: value) else { return misfit(number, PostgreSQLType.int8) }
                append(number, 2) { bytes in
                    bytes.append(UInt8(truncatingIfNeeded: small >> 8))
                    bytes.append(UInt8(truncatingIfNeeded: small))
                }
            case PostgreSQLType.bool:
                guard value == 0 || value == 1 else { return misfit(number, PostgreSQLType.int8) }
                append(number, 1) { $0.append(UInt8(value)) }
            case PostgreSQLType.text, PostgreSQLType.varchar: bind(number, labels.label(of: value) ?? "\(value)")
            case PostgreSQLType.numeric: bind(number, decimal: Decimal(value))
            default: bind(number, Double(value))
            }
        }

        func bind(_ number: Int, _ value: Double) {
            switch columns[number - 1].type {
            case PostgreSQLType.float8: append(number, 8) { $0.append(big: value.bitPattern) }
            case PostgreSQLType.float4:
                append(number, 4) { $0.append(word: Int32(bitPattern: Float(value).bitPattern)) }
            case PostgreSQLType.timestamptz, PostgreSQLType.timestamp: bind(number, date: value)
            case PostgreSQLType.numeric: bind(number, decimal: Decimal(value))
            case PostgreSQLType.text, PostgreSQLType.varchar: bind(number, "\(value)")
            default:
                guard let whole = Int64(exactly: value) else { return misfit(number, PostgreSQLType.float8) }
                bind(number, whole)
            }
        }

        /// Seconds since 2001, to the microsecond, as microseconds since 2000.
        private func bind(_ number: Int, date seconds: Double) {
            let microseconds = (seconds * 1_000_000).rounded() + Self.yearOfLeap
            // Years before 4713 BC and behind 294276 are none of PostgreSQL's.
            guard microseconds > -211_813_488_000_000_000, microseconds < 9_223_371_331_200_000_000 else {
                failure = .coreData(
                    NSValidationDateTooLateError,
                    reason: "A date \(seconds) seconds from 2001 cannot be kept in PostgreSQL.")
                return bindNull(number)
            }
            append(number, 8) { $0.append(big: UInt64(bitPattern: Int64(microseconds))) }
        }

        /// The seconds from 2001 that a date may be, to the microsecond: years from 4713 BC to 294276.
        static let dates = (-211_845_110_399.0)...(9_223_339_708_799.0)

        /// Microseconds of the year 2000, which had 366 days.
        static let yearOfLeap = 31_622_400_000_000.0

        func bind(_ number: Int, _ value: String) {
            var value = value
            value.withUTF8 { bindText(number, at: UnsafeRawBufferPointer($0)) }
        }

        func bind(_ number: Int, _ value: Data) { value.withUnsafeBytes { bindBlob(number, at: $0) } }

        func bind(_ number: Int, decimal: Decimal) {
            switch columns[number - 1].type {
            case PostgreSQLType.numeric:
                var bytes: [UInt8] = []
                PostgreSQLNumeric.append(decimal, to: &bytes)
                append(number, bytes.count) { $0 += bytes }
            case PostgreSQLType.text, PostgreSQLType.varchar: bind(number, "\(decimal)")
            case PostgreSQLType.float8, PostgreSQLType.float4:
                bind(number, NSDecimalNumber(decimal: decimal).doubleValue)
            default: misfit(number, PostgreSQLType.numeric)
            }
        }

        func bind(_ number: Int, _ value: SlotValue) {
            switch value {
            case .null: bindNull(number)
            case .int(let value): bind(number, value)
            case .double(let value): bind(number, value)
            case .string(let value): bind(number, value)
            case .data(let value): bind(number, value)
            case .uuid(let value): withUnsafeBytes(of: value.uuid) { bindBlob(number, at: $0) }
            case .decimal(let value): bind(number, decimal: value)
            }
        }

        func bindText(_ number: Int, at bytes: UnsafeRawBufferPointer) {
            switch columns[number - 1].type {
            case PostgreSQLType.text, PostgreSQLType.varchar:
                if bytes.contains(0) {
                    failure = .coreData(
                        NSManagedObjectValidationError,
                        reason: "A text with the character U+0000 cannot be kept in PostgreSQL.")
                    return bindNull(number)
                }
                append(number, bytes.count) { $0 += bytes }
            case PostgreSQLType.bytea: append(number, bytes.count) { $0 += bytes }
            case PostgreSQLType.numeric where bytes.elementsEqual("NaN".utf8): bind(number, decimal: .nan)
            case PostgreSQLType.uuid:
                guard let uuid = UUID(uuidString: String(decoding: bytes, as: UTF8.self)) else {
                    return misfit(number, PostgreSQLType.text)
                }
                bind(number, .uuid(uuid))
            default: misfit(number, PostgreSQLType.text)
            }
        }

        func bindBlob(_ number: Int, at bytes: UnsafeRawBufferPointer) {
            switch columns[number - 1].type {
            case PostgreSQLType.bytea: append(number, bytes.count) { $0 += bytes }
            case PostgreSQLType.uuid where bytes.count == 16: append(number, 16) { $0 += bytes }
            default: misfit(number, PostgreSQLType.bytea)
            }
        }

        func bind(_ number: Int, list: [Int64]) {
            append(number, 20 + 12 * list.count) { bytes in
                for word in [1, 0, Int32(PostgreSQLType.int8), Int32(list.count), 1] { bytes.append(word: word) }
                for key in list {
                    bytes.append(word: 8)
                    bytes.append(big: UInt64(bitPattern: key))
                }
            }
        }
    }

    extension [UInt8] {
        mutating func append(word: Int32) { Swift.withUnsafeBytes(of: word.bigEndian) { append(contentsOf: $0) } }

        mutating func append(big word: UInt64) { Swift.withUnsafeBytes(of: word.bigEndian) { append(contentsOf: $0) } }
    }
#endif
