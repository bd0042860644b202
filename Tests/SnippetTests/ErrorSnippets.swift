import CoreData

// Code of ErrorCodes.md.
enum ErrorSnippets {
    // snippet: what to tell a user
    func advice(for error: any Error) -> String {
        switch (error as NSError).code {
        case NSManagedObjectMergeError: "Another user has changed this. Load it again."
        case NSPersistentStoreTimeoutError: "Another program is writing. Try again later."
        case NSFileWriteOutOfSpaceError: "The disk is full. Make room, and save again."
        default: error.localizedDescription
        }
    }
    // snippet end
}
