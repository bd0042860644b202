import Foundation

/// The part of a store that a database uses for a failover, when another server takes the place of a lost one. The new
/// server may lack the last changes of the former one: then rows and history are those of an earlier time.
package protocol ContinuationFollower: AnyObject, Sendable {
    /// Reports that changes to rows may be lost. Called before any row is read from the new server.
    func databaseWasContinued()
    /// Sets an entry of the metadata that has another value on the new server. The entry is never written.
    func metadataEntryIs(_ value: Any, forKey key: String)
    /// The coordinator that posts notifications; nil if the store belongs to no coordinator.
    var notifier: NSPersistentStoreCoordinator? { get }
    /// The ids of objects, by their keys.
    func objectIDs(_ keys: [ObjectKey]) -> [NSManagedObjectID]
    /// A token of the history up to a transaction number.
    func historyToken(_ number: Int64) -> NSPersistentHistoryToken
}

extension SQLDatabase {
    package func follow(_ follower: any ContinuationFollower) {}
    package func didSave(_ changes: ChangeSet) {}
    package func didRead(transactions: [Int64]) {}
    package func lostHistory(after number: Int64) throws -> LostHistory? { nil }
}
