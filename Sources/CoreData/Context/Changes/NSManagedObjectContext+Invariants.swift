import Foundation

extension NSManagedObjectContext {
    /// Stops the process when the context's records contradict each other; for tests, on the context's queue.
    package final func checkInvariants() {
        checkConfinement()
        for map in identityMaps { map?.checkInvariants() }
        let contradiction = tracked.unsavedIndex?.contradiction(in: self)
        require(contradiction == nil, contradiction ?? "")
        persistentStoreCoordinator?.checkRowCaches()
        for fetch in fetchState.batches + fetchState.fetchesOfNew.compactMap(\.batches) { fetch.checkInvariants() }
        let holders = Set(idState.temporaryHolders.keys)
        let unsaved = Set((tracked.inserted + tracked.updated + tracked.deleted).map(ObjectIdentifier.init))
        for object in tracked.inserted where object.flags.contains(.inserted) {
            require(object.binding.context === self, "A new object of another context is listed for insertion")
            require(registeredObject(for: object.objectKey) === object, "A new object is not in the identity map")
        }
        for object in tracked.updated where object.flags.contains(.updated) && !object.flags.contains(.detached) {
            require(object.binding.context === self, "A changed object of another context is listed for update")
        }
        for map in identityMaps {
            for object in map?.objects ?? [] {
                require(object.flags.contains(.registered), "An object of the identity map does not know it")
                require(
                    unsaved.contains(ObjectIdentifier(object)) || holders.contains(object.objectKey)
                        || !object.temporaries.contains(where: isNewHereOrAbove),
                    "An object of \(object.binding.layout.name) leads to a temporary key, and no context will rename it"
                )
                require(
                    object.overlay?.values.isWhole != false,
                    "The changed values of an object of \(object.binding.layout.name) have not the places that they need"
                )
                let isDirty = !object.flags.isDisjoint(with: [.updated, .inserted])
                require(
                    !object.flags.contains(.listedUpdated) || tracked.updated.contains { $0 === object },
                    "An object says it is in the list of changed ones, which does not have it")
                let isListed = !object.flags.isDisjoint(with: [.listedInserted, .listedUpdated])
                require(!isDirty || isListed, "An object with unsaved changes is in no list")
                require(
                    object.row.map {
                        $0.key == object.key || rowSource?.hasUnsavedRows == true
                            || !object.flags.isDisjoint(with: [.inserted, .inaccessible])
                    }
                        ?? true,
                    "An object of \(object.binding.layout.name) holds another one's row")
                require(
                    object.row.map {
                        object.binding.modelLayout.entities[$0.layoutIndex].rootIndex == object.binding.layout.rootIndex
                    } ?? true,
                    "An object of \(object.binding.layout.name) holds a row of another entity")
            }
        }
    }

    /// Whether a save of this context, or of one above, will give an object another key.
    private func isNewHereOrAbove(_ key: Int64) -> Bool {
        let isNew = identityMaps.contains {
            $0?.object(for: key)?.flags.intersection([.inserted, .deleted]) == .inserted
        }
        return isNew || parent?.reading { self.parent?.isNewHereOrAbove(key) } ?? false
    }
}
