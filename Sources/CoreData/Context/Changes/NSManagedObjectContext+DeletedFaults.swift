// The values of objects that were deleted without having been read, for observers that read the values after the save.
extension NSManagedObjectContext {
    /// The rows of the deleted objects that have none in memory, read at once while the source still has them.
    ///
    /// The rows are read before the save although there may be no observer that needs them. Foundation does not say
    /// whether there is one, a store in memory keeps no past state to read afterwards, and a held state keeps the log
    /// of a file from being emptied. The objects themselves get the rows after the save only, because a row that an
    /// object has must still be the store's when it is deleted.
    final func rows(ofFaultsIn deleted: [NSManagedObject]) -> [ObjectKey: Snapshot] {
        if settings.isQuiet { return [:] }
        let faults = deleted.filter { $0.heldRow == nil }
        if faults.isEmpty { return [:] }
        // A row that cannot be read can be deleted all the same.
        return (try? readRows(for: faults.map(\.objectKey))) ?? [:]
    }

    /// Gives an object that was deleted as a fault the row that it had. It fires when it is first read.
    final func takeRow(ofDeleted object: NSManagedObject) {
        if saveState.rowsOfDeletedFaults.isEmpty || object.heldRow != nil { return }
        guard let row = saveState.rowsOfDeletedFaults[object.rootKey],
            object.binding.layout.subtree.contains(row.layoutIndex)
        else { return }
        object.row = row
        object.flags.insert(.unfired)
    }
}
