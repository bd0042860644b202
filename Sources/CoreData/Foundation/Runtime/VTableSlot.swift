/// The vtable slot of one method, which shows the classes that override the method.
///
/// A class's metadata hold a pointer to each method. If a class has the framework's pointer in the slot, it does not
/// override the method. The slot is found with two classes that differ in that method alone. If it is not found, every
/// class counts as one that overrides.
struct VTableSlot: @unchecked Sendable {  // immutable
    private let base: AnyClass
    private let place: Int?

    /// - Parameters:
    ///   - base: The class that declares the method.
    ///   - same: A subclass that overrides nothing.
    ///   - other: A subclass that overrides this method alone.
    init(in base: AnyClass, same: AnyClass, other: AnyClass) {
        self.base = base
        #if _runtime(_ObjC)
        place = nil
        #else
        // The fourth word has the size of the metadata, and the size of the part before the first word.
        let sizes = Self.word(base, 4)
        let words = (Int(sizes & 0xFFFF_FFFF) - Int(sizes >> 32)) / 8
        guard words > 7, words < 1_000 else {
            place = nil
            return
        }
        let places = (7..<words).filter {
            Self.word(other, $0) != Self.word(base, $0) && Self.word(same, $0) == Self.word(base, $0)
        }
        place = places.count == 1 ? places[0] : nil
        #endif
    }

    /// Whether a class, or one between it and the class that declares the method, overrides the method.
    func isOverridden(by type: AnyClass) -> Bool {
        if type == base { return false }
        guard let place else { return true }
        return Self.word(type, place) != Self.word(base, place)
    }

    private static func word(_ type: AnyClass, _ place: Int) -> UInt {
        unsafeBitCast(type, to: UnsafePointer<UInt>.self)[place]
    }
}
