import Foundation

// The names of Core Data over iCloud, which Apple deprecated in 2016. Programs that still use them compile. Nothing is
// stored in a cloud, and none of the notifications is ever posted.

/// The reasons for changes of stores in Core Data over iCloud. OpenCoreData never gives one.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreubiquitoustransitiontype)
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

/// The option for the name of the content in the cloud. It has no effect here.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreubiquitouscontentnamekey)
public let NSPersistentStoreUbiquitousContentNameKey = "NSPersistentStoreUbiquitousContentNameKey"
/// The option for the place of the transaction logs in the cloud. It has no effect here.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreubiquitouscontenturlkey)
public let NSPersistentStoreUbiquitousContentURLKey = "NSPersistentStoreUbiquitousContentURLKey"
/// The option for the container in the cloud. It has no effect here.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreubiquitouscontaineridentifierkey)
public let NSPersistentStoreUbiquitousContainerIdentifierKey = "NSPersistentStoreUbiquitousContainerIdentifierKey"
/// The option for a token that distinguishes machines. It has no effect here.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreubiquitouspeertokenoption)
public let NSPersistentStoreUbiquitousPeerTokenOption = "NSPersistentStoreUbiquitousPeerTokenOption"
/// The option for building the store anew from the cloud. It has no effect here.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorerebuildfromubiquitouscontentoption)
public let NSPersistentStoreRebuildFromUbiquitousContentOption = "NSPersistentStoreRebuildFromUbiquitousContentOption"
/// The option for removing metadata of the cloud from the store. It has no effect here.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreremoveubiquitousmetadataoption)
public let NSPersistentStoreRemoveUbiquitousMetadataOption = "NSPersistentStoreRemoveUbiquitousMetadataOption"
/// The user-info key for an ``NSPersistentStoreUbiquitousTransitionType``. No notification has it here.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreubiquitoustransitiontypekey)
public let NSPersistentStoreUbiquitousTransitionTypeKey = "NSPersistentStoreUbiquitousTransitionTypeKey"

extension Notification.Name {
    /// The notification that changes came from iCloud. It is never posted here.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsnotification/name-swift.struct/nspersistentstoredidimportubiquitouscontentchanges)
    public static let NSPersistentStoreDidImportUbiquitousContentChanges = Notification.Name(
        "NSPersistentStoreDidImportUbiquitousContentChangesNotification")
}
