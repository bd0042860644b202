import Foundation

/// An engine whose stores are migrated where they lie, in one transaction of their database.
package protocol InPlaceEngine: StoreEngine {
    /// Runs a body in a transaction beside which nobody uses the store, and commits it. Others who begin to migrate
    /// the store wait until it ends; so do those who open it.
    ///
    /// - Parameters:
    ///   - metadata: what the store said about its version. Processes that have it open as this version are waited for.
    ///   - timeout: how long to wait for others; then the error is `NSPersistentStoreTimeoutError` and names them.
    func migrating(
        at url: URL, from metadata: [String: Any], timeout: TimeInterval, _ progress: Progress?,
        _ body: (any SQLConnection) throws -> Void
    ) throws

    /// What errors show of an address: no password is in it.
    func shown(_ url: URL) -> URL

    /// Runs a body with a connection that reads the store in one state.
    func looking<Result>(at url: URL, _ body: (any SQLConnection) throws -> Result) throws -> Result
}
