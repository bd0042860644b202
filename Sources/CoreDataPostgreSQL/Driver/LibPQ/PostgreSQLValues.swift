#if PostgreSQL
import CPostgreSQL

/// The values of a statement's parameters, as pointers into memory in the form that libpq expects.
struct PostgreSQLValues {
    private(set) var pointers: [UnsafePointer<CChar>?] = []
    private(set) var lengths: [Int32] = []
    /// The objects that own the memory.
    private var owners: [AnyObject]

    /// None yet.
    init(in owner: AnyObject? = nil) { owners = owner.map { [$0] } ?? [] }

    /// Appends a value; nil for NULL.
    mutating func append(_ bytes: UnsafeMutableRawPointer?, _ count: Int) {
        pointers.append(bytes.map { UnsafePointer($0.assumingMemoryBound(to: CChar.self)) })
        lengths.append(bytes == nil ? 0 : Int32(count))
    }

    static func + (first: Self, second: Self) -> Self {
        var both = first
        both.pointers += second.pointers
        both.lengths += second.lengths
        both.owners += second.owners
        return both
    }

    /// Calls a body with how many there are, the values, their lengths and their formats, all of which are binary.
    func passed<Result>(
        _ body: (Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?)
            throws -> Result
    ) rethrows -> Result {
        let formats = [Int32](repeating: 1, count: pointers.count)
        return try withExtendedLifetime(owners) {
            try pointers.withUnsafeBufferPointer { pointers in
                try lengths.withUnsafeBufferPointer { lengths in
                    try formats.withUnsafeBufferPointer { formats in
                        try body(
                            Int32(pointers.count), pointers.baseAddress, lengths.baseAddress, formats.baseAddress)
                    }
                }
            }
        }
    }
}
#endif
