import CoreData

/// A shelf, of an entity that another target's model holds.
open class Shelf: NSManagedObject {
    @NSManaged public var room: String?
    @NSManaged open var items: NSOrderedSet?
    /// How many things a shelf holds.
    public var count: Int { items?.count ?? 0 }
}

/// A colour, kept as its raw value.
public enum Colour: Int16, Sendable { case red, green, blue }
