import Foundation

/// Live collections of a to-many relationship: what is added to them or removed from them is added to the relationship
/// or removed from it, and the inverses follow; what the relationship gains or loses shows in them.
extension NSManagedObject {
    /// What `mutableSetValue(forKey:)` does unless a subclass overrides it.
    final func plainMutableSetValue(forKey key: String) -> NSMutableSet {
        guard case .toMany(let index)? = home.layout.access[key], !home.layout.toManys[index].isOrdered else {
            rejectProxy("mutableSetValueForKey", key)
        }
        return RelationshipSet(owner: self, index: index)
    }

    /// What `mutableOrderedSetValue(forKey:)` does unless a subclass overrides it.
    final func plainMutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
        guard case .toMany(let index)? = home.layout.access[key], home.layout.toManys[index].isOrdered else {
            rejectProxy("mutableOrderedSetValueForKey", key)
        }
        return RelationshipOrderedSet(owner: self, index: index)
    }

    /// What `mutableSetValue(forKeyPath:)` does unless a subclass overrides it.
    final func plainMutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
        let (object, key) = lastStep(of: keyPath)
        return object.mutableSetValue(forKey: key)
    }

    /// What `mutableOrderedSetValue(forKeyPath:)` does unless a subclass overrides it.
    final func plainMutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
        let (object, key) = lastStep(of: keyPath)
        return object.mutableOrderedSetValue(forKey: key)
    }

    private func lastStep(of keyPath: String) -> (NSManagedObject, String) {
        guard let dot = keyPath.lastIndex(of: ".") else { return (self, keyPath) }
        guard let object = value(forKeyPath: String(keyPath[..<dot])) as? NSManagedObject else {
            fatalError(
                "The key path '\(keyPath)' of entity '\(home.layout.name)' does not lead to an object before its last key"
            )
        }
        return (object, String(keyPath[keyPath.index(after: dot)...]))
    }

    private func rejectProxy(_ method: String, _ key: String) -> Never {
        fatalError(
            "NSManagedObjects of entity '\(home.layout.name)' do not support -\(method): for the property '\(key)'")
    }
}

extension NSManagedObject {
    /// The object that is to become a member of a relationship; stops the process when it is none.
    final func requireManagedObject(_ object: Any, of index: Int) -> NSManagedObject {
        if let object = object as? NSManagedObject { return object }
        fatalError(
            """
            Unacceptable type of value for to-many relationship: property = \
            "\(home.layout.toManys[index].relationship.name)"; given type = \(type(of: object)); \
            entity = \(home.layout.name).
            """)
    }
}
