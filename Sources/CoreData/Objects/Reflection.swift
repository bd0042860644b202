import Foundation

// Reflection shows the `description` only. Following an object's references would walk through the context, the model
// and half of the store, off any queue.
extension NSManagedObject: CustomReflectable {
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}

extension NSManagedObjectID: CustomReflectable {
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}

extension NSManagedObjectContext: CustomReflectable {
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}

extension NSPersistentStoreCoordinator: CustomReflectable {
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}
