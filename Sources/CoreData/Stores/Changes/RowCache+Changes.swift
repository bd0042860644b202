extension RowCache {
    /// Applies the changes of a save. A newer version that is already in the cache stays, unless `replacing` is true
    /// because versions may have been counted anew.
    package func follow(_ changes: ChangeSet, in layout: ModelLayout, replacing: Bool = false) {
        func root(_ index: Int) -> Int { layout.entities[index].rootIndex }
        let count = changes.deleted.count + changes.inserted.count + changes.updated.count
        // The list of recorded changes could not hold so many.
        let isMany = count > Self.rememberedChanges
        batch { cache in
            if isMany { cache.noteChangeOfAll() }
            // Read at their places: a copy of a deletion, or of an update, would retain its rows.
            changes.deleted.withUnsafeBufferPointer { deletions in
                for place in deletions.indices {
                    let ahead = place + MemoryHint.distance
                    if ahead < deletions.count {
                        let key = deletions[ahead].key
                        cache.loadPlace(of: key.key, rootIndex: root(key.layoutIndex))
                    }
                    let key = deletions[place].key
                    cache.remove(key.key, rootIndex: root(key.layoutIndex), noting: !isMany)
                }
            }
            // Mostly rows of one entity follow each other.
            var latest: EntityLayout?
            func follow(_ row: Snapshot) {
                let entity: EntityLayout
                if let latest, latest.index == row.layoutIndex {
                    entity = latest
                } else {
                    entity = layout.entities[row.layoutIndex]
                    latest = entity
                }
                // Transient values belong to the saving context. Other contexts read the row.
                if !row.hasTransientDefaults(entity) {
                    cache.remove(row.key, rootIndex: entity.rootIndex)
                    return
                }
                if replacing { cache.remove(row.key, rootIndex: entity.rootIndex) }
                if !isMany { cache.noteChange(of: row.key, rootIndex: entity.rootIndex) }
                cache.insert(row, rootIndex: entity.rootIndex)
            }
            // A single list of all rows would be a copy.
            for row in changes.inserted { follow(row) }
            changes.updated.withUnsafeBufferPointer { updates in
                for place in updates.indices {
                    let ahead = place + MemoryHint.distance
                    if ahead < updates.count {
                        let key = updates[ahead].new.key
                        cache.loadPlace(of: key, rootIndex: root(updates[ahead].new.layoutIndex))
                    }
                    let further = ahead + MemoryHint.distance
                    if further < updates.count {
                        MemoryHint.load(row: Unmanaged.passUnretained(updates[further].new))
                        MemoryHint.load(row: Unmanaged.passUnretained(updates[further].old))
                    }
                    follow(updates[place].new)
                }
            }
        }
    }
}
