// Objects whose row version is raised when related objects change.
extension NSManagedObjectContext {
    /// The updated objects, and those that are written with them or with other objects of a save; and which of them are
    /// written even where none of their own values has changed.
    final func livingUpdated(
        with work: SaveWork, _ links: [Int: VersionedLinks]
    ) -> (objects: [NSManagedObject], raised: Set<ObjectIdentifier>) {
        var objects = livingUpdated
        if links.isEmpty { return (objects, []) }
        var raised: Set<ObjectIdentifier> = []
        for object in objects {
            guard let links = links[object.objectKey.storeNumber] else { continue }
            if object.hasChanges(inToManys: links.toManys[object.binding.layout.index]) {
                raised.insert(ObjectIdentifier(object))
            }
        }
        let changed = work.inserted + objects.filter { !$0.persistentChanges().isEmpty } + work.deleted
        var known = Set(objects.map(ObjectIdentifier.init))
        for object in changed {
            let layout = object.binding.layout
            for key in links.values.flatMap({ $0.toOnes[layout.index] }).flatMap({ object.keys(at: $0) }) {
                guard links[key.storeNumber] != nil, !key.isTemporary else { continue }
                let owner = self.object(for: key)
                if !owner.flags.isDisjoint(with: [.inserted, .deleted]) { continue }
                raised.insert(ObjectIdentifier(owner))
                if known.insert(ObjectIdentifier(owner)).inserted { objects.append(owner) }
            }
        }
        return (objects, raised)
    }
}

extension NSManagedObject {
    /// The key that a to-one relationship leads to, and the one that it led to in the row.
    fileprivate final func keys(at slot: Int) -> [ObjectKey] {
        let former = row?.reference(at: slot, binding.layout)
        let present = flags.contains(.deleted) ? nil : reference(at: slot)
        return [former, present].compactMap(\.self)
    }
}
