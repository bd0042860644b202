/// Names in a file that need an import on Linux, and may not have needed it on a Mac.
enum FrameworkNames {
    /// Types and constants of Core Data, and names that belong to Foundation on a Mac and to the framework here.
    static let framework: Set<String> = Set(
        """
        NSAsynchronousFetchRequest NSAsynchronousFetchResult NSAtomicStore NSAtomicStoreCacheNode
        NSAttributeDescription NSAttributeType NSBatchDeleteRequest NSBatchDeleteRequestResultType
        NSBatchDeleteResult NSBatchInsertRequest NSBatchInsertRequestResultType NSBatchInsertResult
        NSBatchUpdateRequest NSBatchUpdateRequestResultType NSBatchUpdateResult NSCompositeAttributeDescription
        NSConstraintConflict NSCustomMigrationStage NSDeleteRule NSDerivedAttributeDescription NSEntityDescription
        NSEntityMapping NSEntityMappingType NSEntityMigrationPolicy NSExpressionDescription NSFetchIndexDescription
        NSFetchIndexElementDescription NSFetchIndexElementType NSFetchRequest NSFetchRequestExpression
        NSFetchRequestResult NSFetchRequestResultType NSFetchedPropertyDescription NSFetchedResultsChangeType
        NSFetchedResultsController NSFetchedResultsControllerDelegate NSFetchedResultsSectionInfo NSIncrementalStore
        NSIncrementalStoreNode NSLightweightMigrationStage NSManagedObject NSManagedObjectContext
        NSManagedObjectContextConcurrencyType NSManagedObjectID NSManagedObjectModel NSManagedObjectModelReference
        NSMappingModel NSMergeConflict NSMergePolicy NSMergePolicyType NSMigrationManager NSMigrationStage
        NSPersistentContainer NSPersistentHistoryChange NSPersistentHistoryChangeRequest
        NSPersistentHistoryChangeType NSPersistentHistoryResult NSPersistentHistoryResultType
        NSPersistentHistoryToken NSPersistentHistoryTransaction NSPersistentStore
        NSPersistentStoreAsynchronousResult NSPersistentStoreCoordinator NSPersistentStoreDescription
        NSPersistentStoreRequest NSPersistentStoreRequestType NSPersistentStoreResult NSPropertyDescription
        NSPropertyMapping NSQueryGenerationToken NSRelationshipDescription NSSaveChangesRequest
        NSSnapshotEventType NSStagedMigrationManager
        NSSQLiteStoreType NSInMemoryStoreType NSBinaryStoreType NSXMLStoreType NSAddedPersistentStoresKey
        NSAffectedObjectsErrorKey NSAffectedStoresErrorKey NSDeletedObjectIDsKey NSDeletedObjectsKey
        NSDetailedErrorsKey NSErrorMergePolicy NSIgnorePersistentStoreVersioningOption
        NSInferMappingModelAutomaticallyOption NSInsertedObjectIDsKey NSInsertedObjectsKey
        NSInvalidatedAllObjectsKey NSInvalidatedObjectIDsKey NSInvalidatedObjectsKey
        NSManagedObjectContextQueryGenerationKey NSMergeByPropertyObjectTrumpMergePolicy
        NSMergeByPropertyStoreTrumpMergePolicy NSMigratePersistentStoresAutomaticallyOption NSOverwriteMergePolicy
        NSPersistentHistoryTokenKey NSPersistentHistoryTrackingKey NSPersistentStoreFileProtectionKey
        NSPersistentStoreForceDestroyOption
        NSPersistentStoreRemoteChangeNotificationPostOptionKey NSPersistentStoreSaveConflictsErrorKey
        NSPersistentStoreTimeoutOption NSPersistentStoreURLKey NSReadOnlyPersistentStoreOption NSRefreshedObjectIDsKey
        NSRefreshedObjectsKey NSRemovedPersistentStoresKey NSRollbackMergePolicy NSSQLiteAnalyzeOption
        NSSQLiteErrorDomain NSSQLiteManualVacuumOption NSSQLitePragmasOption NSStoreModelVersionHashesKey
        NSStoreModelVersionIdentifiersKey NSStoreTypeKey NSStoreUUIDKey NSUpdatedObjectIDsKey NSUpdatedObjectsKey
        NSValidationKeyErrorKey NSValidationObjectErrorKey NSValidationPredicateErrorKey NSValidationValueErrorKey
        """.split(whereSeparator: \.isWhitespace).map(String.init)
    ).union(ofFoundation).union(["autoreleasepool"]).union(associations)

    /// The functions that tie an object to another one, which the framework has here.
    static let associations: Set<String> = [
        "objc_setAssociatedObject", "objc_getAssociatedObject", "objc_removeAssociatedObjects",
        "objc_AssociationPolicy",
    ]

    /// Names that belong to Foundation on a Mac and to the framework here.
    static let ofFoundation: Set<String> = [
        "NSComparisonPredicate", "NSCompoundPredicate", "NSExpression", "NSFastEnumeration",
        "NSFastEnumerationIterator", "NSSecureUnarchiveFromDataTransformer",
        "NSValueTransformerName", "UndoManager", "ValueTransformer",
    ]

    /// Members of Foundation's types that the framework adds here.
    static let members: Set<String> = [
        "predicateFormat", "withSubstitutionVariables", "notifications", "section", "row", "item",
    ]

    /// Names that are visible in every module on a Mac, and that the product OSLogging has here.
    static let unfairLocks: Set<String> = [
        "OSAllocatedUnfairLock", "os_unfair_lock", "os_unfair_lock_lock", "os_unfair_lock_s", "os_unfair_lock_t",
        "os_unfair_lock_trylock", "os_unfair_lock_unlock", "os_unfair_lock_assert_owner",
        "os_unfair_lock_assert_not_owner",
    ]

    /// Members that OpenCoreData adds to the types of SwiftData, and that extensions of other packages add on a Mac.
    static let membersOfModels: Set<String> = ["managedObject", "managedObjectContext"]

    /// The names that Foundation on Linux has in modules of their own, by the module.
    static let partsOfFoundation: [(module: String, names: Set<String>)] = [
        (
            "FoundationNetworking",
            [
                "URLSession", "URLSessionConfiguration", "URLSessionDelegate", "URLSessionTask", "URLSessionDataTask",
                "URLSessionDataDelegate", "URLSessionTaskDelegate", "URLSessionDownloadTask",
                "URLSessionDownloadDelegate", "URLSessionUploadTask", "URLRequest", "URLResponse", "HTTPURLResponse",
                "URLCache", "CachedURLResponse", "URLProtocol", "URLProtocolClient", "URLProtectionSpace",
                "URLCredential", "URLCredentialStorage", "URLAuthenticationChallenge", "HTTPCookie",
                "HTTPCookieStorage", "NSURLRequest", "NSMutableURLRequest", "NSURLConnection",
            ]
        ),
        (
            "CoreFoundation",
            [
                "CFAbsoluteTime", "CFAbsoluteTimeGetCurrent", "CFTimeInterval", "CFRunLoop", "CFRunLoopActivity",
                "CFRunLoopAddObserver", "CFRunLoopGetCurrent", "CFRunLoopGetMain", "CFRunLoopMode", "CFRunLoopObserver",
                "CFRunLoopObserverCreateWithHandler", "CFRunLoopObserverInvalidate", "CFRunLoopRemoveObserver",
                "CFRunLoopRun", "CFRunLoopRunInMode", "CFRunLoopStop", "CFRunLoopWakeUp",
            ]
        ),
        ("FoundationXML", ["XMLParser", "XMLParserDelegate", "XMLDocument", "XMLElement", "XMLNode", "XMLDTD"]),
    ]
}
