/// Whether a class has its own `validateValue(_:forKey:)`. Only then a save boxes every value of every object and calls
/// the method.
///
/// Swift has no query for that. But a class's metadata have a vtable of its methods, its superclass's first and in the
/// superclass's order. The method's vtable slot is the one in which a class that overrides only this method differs
/// from a class that overrides nothing.
enum ValidationHook {
    private final class Plain: NSManagedObject {}

    private final class Hooked: NSManagedObject {
        override func validateValue(
            _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
        ) throws {
            try super.validateValue(value, forKey: key)
        }
    }

    /// The words of a class's metadata from its address on: kind, superclass, sizes and, from the eighth word, members.
    private static func words(of type: NSManagedObject.Type) -> UnsafePointer<UInt> {
        UnsafePointer<UInt>(unsafeBitCast(type, to: OpaquePointer.self))
    }

    /// The vtable slot of the method. Nil if the metadata are not as expected: then every subclass counts as having its
    /// own method.
    private static let place: Int? = {
        let base = words(of: NSManagedObject.self)
        let sizes = UnsafeRawPointer(base).load(fromByteOffset: 32, as: (size: UInt32, addressPoint: UInt32).self)
        guard MemoryLayout<UInt>.size == 8, sizes.size > sizes.addressPoint else { return nil }
        let end = Int(sizes.size - sizes.addressPoint) / 8
        guard (8..<4096).contains(end) else { return nil }
        let (plain, hooked) = (words(of: Plain.self), words(of: Hooked.self))
        let places = (7..<end).filter { plain[$0] == base[$0] && hooked[$0] != base[$0] }
        return places.count == 1 ? places[0] : nil
    }()

    /// Whether a save calls the validation method for objects of the class.
    static func isOverridden(by type: NSManagedObject.Type) -> Bool {
        if type == NSManagedObject.self { return false }
        guard let place else { return true }
        return words(of: type)[place] != words(of: NSManagedObject.self)[place]
    }
}
