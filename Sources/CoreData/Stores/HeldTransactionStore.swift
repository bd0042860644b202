/// A store that can hold one transaction from its opening on (`StoreUse.holdsTransaction`), until its owner has it
/// commit.
protocol HeldTransactionStore: NSPersistentStore, RowStore {
    /// Commits the changes since the store was opened, if it holds its transaction until then.
    func commitHeldTransaction() throws
    /// Commits the changes since the last time, so that a killed process leaves them, and continues to hold the
    /// transaction.
    func commitHeldTransaction(as number: Int) throws
}
