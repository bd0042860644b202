import CoreData
import Foundation

extension StoreAddress {
    /// Copies the store, with the content of its -wal and its external files, also while other programs write. The copy
    /// is the store as it was at one moment.
    ///
    /// - Parameters:
    ///   - target: the name of the copy's place in messages; nil for its path.
    ///   - seconds: how long to wait for processes that hold the store; nil for the library's default.
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
