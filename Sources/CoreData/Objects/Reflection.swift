import Foundation

// Reflection shows what `description` says and nothing behind it: following an object's references would walk through
// the context, the model and half of the store, off any queue.
extension NSManagedObject: CustomReflectable {
    /// No children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}

extension NSManagedObjectID: CustomReflectable {
    /// No children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}

extension NSManagedObjectContext: CustomReflectable {
    /// No children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}

extension NSPersistentStoreCoordinator: CustomReflectable {
    /// No children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}
