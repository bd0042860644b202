/// A store that can hold one transaction from its opening on (`StoreUse.holdsTransaction`), until it is told to commit.
protocol HeldTransactionStore: NSPersistentStore, RowStore {
    /// Commits what was written since the store was opened, where it holds its transaction until then.
    func commitHeldTransaction() throws
    /// Commits what was written since the last time, so that a killed process leaves it, and goes on holding the
    /// transaction.
    func commitHeldTransaction(as number: Int) throws
}
