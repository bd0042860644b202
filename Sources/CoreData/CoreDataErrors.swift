import Foundation

// Error codes of Core Data in `NSCocoaErrorDomain`, and the keys of their user info. Values are Apple's.

// MARK: Keys and domain

/// The errors that a multiple validation error gathers: `[Error]`.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// The object that failed validation.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// The key of the property that failed validation: `String`.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
/// The predicate that a value did not satisfy.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The value that failed validation.
public let NSValidationValueErrorKey = "NSValidationErrorValue"
/// The stores that an error is about: `[NSPersistentStore]`.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// The objects that an error is about.
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// The conflicts that a save could not resolve: `[NSMergeConflict]` or `[NSConstraintConflict]`.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
/// The domain of SQLite's codes; as a key of the user info it gives the extended result code: `Int`.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"

// MARK: Codes

/// A generic failure of validation of a managed object.
public var NSManagedObjectValidationError: Int { 1550 }
/// One or more uniqueness constraints of a managed object are broken.
public var NSManagedObjectConstraintValidationError: Int { 1551 }
/// Several validation errors at once: they are under `NSDetailedErrorsKey`.
public var NSValidationMultipleErrorsError: Int { 1560 }
/// A property that is not optional has no value.
public var NSValidationMissingMandatoryPropertyError: Int { 1570 }
/// A to-many relationship has too few members.
public var NSValidationRelationshipLacksMinimumCountError: Int { 1580 }
/// A to-many relationship has too many members.
public var NSValidationRelationshipExceedsMaximumCountError: Int { 1590 }
/// A relationship with the delete rule Deny still has members.
public var NSValidationRelationshipDeniedDeleteError: Int { 1600 }
/// A number lies above the attribute's maximum.
public var NSValidationNumberTooLargeError: Int { 1610 }
/// A number lies below the attribute's minimum.
public var NSValidationNumberTooSmallError: Int { 1620 }
/// A date lies after the attribute's latest date.
public var NSValidationDateTooLateError: Int { 1630 }
/// A date lies before the attribute's earliest date.
public var NSValidationDateTooSoonError: Int { 1640 }
/// A date is not a valid date.
public var NSValidationInvalidDateError: Int { 1650 }
/// A string is longer than the attribute allows.
public var NSValidationStringTooLongError: Int { 1660 }
/// A string is shorter than the attribute allows.
public var NSValidationStringTooShortError: Int { 1670 }
/// A string does not match the attribute's regular expression.
public var NSValidationStringPatternMatchingError: Int { 1680 }
/// A URI is not a valid URI.
public var NSValidationInvalidURIError: Int { 1690 }
/// A context could not be locked.
public var NSManagedObjectContextLockingError: Int { 132_000 }
/// A coordinator could not be locked.
public var NSPersistentStoreCoordinatorLockingError: Int { 132_010 }
/// An object points at an object that is not in the store.
public var NSManagedObjectReferentialIntegrityError: Int { 133_000 }
/// A relationship leads to an object of another store.
public var NSManagedObjectExternalRelationshipError: Int { 133_010 }
/// A save met rows that somebody else changed: the error's affected objects.
public var NSManagedObjectMergeError: Int { 133_020 }
/// A save met rows that break a uniqueness constraint.
public var NSManagedObjectConstraintMergeError: Int { 133_021 }
/// The store type is not known.
public var NSPersistentStoreInvalidTypeError: Int { 134_000 }
/// A store of another type than the named one lies at the address.
public var NSPersistentStoreTypeMismatchError: Int { 134_010 }
/// The store cannot represent the model, or the model itself is inconsistent.
public var NSPersistentStoreIncompatibleSchemaError: Int { 134_020 }
/// Writing a store failed.
public var NSPersistentStoreSaveError: Int { 134_030 }
/// Some stores were saved and others were not: see `NSAffectedStoresErrorKey`.
public var NSPersistentStoreIncompleteSaveError: Int { 134_040 }
/// A save was refused because of unresolved conflicts.
public var NSPersistentStoreSaveConflictsError: Int { 134_050 }
/// A general Core Data error.
public var NSCoreDataError: Int { 134_060 }
/// An operation on a store failed.
public var NSPersistentStoreOperationError: Int { 134_070 }
/// A store could not be opened.
public var NSPersistentStoreOpenError: Int { 134_080 }
/// A store stayed locked by somebody else for longer than the time limit.
public var NSPersistentStoreTimeoutError: Int { 134_090 }
/// The store does not know this kind of request.
public var NSPersistentStoreUnsupportedRequestTypeError: Int { 134_091 }
/// The model is not the one the store was made with.
public var NSPersistentStoreIncompatibleVersionHashError: Int { 134_100 }
/// A migration failed.
public var NSMigrationError: Int { 134_110 }
/// A migration met rows that break a uniqueness constraint.
public var NSMigrationConstraintViolationError: Int { 134_111 }
/// A migration was cancelled.
public var NSMigrationCancelledError: Int { 134_120 }
/// No model fits the store that should be migrated.
public var NSMigrationMissingSourceModelError: Int { 134_130 }
/// No mapping model leads from the store's model to the wanted one.
public var NSMigrationMissingMappingModelError: Int { 134_140 }
/// A migration could not read its source store.
public var NSMigrationManagerSourceStoreError: Int { 134_150 }
/// A migration could not write its destination store.
public var NSMigrationManagerDestinationStoreError: Int { 134_160 }
/// An entity migration policy failed.
public var NSEntityMigrationPolicyError: Int { 134_170 }
/// SQLite reported an error: its extended code is under `NSSQLiteErrorDomain`.
public var NSSQLiteError: Int { 134_180 }
/// No mapping model can be inferred between two models.
public var NSInferredMappingModelError: Int { 134_190 }
/// An external record could not be imported.
public var NSExternalRecordImportError: Int { 134_200 }
/// A history token is older than the history that is kept.
public var NSPersistentHistoryTokenExpiredError: Int { 134_301 }
/// A model reference of a staged migration names a model that was not found.
public var NSManagedObjectModelReferenceNotFoundError: Int { 134_504 }
/// A staged migration needs another version of the framework.
public var NSStagedMigrationFrameworkVersionMismatchError: Int { 134_505 }
/// A staged migration would lead backwards.
public var NSStagedMigrationBackwardMigrationError: Int { 134_506 }
