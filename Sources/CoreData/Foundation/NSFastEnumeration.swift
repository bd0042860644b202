import Foundation

/// Objects with members that ``NSFastEnumerationIterator`` goes through.
///
/// On a Mac the runtime of Objective-C goes through them, and the protocol has another requirement.
///
/// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsfastenumeration)
public protocol NSFastEnumeration: AnyObject {
    /// The members, one after the other: of a dictionary its keys. OpenCoreData only.
    var enumeratedMembers: AnyIterator<Any> { get }
}

/// An iterator through the members of an object: of a collection its elements, of a model its entities, of an entity
/// its properties.
///
/// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsfastenumerationiterator)
public struct NSFastEnumerationIterator: IteratorProtocol {
    private let members: AnyIterator<Any>

    /// Creates an iterator at the first member of an object.
    ///
    /// - Parameter enumerable: The object. Do not change it while its members are gone through.
    public init(_ enumerable: any NSFastEnumeration) {
        members = enumerable.enumeratedMembers
    }

    /// Returns the next member; nil after the last one.
    public func next() -> Any? { members.next() }
}

extension NSFastEnumeration where Self: Sequence {
    /// The elements, in the order of the sequence.
    public var enumeratedMembers: AnyIterator<Any> { AnyIterator(lazy.map { $0 as Any }.makeIterator()) }
}

extension NSArray: NSFastEnumeration {}
extension NSSet: NSFastEnumeration {}
extension NSOrderedSet: NSFastEnumeration {}
extension NSEnumerator: NSFastEnumeration {}

extension NSDictionary: NSFastEnumeration {
    /// The keys.
    public var enumeratedMembers: AnyIterator<Any> { AnyIterator(lazy.map { $0.key as Any }.makeIterator()) }
}

extension NSManagedObjectModel: NSFastEnumeration {
    /// The entities.
    public var enumeratedMembers: AnyIterator<Any> { (entities as NSArray).enumeratedMembers }
}

extension NSEntityDescription: NSFastEnumeration {
    /// The properties, also the inherited ones.
    public var enumeratedMembers: AnyIterator<Any> { (properties as NSArray).enumeratedMembers }
}
