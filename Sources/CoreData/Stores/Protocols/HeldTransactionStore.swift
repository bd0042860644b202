/// A store that can hold one transaction from its opening on (`StoreUse.holdsTransaction`), until the code that opened
/// it commits the transaction.
protocol HeldTransactionStore: NSPersistentStore, RowStore {
    /// Commits the changes since the store was opened, if it holds a transaction.
    func commitHeldTransaction() throws
    /// Commits the changes since the last commit, so that a kill does not undo them, and continues to hold the
    /// transaction.
    func commitHeldTransaction(as number: Int) throws
}
