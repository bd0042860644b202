/// Whether a class has its own `validateValue(_:forKey:)`. Only then a save boxes every value of every object and asks.
///
/// Swift cannot tell. But a class's metadata hold its methods, its superclass's first and in the superclass's order.
/// This method is at the place where a class that overrides only this method differs from one that overrides nothing.
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

    /// The place of the method; nil if the metadata are not as expected: then every subclass counts as having its own.
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

    /// Whether objects of the class are to be asked about their values.
    static func isOverridden(by type: NSManagedObject.Type) -> Bool {
        if type == NSManagedObject.self { return false }
        guard let place else { return true }
        return words(of: type)[place] != words(of: NSManagedObject.self)[place]
    }
}
