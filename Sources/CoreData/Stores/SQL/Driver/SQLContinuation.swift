import Foundation

/// The part of a store that a database uses if another server takes the place of the one that was lost. That server may
/// know less than the former has told: then rows and history are those of some time ago.
package protocol ContinuationFollower: AnyObject, Sendable {
    /// Rows may have gone back in time. Called before any is read from the other server.
    func databaseWasContinued()
    /// An entry of the metadata is another one on that server; it is no entry that is written.
    func metadataEntryIs(_ value: Any, forKey key: String)
    /// The coordinator that posts notifications; nil while the store belongs to nobody.
    var notifier: NSPersistentStoreCoordinator? { get }
    /// The ids of objects, by their keys.
    func objectIDs(_ keys: [ObjectKey]) -> [NSManagedObjectID]
    /// A token of the history as it was at a number.
    func historyToken(_ number: Int64) -> NSPersistentHistoryToken
}

extension SQLDatabase {
    package func follow(_ follower: any ContinuationFollower) {}
    package func didSave(_ changes: ChangeSet) {}
    package func didRead(transactions: [Int64]) {}
    package func lostHistory(after number: Int64) throws -> LostHistory? { nil }
}
