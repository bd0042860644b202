import Foundation

// The time for which rows and objects are kept.
extension NSManagedObjectContext {
    /// The value of `retainsRegisteredObjects` unless a subclass overrides it.
    final var _retainsRegisteredObjects: Bool {
        get {
            checkConfinementOnceUsed()
            return settings.retainsRegisteredObjects
        }
        set {
            checkConfinementOnceUsed()
            settings.retainsRegisteredObjects = newValue
            for map in identityMaps { map?.setRetaining(newValue) }
        }
    }

    /// The value of `stalenessInterval` unless a subclass overrides it.
    final var _stalenessInterval: TimeInterval {
        get {
            checkConfinementOnceUsed()
            return settings.stalenessInterval
        }
        set {
            checkConfinementOnceUsed()
            settings.stalenessInterval = newValue
            if newValue > 0 { persistentStoreCoordinator?.trackRowAges() }
        }
    }

    /// Whether a row is too old for this context; one of unknown age is.
    final func isStale(_ key: ObjectKey, _ rootIndex: Int, _ coordinator: NSPersistentStoreCoordinator) -> Bool {
        guard settings.stalenessInterval > 0, let age = coordinator.cachedRowAge(for: key, rootIndex: rootIndex) else {
            return true
        }
        return age > settings.stalenessInterval
    }
}
