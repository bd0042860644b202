import Foundation

// How long rows and objects are kept.
extension NSManagedObjectContext {
    /// Whether the context holds every object it knows. Otherwise (the default) it holds those with unsaved changes only.
    public final var retainsRegisteredObjects: Bool {
        get {
            checkConfinementOnceUsed()
            return storedRetainsRegisteredObjects
        }
        set {
            checkConfinementOnceUsed()
            storedRetainsRegisteredObjects = newValue
            for map in identityMaps { map?.setRetaining(newValue) }
        }
    }

    /// How old, in seconds, a row of the coordinator's cache may be to make a fault real; an older one is read from the
    /// store. Negative (-1 in a new context) for any age, 0 for none. A child reads through its parent, by the parent's
    /// interval.
    public final var stalenessInterval: TimeInterval {
        get {
            checkConfinementOnceUsed()
            return storedStalenessInterval
        }
        set {
            checkConfinementOnceUsed()
            storedStalenessInterval = newValue
            if newValue > 0 { persistentStoreCoordinator?.trackRowAges() }
        }
    }

    /// Whether a row is too old for this context; one of unknown age is.
    final func isStale(_ key: ObjectKey, _ rootIndex: Int, _ coordinator: NSPersistentStoreCoordinator) -> Bool {
        guard storedStalenessInterval > 0, let age = coordinator.cachedRowAge(for: key, rootIndex: rootIndex) else {
            return true
        }
        return age > storedStalenessInterval
    }
}
