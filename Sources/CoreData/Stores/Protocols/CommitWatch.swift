/// A watch over the commits of a store's database.
package protocol CommitWatch: AnyObject, Sendable {
    /// Ends the watch. No notification is posted afterwards.
    func cancel()
}
