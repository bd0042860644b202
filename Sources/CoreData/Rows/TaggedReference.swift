/// The hash of a key in a table of rows or objects.
struct KeyHash {
    private let bits: UInt64

    @inline(__always)
    init(_ key: Int64) { bits = UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15 }

    /// The first place of the key in a table.
    ///
    /// - Parameter mask: The number of the table's places, a power of two, less one.
    @inline(__always)
    func place(_ mask: Int) -> Int { Int(truncatingIfNeeded: bits >> 20) & mask }

    /// Eight bits of the hash, which are the highest ones.
    @inline(__always)
    fileprivate var tag: UInt64 { bits & 0xFF00_0000_0000_0000 }
}

/// An unretained reference in a hash table, with eight bits of the hash of its key.
///
/// A search compares these bits before it reads a key, which lies in the row or object. So it reads other rows and
/// objects in one of 256 cases, and each of these reads may have to wait for memory. The bits lie in the highest byte of
/// the address. No object of Swift has an address that uses it, because the runtime keeps bits of its own there.
struct TaggedReference: Equatable {
    private let bits: UInt64

    /// The content of a free place.
    static let free = TaggedReference(bits: 0)

    @inline(__always)
    private init(bits: UInt64) { self.bits = bits }

    @inline(__always)
    init(_ pointer: UnsafeMutableRawPointer, _ hash: KeyHash) {
        bits = UInt64(UInt(bitPattern: pointer)) | hash.tag
    }

    @inline(__always)
    var isFree: Bool { bits == 0 }

    /// The object; nil for a free place.
    @inline(__always)
    var pointer: UnsafeMutableRawPointer? {
        UnsafeMutableRawPointer(bitPattern: UInt(truncatingIfNeeded: bits & 0x00FF_FFFF_FFFF_FFFF))
    }

    /// Whether the object may have a key of the hash.
    @inline(__always)
    func mayHave(_ hash: KeyHash) -> Bool { (bits ^ hash.tag) >> 56 == 0 }
}
