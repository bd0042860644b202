import CoreData
import Testing

// Each line names a symbol with the type it has in Apple's interface: a change of either no longer compiles.

@Suite("Apple's constants and error codes")
struct ConstantNamesTests {
    @Test("String constants have Apple's values")
    func constants() {
        #expect(NSStoreTypeKey == "NSStoreType")
        #expect(NSStoreUUIDKey == "NSStoreUUID")
        #expect(NSStoreModelVersionHashesKey == "NSStoreModelVersionHashes")
        #expect(NSStoreModelVersionIdentifiersKey == "NSStoreModelVersionIdentifiers")
        #expect(NSPersistentStoreModelVersionChecksumKey == "NSStoreModelVersionChecksumKey")
        #expect(NSIgnorePersistentStoreVersioningOption == "NSIgnorePersistentStoreVersioningOption")
        #expect(NSInferMappingModelAutomaticallyOption == "NSInferMappingModelAutomaticallyOption")
        #expect(NSMigratePersistentStoresAutomaticallyOption == "NSMigratePersistentStoresAutomaticallyOption")
        #expect(NSPersistentHistoryTrackingKey == "NSPersistentHistoryTrackingKey")
        #expect(NSPersistentStoreConnectionPoolMaxSizeKey == "NSPersistentStoreConnectionPoolMaxSizeKey")
        #expect(NSPersistentStoreForceDestroyOption == "NSPersistentStoreForceDestroyOption")
        #expect(NSPersistentStoreFileProtectionKey == "NSPersistentStoreFileProtectionKey")
        #expect(NSPersistentStoreTimeoutOption == "NSPersistentStoreTimeoutOption")
        #expect(NSReadOnlyPersistentStoreOption == "NSReadOnlyPersistentStoreOption")
        #expect(NSSQLiteAnalyzeOption == "NSSQLiteAnalyzeOption")
        #expect(NSSQLiteManualVacuumOption == "NSSQLiteManualVacuumOption")
        #expect(NSSQLitePragmasOption == "NSSQLitePragmasOption")
        #expect(
            NSPersistentStoreRemoteChangeNotificationPostOptionKey
                == "NSPersistentStoreRemoteChangeNotificationOptionKey")
        #expect(NSPersistentStoreOSCompatibility == "NSPersistentStoreOSCompatibility")
        let ofOtherSystems: [String] = [
            NSBinaryStoreInsecureDecodingCompatibilityOption, NSBinaryStoreSecureDecodingClasses,
            NSPersistentStoreUbiquitousContentNameKey, NSPersistentStoreUbiquitousContentURLKey,
            NSPersistentStoreUbiquitousContainerIdentifierKey, NSPersistentStoreUbiquitousPeerTokenOption,
            NSPersistentStoreRebuildFromUbiquitousContentOption, NSPersistentStoreRemoveUbiquitousMetadataOption,
            NSPersistentStoreUbiquitousTransitionTypeKey, NSUUIDChangedPersistentStoresKey,
            Notification.Name.NSPersistentStoreDidImportUbiquitousContentChanges.rawValue,
        ]
        #expect(Set(ofOtherSystems).count == ofOtherSystems.count)
        #expect(NSPersistentStoreUbiquitousTransitionType.initialImportCompleted.rawValue == 4)
        #expect(NSDetailedErrorsKey == "NSDetailedErrors")
        #expect(NSValidationKeyErrorKey == "NSValidationErrorKey")
        #expect(NSValidationObjectErrorKey == "NSValidationErrorObject")
        #expect(NSValidationValueErrorKey == "NSValidationErrorValue")
        #expect(NSValidationPredicateErrorKey == "NSValidationErrorPredicate")
        #expect(NSAffectedObjectsErrorKey == "NSAffectedObjectsErrorKey")
        #expect(NSAffectedStoresErrorKey == "NSAffectedStoresErrorKey")
        #expect(NSSQLiteErrorDomain == "NSSQLiteErrorDomain")
        #expect(NSAddedPersistentStoresKey == "added")
        #expect(NSRemovedPersistentStoresKey == "removed")
    }

    @Test("Error codes have Apple's values")
    func errors() {
        #expect(NSManagedObjectValidationError == 1550)
        #expect(
            CocoaError.managedObjectValidation.rawValue == 1550
                && CocoaError.Code.managedObjectValidation.rawValue == 1550)
        #expect(NSManagedObjectConstraintValidationError == 1551)
        #expect(NSValidationMultipleErrorsError == 1560)
        #expect(
            CocoaError.validationMultipleErrors.rawValue == 1560
                && CocoaError.Code.validationMultipleErrors.rawValue == 1560)
        #expect(NSValidationMissingMandatoryPropertyError == 1570)
        #expect(
            CocoaError.validationMissingMandatoryProperty.rawValue == 1570
                && CocoaError.Code.validationMissingMandatoryProperty.rawValue == 1570)
        #expect(NSValidationRelationshipLacksMinimumCountError == 1580)
        #expect(
            CocoaError.validationRelationshipLacksMinimumCount.rawValue == 1580
                && CocoaError.Code.validationRelationshipLacksMinimumCount.rawValue == 1580)
        #expect(NSValidationRelationshipExceedsMaximumCountError == 1590)
        #expect(
            CocoaError.validationRelationshipExceedsMaximumCount.rawValue == 1590
                && CocoaError.Code.validationRelationshipExceedsMaximumCount.rawValue == 1590)
        #expect(NSValidationRelationshipDeniedDeleteError == 1600)
        #expect(
            CocoaError.validationRelationshipDeniedDelete.rawValue == 1600
                && CocoaError.Code.validationRelationshipDeniedDelete.rawValue == 1600)
        #expect(NSValidationNumberTooLargeError == 1610)
        #expect(
            CocoaError.validationNumberTooLarge.rawValue == 1610
                && CocoaError.Code.validationNumberTooLarge.rawValue == 1610)
        #expect(NSValidationNumberTooSmallError == 1620)
        #expect(
            CocoaError.validationNumberTooSmall.rawValue == 1620
                && CocoaError.Code.validationNumberTooSmall.rawValue == 1620)
        #expect(NSValidationDateTooLateError == 1630)
        #expect(
            CocoaError.validationDateTooLate.rawValue == 1630 && CocoaError.Code.validationDateTooLate.rawValue == 1630)
        #expect(NSValidationDateTooSoonError == 1640)
        #expect(
            CocoaError.validationDateTooSoon.rawValue == 1640 && CocoaError.Code.validationDateTooSoon.rawValue == 1640)
        #expect(NSValidationInvalidDateError == 1650)
        #expect(
            CocoaError.validationInvalidDate.rawValue == 1650 && CocoaError.Code.validationInvalidDate.rawValue == 1650)
        #expect(NSValidationStringTooLongError == 1660)
        #expect(
            CocoaError.validationStringTooLong.rawValue == 1660
                && CocoaError.Code.validationStringTooLong.rawValue == 1660)
        #expect(NSValidationStringTooShortError == 1670)
        #expect(
            CocoaError.validationStringTooShort.rawValue == 1670
                && CocoaError.Code.validationStringTooShort.rawValue == 1670)
        #expect(NSValidationStringPatternMatchingError == 1680)
        #expect(
            CocoaError.validationStringPatternMatching.rawValue == 1680
                && CocoaError.Code.validationStringPatternMatching.rawValue == 1680)
        #expect(NSValidationInvalidURIError == 1690)
        #expect(NSManagedObjectContextLockingError == 132000)
        #expect(
            CocoaError.managedObjectContextLocking.rawValue == 132000
                && CocoaError.Code.managedObjectContextLocking.rawValue == 132000)
        #expect(NSPersistentStoreCoordinatorLockingError == 132010)
        #expect(
            CocoaError.persistentStoreCoordinatorLocking.rawValue == 132010
                && CocoaError.Code.persistentStoreCoordinatorLocking.rawValue == 132010)
        #expect(NSManagedObjectReferentialIntegrityError == 133000)
        #expect(
            CocoaError.managedObjectReferentialIntegrity.rawValue == 133000
                && CocoaError.Code.managedObjectReferentialIntegrity.rawValue == 133000)
        #expect(NSManagedObjectExternalRelationshipError == 133010)
        #expect(
            CocoaError.managedObjectExternalRelationship.rawValue == 133010
                && CocoaError.Code.managedObjectExternalRelationship.rawValue == 133010)
        #expect(NSManagedObjectMergeError == 133020)
        #expect(
            CocoaError.managedObjectMerge.rawValue == 133020 && CocoaError.Code.managedObjectMerge.rawValue == 133020)
        #expect(NSManagedObjectConstraintMergeError == 133021)
        #expect(
            CocoaError.managedObjectConstraintMerge.rawValue == 133021
                && CocoaError.Code.managedObjectConstraintMerge.rawValue == 133021)
        #expect(NSPersistentStoreInvalidTypeError == 134000)
        #expect(
            CocoaError.persistentStoreInvalidType.rawValue == 134000
                && CocoaError.Code.persistentStoreInvalidType.rawValue == 134000)
        #expect(NSPersistentStoreTypeMismatchError == 134010)
        #expect(
            CocoaError.persistentStoreTypeMismatch.rawValue == 134010
                && CocoaError.Code.persistentStoreTypeMismatch.rawValue == 134010)
        #expect(NSPersistentStoreIncompatibleSchemaError == 134020)
        #expect(
            CocoaError.persistentStoreIncompatibleSchema.rawValue == 134020
                && CocoaError.Code.persistentStoreIncompatibleSchema.rawValue == 134020)
        #expect(NSPersistentStoreSaveError == 134030)
        #expect(
            CocoaError.persistentStoreSave.rawValue == 134030 && CocoaError.Code.persistentStoreSave.rawValue == 134030)
        #expect(NSPersistentStoreIncompleteSaveError == 134040)
        #expect(
            CocoaError.persistentStoreIncompleteSave.rawValue == 134040
                && CocoaError.Code.persistentStoreIncompleteSave.rawValue == 134040)
        #expect(NSPersistentStoreSaveConflictsError == 134050)
        #expect(
            CocoaError.persistentStoreSaveConflicts.rawValue == 134050
                && CocoaError.Code.persistentStoreSaveConflicts.rawValue == 134050)
        #expect(NSCoreDataError == 134060)
        #expect(CocoaError.coreData.rawValue == 134060 && CocoaError.Code.coreData.rawValue == 134060)
        #expect(NSPersistentStoreOperationError == 134070)
        #expect(
            CocoaError.persistentStoreOperation.rawValue == 134070
                && CocoaError.Code.persistentStoreOperation.rawValue == 134070)
        #expect(NSPersistentStoreOpenError == 134080)
        #expect(
            CocoaError.persistentStoreOpen.rawValue == 134080 && CocoaError.Code.persistentStoreOpen.rawValue == 134080)
        #expect(NSPersistentStoreTimeoutError == 134090)
        #expect(
            CocoaError.persistentStoreTimeout.rawValue == 134090
                && CocoaError.Code.persistentStoreTimeout.rawValue == 134090)
        #expect(NSPersistentStoreUnsupportedRequestTypeError == 134091)
        #expect(
            CocoaError.persistentStoreUnsupportedRequestType.rawValue == 134091
                && CocoaError.Code.persistentStoreUnsupportedRequestType.rawValue == 134091)
        #expect(NSPersistentStoreIncompatibleVersionHashError == 134100)
        #expect(
            CocoaError.persistentStoreIncompatibleVersionHash.rawValue == 134100
                && CocoaError.Code.persistentStoreIncompatibleVersionHash.rawValue == 134100)
        #expect(NSMigrationError == 134110)
        #expect(CocoaError.migration.rawValue == 134110 && CocoaError.Code.migration.rawValue == 134110)
        #expect(NSMigrationConstraintViolationError == 134111)
        #expect(
            CocoaError.migrationConstraintViolation.rawValue == 134111
                && CocoaError.Code.migrationConstraintViolation.rawValue == 134111)
        #expect(NSMigrationCancelledError == 134120)
        #expect(
            CocoaError.migrationCancelled.rawValue == 134120 && CocoaError.Code.migrationCancelled.rawValue == 134120)
        #expect(NSMigrationMissingSourceModelError == 134130)
        #expect(
            CocoaError.migrationMissingSourceModel.rawValue == 134130
                && CocoaError.Code.migrationMissingSourceModel.rawValue == 134130)
        #expect(NSMigrationMissingMappingModelError == 134140)
        #expect(
            CocoaError.migrationMissingMappingModel.rawValue == 134140
                && CocoaError.Code.migrationMissingMappingModel.rawValue == 134140)
        #expect(NSMigrationManagerSourceStoreError == 134150)
        #expect(
            CocoaError.migrationManagerSourceStore.rawValue == 134150
                && CocoaError.Code.migrationManagerSourceStore.rawValue == 134150)
        #expect(NSMigrationManagerDestinationStoreError == 134160)
        #expect(
            CocoaError.migrationManagerDestinationStore.rawValue == 134160
                && CocoaError.Code.migrationManagerDestinationStore.rawValue == 134160)
        #expect(NSEntityMigrationPolicyError == 134170)
        #expect(
            CocoaError.entityMigrationPolicy.rawValue == 134170
                && CocoaError.Code.entityMigrationPolicy.rawValue == 134170)
        #expect(NSSQLiteError == 134180)
        #expect(CocoaError.sqlite.rawValue == 134180 && CocoaError.Code.sqlite.rawValue == 134180)
        #expect(NSInferredMappingModelError == 134190)
        #expect(
            CocoaError.inferredMappingModel.rawValue == 134190
                && CocoaError.Code.inferredMappingModel.rawValue == 134190)
        #expect(NSExternalRecordImportError == 134200)
        #expect(
            CocoaError.externalRecordImport.rawValue == 134200
                && CocoaError.Code.externalRecordImport.rawValue == 134200)
        #expect(NSPersistentHistoryTokenExpiredError == 134301)
        #expect(NSManagedObjectModelReferenceNotFoundError == 134504)
        #expect(NSStagedMigrationFrameworkVersionMismatchError == 134505)
        #expect(NSStagedMigrationBackwardMigrationError == 134506)
    }
}
