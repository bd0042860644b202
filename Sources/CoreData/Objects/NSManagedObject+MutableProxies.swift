import Foundation

/// Live collections of a to-many relationship. A change of the collection changes the relationship and its inverse, and
/// a change of the relationship shows in the collection.
extension NSManagedObject {
    /// Does the work of `mutableSetValue(forKey:)` unless a subclass overrides it.
    final func _mutableSetValue(forKey key: String) -> NSMutableSet {
        guard case .toMany(let index)? = binding.layout.access[key], !binding.layout.toManys[index].isOrdered else {
            rejectProxy("mutableSetValueForKey", key)
        }
        return RelationshipSet(owner: self, index: index)
    }

    /// Does the work of `mutableOrderedSetValue(forKey:)` unless a subclass overrides it.
    final func _mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
        guard case .toMany(let index)? = binding.layout.access[key], binding.layout.toManys[index].isOrdered else {
            rejectProxy("mutableOrderedSetValueForKey", key)
        }
        return RelationshipOrderedSet(owner: self, index: index)
    }

    /// Does the work of `mutableSetValue(forKeyPath:)` unless a subclass overrides it.
    final func _mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
        let (object, key) = lastStep(of: keyPath)
        return object.mutableSetValue(forKey: key)
    }

    /// Does the work of `mutableOrderedSetValue(forKeyPath:)` unless a subclass overrides it.
    final func _mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
        let (object, key) = lastStep(of: keyPath)
        return object.mutableOrderedSetValue(forKey: key)
    }

    private func lastStep(of keyPath: String) -> (NSManagedObject, String) {
        guard let dot = keyPath.lastIndex(of: ".") else { return (self, keyPath) }
        guard let object = value(forKeyPath: String(keyPath[..<dot])) as? NSManagedObject else {
            fatalError(
                "The key path '\(keyPath)' of entity '\(binding.layout.name)' does not lead to an object before its last key"
            )
        }
        return (object, String(keyPath[keyPath.index(after: dot)...]))
    }

    private func rejectProxy(_ method: String, _ key: String) -> Never {
        fatalError(
            "NSManagedObjects of entity '\(binding.layout.name)' do not support -\(method): for the property '\(key)'")
    }
}

extension NSManagedObject {
    /// Returns a new member of a relationship as a managed object; stops the process when it is not one.
    final func requireManagedObject(_ object: Any, of index: Int) -> NSManagedObject {
        if let object = object as? NSManagedObject { return object }
        fatalError(
            """
            Unacceptable type of value for to-many relationship: property = \
            "\(binding.layout.toManys[index].relationship.name)"; given type = \(type(of: object)); \
            entity = \(binding.layout.name).
            """)
    }
}
