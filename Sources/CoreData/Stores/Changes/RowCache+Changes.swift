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
            for deletion in changes.deleted {
                cache.remove(deletion.key.key, rootIndex: root(deletion.key.layoutIndex))
            }
            func follow(_ row: Snapshot) {
                // Transient values belong to the saving context. Other contexts read the row.
                if !row.hasTransientDefaults(layout.entities[row.layoutIndex]) {
                    cache.remove(row.key, rootIndex: root(row.layoutIndex))
                    return
                }
                if replacing { cache.remove(row.key, rootIndex: root(row.layoutIndex)) }
                if !isMany { cache.noteChange(of: row.key, rootIndex: root(row.layoutIndex)) }
                cache.insert(row, rootIndex: root(row.layoutIndex))
            }
            // A single list of all rows would be a copy.
            for row in changes.inserted { follow(row) }
            for update in changes.updated { follow(update.new) }
        }
    }
}
