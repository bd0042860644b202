import Foundation

// Error codes of Core Data in `NSCocoaErrorDomain`, and the keys of their user info. Values are Apple's.

// MARK: Keys and domain

/// The errors that ``NSValidationMultipleErrorsError`` combines: `[NSError]`.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsdetailederrorskey)
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// The object that failed validation.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsvalidationobjecterrorkey)
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// The name of the property that failed validation: `String`.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsvalidationkeyerrorkey)
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
/// The predicate that a value does not satisfy.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsvalidationpredicateerrorkey)
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The value that failed validation.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsvalidationvalueerrorkey)
public let NSValidationValueErrorKey = "NSValidationErrorValue"
/// The stores that an error is about: `[NSPersistentStore]`.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsaffectedstoreserrorkey)
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// The ids of the objects that an error is about: `[NSManagedObjectID]`.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsaffectedobjectserrorkey)
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// The conflicts that a save could not resolve: `[NSMergeConflict]` or `[NSConstraintConflict]`.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoresaveconflictserrorkey)
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
/// SQLite's extended result code, as a key of an error's user info: `Int`.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nssqliteerrordomain)
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"

// MARK: Codes

/// Error 1550: a managed object or a batch's value failed validation in a way that has no code of its own.
///
/// Examples are a reference to a deleted object, a broken validation predicate, or a batch value of a wrong type.
/// Correct the value under ``NSValidationKeyErrorKey`` and save again.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectvalidationerror)
public var NSManagedObjectValidationError: Int { 1550 }
/// Error 1551: a managed object breaks a uniqueness constraint.
///
/// The framework itself reports this as ``NSManagedObjectConstraintMergeError``. Programs may throw it from their own
/// validation.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectconstraintvalidationerror)
public var NSManagedObjectConstraintValidationError: Int { 1551 }
/// Error 1560: validation found several errors.
///
/// They are under ``NSDetailedErrorsKey``. Correct each of them and save again.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsvalidationmultipleerrorserror)
public var NSValidationMultipleErrorsError: Int { 1560 }
/// Error 1570: a property that is not optional has no value.
///
/// Set the property, or make it optional in the model.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsvalidationmissingmandatorypropertyerror)
public var NSValidationMissingMandatoryPropertyError: Int { 1570 }
/// Error 1580: a to-many relationship has fewer objects than its `minCount`.
///
/// Add objects, or lower the minimum in the model.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsvalidationrelationshiplacksminimumcounterror)
public var NSValidationRelationshipLacksMinimumCountError: Int { 1580 }
/// Error 1590: a to-many relationship has more objects than its `maxCount`.
///
/// Remove objects, or raise the maximum in the model.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsvalidationrelationshipexceedsmaximumcounterror)
public var NSValidationRelationshipExceedsMaximumCountError: Int { 1590 }
/// Error 1600: a deleted object still leads to objects by a relationship with the delete rule Deny.
///
/// Delete these objects too, or remove them from the relationship first.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsvalidationrelationshipdenieddeleteerror)
public var NSValidationRelationshipDeniedDeleteError: Int { 1600 }
/// Error 1610: a number is above the attribute's maximum, or beyond the range of its integer type.
///
/// Set a smaller number, or give the attribute a larger maximum or type.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsvalidationnumbertoolargeerror)
public var NSValidationNumberTooLargeError: Int { 1610 }
/// Error 1620: a number is below the attribute's minimum, or beyond the range of its integer type.
///
/// Set a larger number, or give the attribute a smaller minimum or a larger type.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsvalidationnumbertoosmallerror)
public var NSValidationNumberTooSmallError: Int { 1620 }
/// Error 1630: a date is after the attribute's latest date.
///
/// Set an earlier date, or change the limit in the model.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsvalidationdatetoolateerror)
public var NSValidationDateTooLateError: Int { 1630 }
/// Error 1640: a date is before the attribute's earliest date.
///
/// Set a later date, or change the limit in the model.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsvalidationdatetoosoonerror)
public var NSValidationDateTooSoonError: Int { 1640 }
/// Error 1650: a date is not a date, because its time is not a number.
///
/// Set a valid date, or nil.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsvalidationinvaliddateerror)
public var NSValidationInvalidDateError: Int { 1650 }
/// Error 1660: a string is longer than the attribute allows.
///
/// Shorten the string, or raise the limit in the model.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsvalidationstringtoolongerror)
public var NSValidationStringTooLongError: Int { 1660 }
/// Error 1670: a string is shorter than the attribute allows.
///
/// Set a longer string, or lower the limit in the model.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsvalidationstringtooshorterror)
public var NSValidationStringTooShortError: Int { 1670 }
/// Error 1680: a string does not match the attribute's regular expression.
///
/// Set a string that matches, or change the expression in the model.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsvalidationstringpatternmatchingerror)
public var NSValidationStringPatternMatchingError: Int { 1680 }
/// Error 1690: a URI is not valid.
///
/// The framework itself never reports it. Programs may throw it from their own validation.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsvalidationinvalidurierror)
public var NSValidationInvalidURIError: Int { 1690 }
/// Error 132000: a context could not be locked.
///
/// The framework never reports it, because contexts are used on their queues.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontextlockingerror)
public var NSManagedObjectContextLockingError: Int { 132_000 }
/// Error 132010: a coordinator could not be locked.
///
/// The framework never reports it, because any thread may use a coordinator.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinatorlockingerror)
public var NSPersistentStoreCoordinatorLockingError: Int { 132_010 }
/// Error 133000: the row of an object does not exist.
///
/// The ids are under ``NSAffectedObjectsErrorKey``. Another context or program has probably deleted the row. Drop the
/// object, or refresh the object that led to it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectreferentialintegrityerror)
public var NSManagedObjectReferentialIntegrityError: Int { 133_000 }
/// Error 133010: a relationship leads to an object of another store.
///
/// The framework never reports it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectexternalrelationshiperror)
public var NSManagedObjectExternalRelationshipError: Int { 133_010 }
/// Error 133020: a save met rows that were changed or deleted since they were read.
///
/// The conflicts are under ``NSPersistentStoreSaveConflictsErrorKey``. Refresh the objects and save again, or set a
/// ``NSManagedObjectContext/mergePolicy``.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmergeerror)
public var NSManagedObjectMergeError: Int { 133_020 }
/// Error 133021: a save met rows that break a uniqueness constraint.
///
/// The conflicts are under ``NSPersistentStoreSaveConflictsErrorKey``. Change the values and save again, or set a
/// ``NSManagedObjectContext/mergePolicy``.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectconstraintmergeerror)
public var NSManagedObjectConstraintMergeError: Int { 133_021 }
/// Error 134000: no store has this type, or the stores of this type are not files.
///
/// Correct the type, register the store's class, or add the product that brings it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreinvalidtypeerror)
public var NSPersistentStoreInvalidTypeError: Int { 134_000 }
/// Error 134010: a store of another type is at the URL.
///
/// The framework itself never reports it: such a file is a read error. Programs' own stores may throw it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoretypemismatcherror)
public var NSPersistentStoreTypeMismatchError: Int { 134_010 }
/// Error 134020: a store cannot hold the model, or its tables do not fit the model.
///
/// The error names the cause. Change the model, or restore the missing table or column.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreincompatibleschemaerror)
public var NSPersistentStoreIncompatibleSchemaError: Int { 134_020 }
/// Error 134030: a store could not be written, or the context has no store for its changes.
///
/// The error names the cause, such as a value that the store cannot hold. Remove it and save again; the changes are
/// still unsaved. A full disk is `NSFileWriteOutOfSpaceError` (640), and a read-only store is
/// `NSFileWriteNoPermissionError` (513).
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoresaveerror)
public var NSPersistentStoreSaveError: Int { 134_030 }
/// Error 134040: only some of several stores were saved.
///
/// The framework never reports it: an error that ends such a save is that of the store.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreincompletesaveerror)
public var NSPersistentStoreIncompleteSaveError: Int { 134_040 }
/// Error 134050: a save has unresolved conflicts.
///
/// The framework itself reports this as ``NSManagedObjectMergeError`` or ``NSManagedObjectConstraintMergeError``.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoresaveconflictserror)
public var NSPersistentStoreSaveConflictsError: Int { 134_050 }
/// Error 134060: a general error of Core Data, such as an unknown entity or a predicate that a store cannot carry out.
///
/// The error's text says what to correct in the program.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nscoredataerror)
public var NSCoreDataError: Int { 134_060 }
/// Error 134070: a store or a coordinator cannot carry out an operation.
///
/// For example, a store was removed from its coordinator, or stores of these types cannot be moved to each other. The
/// error's text names the cause.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreoperationerror)
public var NSPersistentStoreOperationError: Int { 134_070 }
/// Error 134080: a store could not be opened.
///
/// Its options, its configuration or its URL do not fit, or the file or its folder cannot be used. Correct these and
/// open it again.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreopenerror)
public var NSPersistentStoreOpenError: Int { 134_080 }
/// Error 134090: another program holds the store, or a request took longer than its limit.
///
/// The error names the other processes as far as the system tells. Try again later, or raise
/// `NSPersistentStoreTimeoutOption` or `NSPersistentStoreRequestTimeLimitOption`.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoretimeouterror)
public var NSPersistentStoreTimeoutError: Int { 134_090 }
/// Error 134091: a store cannot execute this kind of request.
///
/// Send the request to another store (`affectedStores`), or change objects in a context instead.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreunsupportedrequesttypeerror)
public var NSPersistentStoreUnsupportedRequestTypeError: Int { 134_091 }
/// Error 134100: the store is of another version of the model.
///
/// Allow a migration with `NSMigratePersistentStoresAutomaticallyOption`, or open the store with the model that it was
/// written with.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreincompatibleversionhasherror)
public var NSPersistentStoreIncompatibleVersionHashError: Int { 134_100 }
/// Error 134110: a migration failed; the store is as it was.
///
/// The error names the entity, the property and a row if one of them is the cause. Correct the value or the model, and
/// open the store again.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationerror)
public var NSMigrationError: Int { 134_110 }
/// Error 134111: a migration met rows that break a uniqueness constraint of the newer version.
///
/// Change these values with the older version, or remove the constraint.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationconstraintviolationerror)
public var NSMigrationConstraintViolationError: Int { 134_111 }
/// Error 134120: a migration or a move was cancelled; the store is as it was.
///
/// Open the store again to begin anew.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationcancellederror)
public var NSMigrationCancelledError: Int { 134_120 }
/// Error 134130: no model of the store's version was found, or opening the store would lose values.
///
/// Keep the older versions of the model in the program's resources. Name the losses to accept in
/// `NSMigrationAllowedLossesOption`.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmissingsourcemodelerror)
public var NSMigrationMissingSourceModelError: Int { 134_130 }
/// Error 134140: no mapping model leads from the store's version to the coordinator's model.
///
/// Add a mapping model, or allow an inferred one with `NSInferMappingModelAutomaticallyOption`.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmissingmappingmodelerror)
public var NSMigrationMissingMappingModelError: Int { 134_140 }
/// Error 134150: a migration manager could not open its source store.
///
/// The underlying error names the cause.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmanagersourcestoreerror)
public var NSMigrationManagerSourceStoreError: Int { 134_150 }
/// Error 134160: a migration manager could not create or fill its destination store.
///
/// The error names the cause, such as a second run of a migration that is already complete.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmanagerdestinationstoreerror)
public var NSMigrationManagerDestinationStoreError: Int { 134_160 }
/// Error 134170: an entity migration policy failed, or its class was not found.
///
/// The policy's own error is the underlying one.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsentitymigrationpolicyerror)
public var NSEntityMigrationPolicyError: Int { 134_170 }
/// Error 134180: SQLite reported an error.
///
/// SQLite's extended code is under ``NSSQLiteErrorDomain``.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nssqliteerror)
public var NSSQLiteError: Int { 134_180 }
/// Error 134190: no mapping model can be inferred between two versions of the model.
///
/// The error names the entity and the property. Write a mapping model for this change.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsinferredmappingmodelerror)
public var NSInferredMappingModelError: Int { 134_190 }
/// Error 134200: an external record could not be imported.
///
/// The framework never reports it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsexternalrecordimporterror)
public var NSExternalRecordImportError: Int { 134_200 }
/// Error 134301: history after a token is not kept any more.
///
/// Fetch the objects anew, and read the history from
/// ``NSPersistentStoreCoordinator/currentPersistentHistoryToken(fromStores:)`` on.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorytokenexpirederror)
public var NSPersistentHistoryTokenExpiredError: Int { 134_301 }
/// Error 134504: a model that a stage of a migration names was not found.
///
/// Add the model of that version to the program's resources, or correct the stage's checksum.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectmodelreferencenotfounderror)
public var NSManagedObjectModelReferenceNotFoundError: Int { 134_504 }
/// Error 134505: a staged migration needs another version of the framework.
///
/// The framework never reports it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsstagedmigrationframeworkversionmismatcherror)
public var NSStagedMigrationFrameworkVersionMismatchError: Int { 134_505 }
/// Error 134506: a staged migration would lead to an older version of the model.
///
/// Open the store with the newer model.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsstagedmigrationbackwardmigrationerror)
public var NSStagedMigrationBackwardMigrationError: Int { 134_506 }
