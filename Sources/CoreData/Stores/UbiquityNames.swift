import Foundation

// The names of Core Data over iCloud, which Apple deprecated in 2016. Programs that still name them compile; nothing is
// kept in a cloud, and nothing of this is ever posted.

/// Why stores changed, as Core Data over iCloud told it. Never told here.
public enum NSPersistentStoreUbiquitousTransitionType: UInt, Sendable {
    /// An account was signed in.
    case accountAdded = 1
    /// An account was signed out.
    case accountRemoved
    /// The content in the cloud was deleted.
    case contentRemoved
    /// The first import was done.
    case initialImportCompleted
}

/// Option: the name of the content in the cloud. Has no effect here.
public let NSPersistentStoreUbiquitousContentNameKey = "NSPersistentStoreUbiquitousContentNameKey"
/// Option: the place of the transaction logs in the cloud. Has no effect here.
public let NSPersistentStoreUbiquitousContentURLKey = "NSPersistentStoreUbiquitousContentURLKey"
/// Option: the container in the cloud. Has no effect here.
public let NSPersistentStoreUbiquitousContainerIdentifierKey = "NSPersistentStoreUbiquitousContainerIdentifierKey"
/// Option: how this machine is told from others. Has no effect here.
public let NSPersistentStoreUbiquitousPeerTokenOption = "NSPersistentStoreUbiquitousPeerTokenOption"
/// Option: build the store anew from the cloud. Has no effect here.
public let NSPersistentStoreRebuildFromUbiquitousContentOption = "NSPersistentStoreRebuildFromUbiquitousContentOption"
/// Option: remove what the cloud has left in the store. Has no effect here.
public let NSPersistentStoreRemoveUbiquitousMetadataOption = "NSPersistentStoreRemoveUbiquitousMetadataOption"
/// User-info key: the `NSPersistentStoreUbiquitousTransitionType`. Never there.
public let NSPersistentStoreUbiquitousTransitionTypeKey = "NSPersistentStoreUbiquitousTransitionTypeKey"

extension Notification.Name {
    /// Changes came from iCloud. Never posted here.
    public static let NSPersistentStoreDidImportUbiquitousContentChanges = Notification.Name(
        "NSPersistentStoreDidImportUbiquitousContentChangesNotification")
}
