import Foundation

/// A row of ``NSManagedObjectContext/fetch(_:properties:_:)`` while it is read.
///
/// OpenCoreData only. The initialisers of ``FetchedValue`` read from it. It is valid only during the call.
public final class FetchedRow {
    let names: [String]
    /// The kinds of the columns that are read from `row`; nil for those that `boxed` reads.
    private let kinds: [SlotKind?]
    let row: (any FetchedColumns)?
    private let places: [Int]
    private let boxed: (Int) throws -> Any?

    /// A row of a statement, which shows each row of the results in turn.
    package init(
        names: [String], kinds: [SlotKind?], row: any FetchedColumns, places: [Int],
        boxed: @escaping (Int) throws -> Any?
    ) {
        self.names = names
        self.kinds = kinds
        self.row = row
        self.places = places
        self.boxed = boxed
    }

    /// A row whose values are in a dictionary.
    init(names: [String], values: NSDictionary) {
        self.names = names
        kinds = []
        row = nil
        places = []
        boxed = { values.object(forKey: names[$0]) }
    }

    /// Whether a column has no value.
    @inline(__always)
    func isNull(_ place: Int) throws -> Bool {
        if let row { return row.isNull(places[place]) }
        return try boxed(place) == nil
    }

    /// The statement's row and the column in it, if values of the kind can be read there.
    @inline(__always)
    private func source(of place: Int, _ kind: SlotKind) -> (row: any FetchedColumns, place: Int)? {
        guard let row, kinds[place] == kind else { return nil }
        return (row, places[place])
    }

    @inline(__always)
    func integer(_ place: Int) -> Int64? { source(of: place, .integer).map { $0.row.int64($0.place) } }

    @inline(__always)
    func boolean(_ place: Int) -> Bool? { source(of: place, .boolean).map { $0.row.int64($0.place) != 0 } }

    @inline(__always)
    func double(_ place: Int, _ kind: SlotKind) -> Double? { source(of: place, kind).map { $0.row.double($0.place) } }

    @inline(__always)
    func string(_ place: Int) -> String? { source(of: place, .string).map { $0.row.string($0.place) } }

    /// The value as a program would get it from a dictionary.
    func value<Value>(_ place: Int, as type: Value.Type) throws -> Value {
        guard let found = try boxed(place) else { throw missing(place, type) }
        guard let value = found as? Value else {
            throw NSError.coreData(
                NSCoreDataError,
                reason: "The property “\(names[place])” has a value of type \(Swift.type(of: found)), not \(type)")
        }
        return value
    }

    /// The error for a column without a value where the program's type has no nil.
    func missing(_ place: Int, _ type: Any.Type) -> NSError {
        NSError.coreData(
            NSCoreDataError,
            reason: "The property “\(names[place])” has no value in a row, and \(type) is not optional")
    }

    /// The error for a raw value that has no case.
    func unknown(_ place: Int, _ raw: some Any, _ type: Any.Type) -> NSError {
        NSError.coreData(
            NSCoreDataError, reason: "The value \(raw) of the property “\(names[place])” is no value of \(type)")
    }

    /// The error for a number that the program's type cannot hold.
    func outOfRange(_ place: Int, _ number: Int64, _ type: Any.Type) -> NSError {
        NSError.coreData(
            NSCoreDataError, reason: "The value \(number) of the property “\(names[place])” is too large for \(type)")
    }
}

/// A type of the values that ``NSManagedObjectContext/fetch(_:properties:_:)`` reads: the types of attributes and their
/// optionals.
///
/// OpenCoreData only.
public protocol FetchedValue {
    /// Reads the value of a column.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - place: The place of the column among the properties that are fetched.
    /// - Throws: `NSCoreDataError` if the value is missing or has another type.
    init(_ row: FetchedRow, at place: Int) throws
}

extension Optional: FetchedValue where Wrapped: FetchedValue {
    /// Reads the value of a column; nil if it has none.
    public init(_ row: FetchedRow, at place: Int) throws {
        self = try row.isNull(place) ? nil : Wrapped(row, at: place)
    }
}

extension String: FetchedValue {
    /// Reads the text in a column.
    public init(_ row: FetchedRow, at place: Int) throws {
        if try row.isNull(place) { throw row.missing(place, Self.self) }
        self = try row.string(place) ?? row.value(place, as: Self.self)
    }
}

/// Numbers without a value are 0, as properties of managed objects show them.
extension FetchedValue where Self: FixedWidthInteger {
    /// Reads the number in a column; 0 if it has none.
    public init(_ row: FetchedRow, at place: Int) throws {
        if try row.isNull(place) {
            self = 0
        } else {
            let number = try row.integer(place) ?? row.value(place, as: NSNumber.self).int64Value
            guard let value = Self(exactly: number) else { throw row.outOfRange(place, number, Self.self) }
            self = value
        }
    }
}

extension Int: FetchedValue {}
extension Int16: FetchedValue {}
extension Int32: FetchedValue {}
extension Int64: FetchedValue {}

extension FetchedValue where Self: RawRepresentable, RawValue: FetchedValue {
    /// Reads the raw value in a column. An enumeration conforms by its declaration alone.
    public init(_ row: FetchedRow, at place: Int) throws {
        let raw = try RawValue(row, at: place)
        guard let value = Self(rawValue: raw) else { throw row.unknown(place, raw, Self.self) }
        self = value
    }
}

extension Bool: FetchedValue {
    /// Reads the truth value in a column; false if it has none.
    public init(_ row: FetchedRow, at place: Int) throws {
        self = try !row.isNull(place) && (row.boolean(place) ?? row.value(place, as: NSNumber.self).boolValue)
    }
}

extension Double: FetchedValue {
    /// Reads the number in a column; 0 if it has none.
    public init(_ row: FetchedRow, at place: Int) throws {
        if try row.isNull(place) {
            self = 0
        } else {
            self = try row.double(place, .double) ?? row.value(place, as: NSNumber.self).doubleValue
        }
    }
}

extension Float: FetchedValue {
    /// Reads the number in a column; 0 if it has none.
    public init(_ row: FetchedRow, at place: Int) throws {
        if try row.isNull(place) {
            self = 0
        } else {
            self = try row.double(place, .float).map { Float($0) } ?? row.value(place, as: NSNumber.self).floatValue
        }
    }
}

extension Date: FetchedValue {
    /// Reads the date in a column.
    public init(_ row: FetchedRow, at place: Int) throws {
        if try row.isNull(place) { throw row.missing(place, Self.self) }
        self =
            try row.double(place, .date).map { Date(timeIntervalSinceReferenceDate: $0) }
            ?? row.value(place, as: Self.self)
    }
}

extension Data: FetchedValue {
    /// Reads the bytes in a column.
    public init(_ row: FetchedRow, at place: Int) throws {
        self = try row.value(place, as: Self.self)
    }
}

extension UUID: FetchedValue {
    /// Reads the identifier in a column.
    public init(_ row: FetchedRow, at place: Int) throws {
        self = try row.value(place, as: Self.self)
    }
}

extension URL: FetchedValue {
    /// Reads the address in a column.
    public init(_ row: FetchedRow, at place: Int) throws {
        self = try row.value(place, as: Self.self)
    }
}

extension Decimal: FetchedValue {
    /// Reads the decimal number in a column; 0 if it has none.
    public init(_ row: FetchedRow, at place: Int) throws {
        self = try row.isNull(place) ? 0 : row.value(place, as: NSDecimalNumber.self).decimalValue
    }
}
