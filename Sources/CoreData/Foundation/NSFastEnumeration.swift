import Foundation

/// Objects with members over which ``NSFastEnumerationIterator`` iterates.
///
/// On a Mac the runtime of Objective-C iterates over them, and the protocol has another requirement.
///
/// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsfastenumeration)
public protocol NSFastEnumeration: AnyObject {
    /// The members, one after the other: of a dictionary its keys. OpenCoreData only.
    var enumeratedMembers: AnyIterator<Any> { get }
}

/// An iterator over the members of an object: the elements of a collection, the entities of a model, the properties of
/// an entity.
///
/// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsfastenumerationiterator)
public struct NSFastEnumerationIterator: IteratorProtocol {
    private let members: AnyIterator<Any>

    /// Creates an iterator at the first member of an object.
    ///
    /// - Parameter enumerable: The object. Do not change it during the iteration.
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
