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
    fileprivate var tag: UInt64 { bits & TaggedReference.tagBits }
}

/// An unretained reference in a hash table, with eight bits of the hash of its key.
///
/// A search compares these bits before it reads a key, which lies in the row or object. So it reads other rows and
/// objects in one of 256 cases, and each of these reads may have to wait for memory. The bits lie in the highest byte
/// of the address, which Linux leaves free. Tools that search memory for addresses, such as the leak sanitizer, do not
/// find these references.
struct TaggedReference: Equatable {
    private let bits: UInt64

    #if os(Android)
    /// The allocator has tags of its own in addresses, so a reference has none.
    fileprivate static let tagBits: UInt64 = 0
    #else
    fileprivate static let tagBits: UInt64 = 0xFF00_0000_0000_0000
    #endif

    /// The content of a free place.
    static let free = TaggedReference(bits: 0)

    @inline(__always)
    private init(bits: UInt64) { self.bits = bits }

    @inline(__always)
    init(_ pointer: UnsafeMutableRawPointer, _ hash: KeyHash) {
        let address = UInt64(UInt(bitPattern: pointer))
        require(address & Self.tagBits == 0, "An allocator that tags addresses is not supported")
        bits = address | hash.tag
    }

    /// The content of a place that had an object. Searches go on behind it.
    static let removed = TaggedReference(bits: 1)

    @inline(__always)
    var isFree: Bool { bits == 0 }

    @inline(__always)
    var isRemoved: Bool { bits == 1 }

    /// The object; nil for a free place, and for one that had an object.
    @inline(__always)
    var pointer: UnsafeMutableRawPointer? {
        bits > 1 ? UnsafeMutableRawPointer(bitPattern: UInt(truncatingIfNeeded: bits & ~Self.tagBits)) : nil
    }

    /// The object, if it may have a key of the hash.
    @inline(__always)
    func pointer(of hash: KeyHash) -> UnsafeMutableRawPointer? { mayHave(hash) ? pointer : nil }

    /// Whether the object may have a key of the hash.
    @inline(__always)
    func mayHave(_ hash: KeyHash) -> Bool { (bits ^ hash.tag) & Self.tagBits == 0 }
}
