import CoreData
import Shelves

/// A book, written by hand.
public class Book: NSManagedObject {
    /// How a book is written; kept as text.
    public enum Language: String { case english, welsh }
    public typealias Words = [String]

    @NSManaged public var title: String?  // several on a line follow
    @NSManaged public internal(set) var identifier: UUID?, price: NSDecimalNumber?
    @NSManaged public var pages: Int?
    @NSManaged public var colour: Colour
    @NSManaged public var language: Language?
    @NSManaged public var keywords: Words?
    @NSManaged private var secret: String?
    #if os(Linux)
    @NSManaged public var author: Author?
    #else
    @NSManaged public var author: NSManagedObject?
    #endif
    @NSManaged public var tags: Set<Tag>?

    /// A word that only this file can change.
    public var word: String {
        get { secret ?? "" }
        set { secret = newValue }
    }
}

extension Book {
    @NSManaged public var shelf: Shelves.Shelf?
    @NSManaged public func addToTags(_ value: Tag)
    @NSManaged public func addToTags(_ values: NSSet)
    @NSManaged public func removeFromTags(_ value: Tag)
    /* @NSManaged var commented: Int */
    @NSManaged var primitiveTitle: String?
}

public class Tag: NSManagedObject {}

extension Shelf {
    @NSManaged public func insertIntoItems(_ value: Book, at index: Int)
    @NSManaged public func addToItems(_ values: NSOrderedSet)
    @NSManaged public func removeFromItems(at index: Int)
    @NSManaged public func replaceItems(at index: Int, with value: Book)
}
