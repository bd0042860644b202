import CoreData
import Foundation

extension StoreAddress {
    /// Copies the store, with what its -wal holds and its external files, also while others write. The copy is the
    /// store as it was at one moment.
    ///
    /// - Parameters:
    ///   - target: what messages call the place of the copy; nil for its path.
    ///   - seconds: how long to wait for processes that hold the store; nil for as long as the library does.
    func copy(to url: URL, shown target: String? = nil, waiting seconds: Int? = nil) throws {
        let options = seconds.map { [NSPersistentStoreTimeoutOption: Double($0)] }
        do {
            try NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel()).replacePersistentStore(
                at: url, withPersistentStoreFrom: self.url, sourceOptions: options, ofType: type)
        } catch {
            throw ToolError(error, at: ToolError.isOfWriting(error) ? target ?? url.path : shown)
        }
    }
}
