import Foundation

extension CocoaError.Code {
    /// The code 1550, ``NSManagedObjectValidationError``: a managed object or a batch's value failed validation in a
    /// way that has no code of its own.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/managedobjectvalidation)
    public static var managedObjectValidation: CocoaError.Code {
        CocoaError.Code(rawValue: NSManagedObjectValidationError)
    }
    /// The code 1560, ``NSValidationMultipleErrorsError``: validation found several errors.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/validationmultipleerrors)
    public static var validationMultipleErrors: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationMultipleErrorsError)
    }
    /// The code 1570, ``NSValidationMissingMandatoryPropertyError``: a property that is not optional has no value.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/validationmissingmandatoryproperty)
    public static var validationMissingMandatoryProperty: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationMissingMandatoryPropertyError)
    }
    /// The code 1580, ``NSValidationRelationshipLacksMinimumCountError``: a to-many relationship has fewer objects than
    /// its `minCount`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/validationrelationshiplacksminimumcount)
    public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationRelationshipLacksMinimumCountError)
    }
    /// The code 1590, ``NSValidationRelationshipExceedsMaximumCountError``: a to-many relationship has more objects
    /// than its `maxCount`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/validationrelationshipexceedsmaximumcount)
    public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationRelationshipExceedsMaximumCountError)
    }
    /// The code 1600, ``NSValidationRelationshipDeniedDeleteError``: a deleted object still leads to objects by a
    /// relationship with the delete rule Deny.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/validationrelationshipdenieddelete)
    public static var validationRelationshipDeniedDelete: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationRelationshipDeniedDeleteError)
    }
    /// The code 1610, ``NSValidationNumberTooLargeError``: a number is above the attribute's maximum, or beyond the
    /// range of its integer type.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/validationnumbertoolarge)
    public static var validationNumberTooLarge: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationNumberTooLargeError)
    }
    /// The code 1620, ``NSValidationNumberTooSmallError``: a number is below the attribute's minimum, or beyond the
    /// range of its integer type.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/validationnumbertoosmall)
    public static var validationNumberTooSmall: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationNumberTooSmallError)
    }
    /// The code 1630, ``NSValidationDateTooLateError``: a date is after the attribute's latest date.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/validationdatetoolate)
    public static var validationDateTooLate: CocoaError.Code { CocoaError.Code(rawValue: NSValidationDateTooLateError) }
    /// The code 1640, ``NSValidationDateTooSoonError``: a date is before the attribute's earliest date.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/validationdatetoosoon)
    public static var validationDateTooSoon: CocoaError.Code { CocoaError.Code(rawValue: NSValidationDateTooSoonError) }
    /// The code 1650, ``NSValidationInvalidDateError``: a date is not a date, because its time is not a number.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/validationinvaliddate)
    public static var validationInvalidDate: CocoaError.Code { CocoaError.Code(rawValue: NSValidationInvalidDateError) }
    /// The code 1660, ``NSValidationStringTooLongError``: a string is longer than the attribute allows.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/validationstringtoolong)
    public static var validationStringTooLong: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationStringTooLongError)
    }
    /// The code 1670, ``NSValidationStringTooShortError``: a string is shorter than the attribute allows.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/validationstringtooshort)
    public static var validationStringTooShort: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationStringTooShortError)
    }
    /// The code 1680, ``NSValidationStringPatternMatchingError``: a string does not match the attribute's regular
    /// expression.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/validationstringpatternmatching)
    public static var validationStringPatternMatching: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationStringPatternMatchingError)
    }
    /// The code 132000, ``NSManagedObjectContextLockingError``: a context could not be locked.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/managedobjectcontextlocking)
    public static var managedObjectContextLocking: CocoaError.Code {
        CocoaError.Code(rawValue: NSManagedObjectContextLockingError)
    }
    /// The code 132010, ``NSPersistentStoreCoordinatorLockingError``: a coordinator could not be locked.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/persistentstorecoordinatorlocking)
    public static var persistentStoreCoordinatorLocking: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreCoordinatorLockingError)
    }
    /// The code 133000, ``NSManagedObjectReferentialIntegrityError``: the row of an object does not exist.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/managedobjectreferentialintegrity)
    public static var managedObjectReferentialIntegrity: CocoaError.Code {
        CocoaError.Code(rawValue: NSManagedObjectReferentialIntegrityError)
    }
    /// The code 133010, ``NSManagedObjectExternalRelationshipError``: a relationship leads to an object of another
    /// store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/managedobjectexternalrelationship)
    public static var managedObjectExternalRelationship: CocoaError.Code {
        CocoaError.Code(rawValue: NSManagedObjectExternalRelationshipError)
    }
    /// The code 133020, ``NSManagedObjectMergeError``: a save met rows that were changed or deleted since
    /// they were read.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/managedobjectmerge)
    public static var managedObjectMerge: CocoaError.Code { CocoaError.Code(rawValue: NSManagedObjectMergeError) }
    /// The code 133021, ``NSManagedObjectConstraintMergeError``: a save met rows that break a uniqueness constraint.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/managedobjectconstraintmerge)
    public static var managedObjectConstraintMerge: CocoaError.Code {
        CocoaError.Code(rawValue: NSManagedObjectConstraintMergeError)
    }
    /// The code 134000, ``NSPersistentStoreInvalidTypeError``: no store has this type, or the stores of this type are
    /// not files.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/persistentstoreinvalidtype)
    public static var persistentStoreInvalidType: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreInvalidTypeError)
    }
    /// The code 134010, ``NSPersistentStoreTypeMismatchError``: a store of another type is at the URL.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/persistentstoretypemismatch)
    public static var persistentStoreTypeMismatch: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreTypeMismatchError)
    }
    /// The code 134020, ``NSPersistentStoreIncompatibleSchemaError``: a store cannot hold the model, or its tables do
    /// not fit the model.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/persistentstoreincompatibleschema)
    public static var persistentStoreIncompatibleSchema: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreIncompatibleSchemaError)
    }
    /// The code 134030, ``NSPersistentStoreSaveError``: a store could not be written, or the context has no store for
    /// its changes.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/persistentstoresave)
    public static var persistentStoreSave: CocoaError.Code { CocoaError.Code(rawValue: NSPersistentStoreSaveError) }
    /// The code 134040, ``NSPersistentStoreIncompleteSaveError``: only some of several stores were saved.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/persistentstoreincompletesave)
    public static var persistentStoreIncompleteSave: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreIncompleteSaveError)
    }
    /// The code 134050, ``NSPersistentStoreSaveConflictsError``: a save has unresolved conflicts.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/persistentstoresaveconflicts)
    public static var persistentStoreSaveConflicts: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreSaveConflictsError)
    }
    /// The code 134060, ``NSCoreDataError``: a general error of Core Data, such as an unknown entity or a predicate
    /// that a store cannot carry out.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/coredata)
    public static var coreData: CocoaError.Code { CocoaError.Code(rawValue: NSCoreDataError) }
    /// The code 134070, ``NSPersistentStoreOperationError``: a store or a coordinator cannot carry out an operation.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/persistentstoreoperation)
    public static var persistentStoreOperation: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreOperationError)
    }
    /// The code 134080, ``NSPersistentStoreOpenError``: a store could not be opened.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/persistentstoreopen)
    public static var persistentStoreOpen: CocoaError.Code { CocoaError.Code(rawValue: NSPersistentStoreOpenError) }
    /// The code 134090, ``NSPersistentStoreTimeoutError``: another program holds the store, or a request took longer
    /// than its limit.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/persistentstoretimeout)
    public static var persistentStoreTimeout: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreTimeoutError)
    }
    /// The code 134091, ``NSPersistentStoreUnsupportedRequestTypeError``: a store cannot execute this kind of request.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/persistentstoreunsupportedrequesttype)
    public static var persistentStoreUnsupportedRequestType: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreUnsupportedRequestTypeError)
    }
    /// The code 134100, ``NSPersistentStoreIncompatibleVersionHashError``: the store is of another version of the
    /// model.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/persistentstoreincompatibleversionhash)
    public static var persistentStoreIncompatibleVersionHash: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreIncompatibleVersionHashError)
    }
    /// The code 134110, ``NSMigrationError``: a migration failed; the store is as it was.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/migration)
    public static var migration: CocoaError.Code { CocoaError.Code(rawValue: NSMigrationError) }
    /// The code 134111, ``NSMigrationConstraintViolationError``: a migration met rows that break a uniqueness
    /// constraint of the newer version.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/migrationconstraintviolation)
    public static var migrationConstraintViolation: CocoaError.Code {
        CocoaError.Code(rawValue: NSMigrationConstraintViolationError)
    }
    /// The code 134120, ``NSMigrationCancelledError``: a migration or a move was cancelled; the store is as it was.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/migrationcancelled)
    public static var migrationCancelled: CocoaError.Code { CocoaError.Code(rawValue: NSMigrationCancelledError) }
    /// The code 134130, ``NSMigrationMissingSourceModelError``: no model of the store's version was found, or opening
    /// the store would lose values.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/migrationmissingsourcemodel)
    public static var migrationMissingSourceModel: CocoaError.Code {
        CocoaError.Code(rawValue: NSMigrationMissingSourceModelError)
    }
    /// The code 134140, ``NSMigrationMissingMappingModelError``: no mapping model leads from the store's version to the
    /// coordinator's model.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/migrationmissingmappingmodel)
    public static var migrationMissingMappingModel: CocoaError.Code {
        CocoaError.Code(rawValue: NSMigrationMissingMappingModelError)
    }
    /// The code 134150, ``NSMigrationManagerSourceStoreError``: a migration manager could not open its source store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/migrationmanagersourcestore)
    public static var migrationManagerSourceStore: CocoaError.Code {
        CocoaError.Code(rawValue: NSMigrationManagerSourceStoreError)
    }
    /// The code 134160, ``NSMigrationManagerDestinationStoreError``: a migration manager could not create or fill its
    /// destination store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/migrationmanagerdestinationstore)
    public static var migrationManagerDestinationStore: CocoaError.Code {
        CocoaError.Code(rawValue: NSMigrationManagerDestinationStoreError)
    }
    /// The code 134170, ``NSEntityMigrationPolicyError``: an entity migration policy failed, or its class was not
    /// found.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/entitymigrationpolicy)
    public static var entityMigrationPolicy: CocoaError.Code { CocoaError.Code(rawValue: NSEntityMigrationPolicyError) }
    /// The code 134180, ``NSSQLiteError``: SQLite reported an error.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/sqlite)
    public static var sqlite: CocoaError.Code { CocoaError.Code(rawValue: NSSQLiteError) }
    /// The code 134190, ``NSInferredMappingModelError``: no mapping model can be inferred between two versions of the
    /// model.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/inferredmappingmodel)
    public static var inferredMappingModel: CocoaError.Code { CocoaError.Code(rawValue: NSInferredMappingModelError) }
    /// The code 134200, ``NSExternalRecordImportError``: an external record could not be imported.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/code/externalrecordimport)
    public static var externalRecordImport: CocoaError.Code { CocoaError.Code(rawValue: NSExternalRecordImportError) }
}

extension CocoaError {
    /// The code 1550, ``NSManagedObjectValidationError``: a managed object or a batch's value failed validation in a
    /// way that has no code of its own.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/managedobjectvalidation)
    public static var managedObjectValidation: CocoaError.Code { .managedObjectValidation }
    /// The code 1560, ``NSValidationMultipleErrorsError``: validation found several errors.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/validationmultipleerrors)
    public static var validationMultipleErrors: CocoaError.Code { .validationMultipleErrors }
    /// The code 1570, ``NSValidationMissingMandatoryPropertyError``: a property that is not optional has no value.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/validationmissingmandatoryproperty)
    public static var validationMissingMandatoryProperty: CocoaError.Code { .validationMissingMandatoryProperty }
    /// The code 1580, ``NSValidationRelationshipLacksMinimumCountError``: a to-many relationship has fewer objects than
    /// its `minCount`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/validationrelationshiplacksminimumcount)
    public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
        .validationRelationshipLacksMinimumCount
    }
    /// The code 1590, ``NSValidationRelationshipExceedsMaximumCountError``: a to-many relationship has more objects
    /// than its `maxCount`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/validationrelationshipexceedsmaximumcount)
    public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
        .validationRelationshipExceedsMaximumCount
    }
    /// The code 1600, ``NSValidationRelationshipDeniedDeleteError``: a deleted object still leads to objects by a
    /// relationship with the delete rule Deny.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/validationrelationshipdenieddelete)
    public static var validationRelationshipDeniedDelete: CocoaError.Code { .validationRelationshipDeniedDelete }
    /// The code 1610, ``NSValidationNumberTooLargeError``: a number is above the attribute's maximum, or beyond the
    /// range of its integer type.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/validationnumbertoolarge)
    public static var validationNumberTooLarge: CocoaError.Code { .validationNumberTooLarge }
    /// The code 1620, ``NSValidationNumberTooSmallError``: a number is below the attribute's minimum, or beyond the
    /// range of its integer type.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/validationnumbertoosmall)
    public static var validationNumberTooSmall: CocoaError.Code { .validationNumberTooSmall }
    /// The code 1630, ``NSValidationDateTooLateError``: a date is after the attribute's latest date.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/validationdatetoolate)
    public static var validationDateTooLate: CocoaError.Code { .validationDateTooLate }
    /// The code 1640, ``NSValidationDateTooSoonError``: a date is before the attribute's earliest date.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/validationdatetoosoon)
    public static var validationDateTooSoon: CocoaError.Code { .validationDateTooSoon }
    /// The code 1650, ``NSValidationInvalidDateError``: a date is not a date, because its time is not a number.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/validationinvaliddate)
    public static var validationInvalidDate: CocoaError.Code { .validationInvalidDate }
    /// The code 1660, ``NSValidationStringTooLongError``: a string is longer than the attribute allows.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/validationstringtoolong)
    public static var validationStringTooLong: CocoaError.Code { .validationStringTooLong }
    /// The code 1670, ``NSValidationStringTooShortError``: a string is shorter than the attribute allows.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/validationstringtooshort)
    public static var validationStringTooShort: CocoaError.Code { .validationStringTooShort }
    /// The code 1680, ``NSValidationStringPatternMatchingError``: a string does not match the attribute's regular
    /// expression.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/validationstringpatternmatching)
    public static var validationStringPatternMatching: CocoaError.Code { .validationStringPatternMatching }
    /// The code 132000, ``NSManagedObjectContextLockingError``: a context could not be locked.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/managedobjectcontextlocking)
    public static var managedObjectContextLocking: CocoaError.Code { .managedObjectContextLocking }
    /// The code 132010, ``NSPersistentStoreCoordinatorLockingError``: a coordinator could not be locked.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/persistentstorecoordinatorlocking)
    public static var persistentStoreCoordinatorLocking: CocoaError.Code { .persistentStoreCoordinatorLocking }
    /// The code 133000, ``NSManagedObjectReferentialIntegrityError``: the row of an object does not exist.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/managedobjectreferentialintegrity)
    public static var managedObjectReferentialIntegrity: CocoaError.Code { .managedObjectReferentialIntegrity }
    /// The code 133010, ``NSManagedObjectExternalRelationshipError``: a relationship leads to an object of another
    /// store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/managedobjectexternalrelationship)
    public static var managedObjectExternalRelationship: CocoaError.Code { .managedObjectExternalRelationship }
    /// The code 133020, ``NSManagedObjectMergeError``: a save met rows that were changed or deleted since
    /// they were read.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/managedobjectmerge)
    public static var managedObjectMerge: CocoaError.Code { .managedObjectMerge }
    /// The code 133021, ``NSManagedObjectConstraintMergeError``: a save met rows that break a uniqueness constraint.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/managedobjectconstraintmerge)
    public static var managedObjectConstraintMerge: CocoaError.Code { .managedObjectConstraintMerge }
    /// The code 134000, ``NSPersistentStoreInvalidTypeError``: no store has this type, or the stores of this type are
    /// not files.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/persistentstoreinvalidtype)
    public static var persistentStoreInvalidType: CocoaError.Code { .persistentStoreInvalidType }
    /// The code 134010, ``NSPersistentStoreTypeMismatchError``: a store of another type is at the URL.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/persistentstoretypemismatch)
    public static var persistentStoreTypeMismatch: CocoaError.Code { .persistentStoreTypeMismatch }
    /// The code 134020, ``NSPersistentStoreIncompatibleSchemaError``: a store cannot hold the model, or its tables do
    /// not fit the model.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/persistentstoreincompatibleschema)
    public static var persistentStoreIncompatibleSchema: CocoaError.Code { .persistentStoreIncompatibleSchema }
    /// The code 134030, ``NSPersistentStoreSaveError``: a store could not be written, or the context has no store for
    /// its changes.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/persistentstoresave)
    public static var persistentStoreSave: CocoaError.Code { .persistentStoreSave }
    /// The code 134040, ``NSPersistentStoreIncompleteSaveError``: only some of several stores were saved.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/persistentstoreincompletesave)
    public static var persistentStoreIncompleteSave: CocoaError.Code { .persistentStoreIncompleteSave }
    /// The code 134050, ``NSPersistentStoreSaveConflictsError``: a save has unresolved conflicts.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/persistentstoresaveconflicts)
    public static var persistentStoreSaveConflicts: CocoaError.Code { .persistentStoreSaveConflicts }
    /// The code 134060, ``NSCoreDataError``: a general error of Core Data, such as an unknown entity or a predicate
    /// that a store cannot carry out.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/coredata)
    public static var coreData: CocoaError.Code { .coreData }
    /// The code 134070, ``NSPersistentStoreOperationError``: a store or a coordinator cannot carry out an operation.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/persistentstoreoperation)
    public static var persistentStoreOperation: CocoaError.Code { .persistentStoreOperation }
    /// The code 134080, ``NSPersistentStoreOpenError``: a store could not be opened.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/persistentstoreopen)
    public static var persistentStoreOpen: CocoaError.Code { .persistentStoreOpen }
    /// The code 134090, ``NSPersistentStoreTimeoutError``: another program holds the store, or a request took longer
    /// than its limit.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/persistentstoretimeout)
    public static var persistentStoreTimeout: CocoaError.Code { .persistentStoreTimeout }
    /// The code 134091, ``NSPersistentStoreUnsupportedRequestTypeError``: a store cannot execute this kind of request.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/persistentstoreunsupportedrequesttype)
    public static var persistentStoreUnsupportedRequestType: CocoaError.Code { .persistentStoreUnsupportedRequestType }
    /// The code 134100, ``NSPersistentStoreIncompatibleVersionHashError``: the store is of another version of the
    /// model.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/persistentstoreincompatibleversionhash)
    public static var persistentStoreIncompatibleVersionHash: CocoaError.Code {
        .persistentStoreIncompatibleVersionHash
    }
    /// The code 134110, ``NSMigrationError``: a migration failed; the store is as it was.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/migration)
    public static var migration: CocoaError.Code { .migration }
    /// The code 134111, ``NSMigrationConstraintViolationError``: a migration met rows that break a uniqueness
    /// constraint of the newer version.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/migrationconstraintviolation)
    public static var migrationConstraintViolation: CocoaError.Code { .migrationConstraintViolation }
    /// The code 134120, ``NSMigrationCancelledError``: a migration or a move was cancelled; the store is as it was.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/migrationcancelled)
    public static var migrationCancelled: CocoaError.Code { .migrationCancelled }
    /// The code 134130, ``NSMigrationMissingSourceModelError``: no model of the store's version was found, or opening
    /// the store would lose values.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/migrationmissingsourcemodel)
    public static var migrationMissingSourceModel: CocoaError.Code { .migrationMissingSourceModel }
    /// The code 134140, ``NSMigrationMissingMappingModelError``: no mapping model leads from the store's version to the
    /// coordinator's model.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/migrationmissingmappingmodel)
    public static var migrationMissingMappingModel: CocoaError.Code { .migrationMissingMappingModel }
    /// The code 134150, ``NSMigrationManagerSourceStoreError``: a migration manager could not open its source store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/migrationmanagersourcestore)
    public static var migrationManagerSourceStore: CocoaError.Code { .migrationManagerSourceStore }
    /// The code 134160, ``NSMigrationManagerDestinationStoreError``: a migration manager could not create or fill its
    /// destination store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/migrationmanagerdestinationstore)
    public static var migrationManagerDestinationStore: CocoaError.Code { .migrationManagerDestinationStore }
    /// The code 134170, ``NSEntityMigrationPolicyError``: an entity migration policy failed, or its class was not
    /// found.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/entitymigrationpolicy)
    public static var entityMigrationPolicy: CocoaError.Code { .entityMigrationPolicy }
    /// The code 134180, ``NSSQLiteError``: SQLite reported an error.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/sqlite)
    public static var sqlite: CocoaError.Code { .sqlite }
    /// The code 134190, ``NSInferredMappingModelError``: no mapping model can be inferred between two versions of the
    /// model.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/inferredmappingmodel)
    public static var inferredMappingModel: CocoaError.Code { .inferredMappingModel }
    /// The code 134200, ``NSExternalRecordImportError``: an external record could not be imported.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/cocoaerror/externalrecordimport)
    public static var externalRecordImport: CocoaError.Code { .externalRecordImport }
}
