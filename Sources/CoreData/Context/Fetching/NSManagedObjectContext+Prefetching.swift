import Foundation

// Reads the rows and relationships of many objects at once. A prefetched object stays a fault until it is used.
extension NSManagedObjectContext {
    /// Reads the objects behind to-one and to-many key paths, with few requests for each of their names. Throws the
    /// store's error if they cannot be read.
    final func prefetch(_ keyPaths: [String], of objects: [NSManagedObject]) throws {
        if keyPaths.isEmpty { return }
        recentObjects.prefetched = []
        for keyPath in keyPaths {
            var level = objects
            for name in keyPath.split(separator: ".").map(String.init) {
                level = try prefetchLevel(name, of: level)
                if level.isEmpty { break }
            }
        }
    }

    /// Reads the objects that one relationship leads to, and returns them.
    final func prefetchLevel(_ name: String, of objects: [NSManagedObject]) throws -> [NSManagedObject] {
        var destinations: [NSManagedObject] = []
        var toManyOwners: [(index: Int, object: NSManagedObject)] = []
        let hasUnsavedRows = rowSource?.hasUnsavedRows ?? false
        var latest: (layout: EntityLayout, access: PropertyAccess?)?
        // Many objects lead to few: the keys that were met, by the entity that the relationship names.
        var met: [(entity: Int, keys: KeySet)] = []
        objects.eachWithRowAhead { object in
            let layout = object.binding.layout
            // Mostly all are of one entity.
            if latest?.layout !== layout { latest = (layout, layout.access[name]) }
            switch latest?.access {
            case .toOne(let slot)?:
                // Nothing in the closure releases the object's row.
                let reference = object.heldRow?._withUnsafeGuaranteedRef { object.reference(at: slot, in: $0) }
                guard let key = reference ?? nil else { return }
                let entity = layout.destinations[slot].layoutIndex
                let place = met.firstIndex { $0.entity == entity } ?? met.endIndex
                if place == met.endIndex { met.append((entity, KeySet())) }
                if met[place].keys.insert(key.key) { destinations.append(self.object(for: key)) }
            case .toMany(let index)?:
                if object.toManyState(index).isFault, object.key > 0 || hasUnsavedRows {
                    toManyOwners.append((index, object))
                } else {
                    destinations += object.memberObjects(of: index)
                }
            default:
                break
            }
        }
        // Subentities may each have a relationship of the name.
        let groups = Dictionary(grouping: toManyOwners) { index, object in
            ObjectIdentifier(object.binding.layout.toManys[index].relationship)
        }
        for group in groups.values {
            let toMany = group[0].object.binding.layout.toManys[group[0].index]
            let members = try members(of: toMany, owners: group.map(\.object))
            for (index, owner) in group {
                let state = owner.toManyState(index)
                if state.isFault {
                    state.load(members[owner.key] ?? [])
                    noteDeletedMembers(of: state, owner: owner)
                }
                destinations += owner.memberObjects(of: index)
            }
        }
        // An object may be a member of several owners.
        if !toManyOwners.isEmpty || met.count > 1 || destinations.count > met.first?.keys.count ?? 0 {
            var known = KeySet()
            destinations.removeAll { !known.insert(Int64(Int(bitPattern: ObjectIdentifier($0)))) }
        }
        // The first level is held as it is: a copy would count a reference to each object.
        if recentObjects.prefetched.isEmpty {
            recentObjects.prefetched = destinations
        } else {
            recentObjects.prefetched += destinations
        }
        try loadRows(of: destinations)
        return destinations
    }

    /// The members of a relationship of some objects. A store's error names the object.
    private func members(of toMany: ToManySlot, owners: [NSManagedObject]) throws -> [Int64: [ObjectKey]] {
        do {
            return try sourceMembers(of: toMany, owners: owners.map(\.objectKey))
        } catch {
            for owner in owners {
                do { _ = try loadMembers(of: toMany, owner: owner) } catch {
                    throw unfulfilled(owner.objectKey, error, relationship: toMany.relationship)
                }
            }
            throw error
        }
    }

    final func sourceMembers(of toMany: ToManySlot, owners: [ObjectKey]) throws -> [Int64: [ObjectKey]] {
        try rowSource?.members(of: toMany, owners: owners, in: self) ?? [:]
    }
}
