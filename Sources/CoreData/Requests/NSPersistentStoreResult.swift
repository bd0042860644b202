import Foundation

/// The result of ``NSManagedObjectContext/execute(_:)``, with a subclass for each kind of request.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoreresult)
open class NSPersistentStoreResult: NSObject {}

/// The result of a batch insertion.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchinsertresult)
open class NSBatchInsertResult: NSPersistentStoreResult {
    /// An `NSNumber` with a truth value or the number of rows, or `[NSManagedObjectID]`, as ``resultType`` says.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchinsertresult/result)
    open private(set) var result: Any?
    /// The form that the request asked for.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchinsertresult/resulttype)
    open private(set) var resultType: NSBatchInsertRequestResultType

    /// Creates an empty result, for the tests of a program.
    public override init() {
        resultType = .statusOnly
        super.init()
    }

    init(result: Any?, resultType: NSBatchInsertRequestResultType) {
        self.result = result
        self.resultType = resultType
    }
}

/// The result of a batch update.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchupdateresult)
open class NSBatchUpdateResult: NSPersistentStoreResult {
    /// An `NSNumber` with a truth value or the number of rows, or `[NSManagedObjectID]`, as ``resultType`` says.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchupdateresult/result)
    open private(set) var result: Any?
    /// The form that the request asked for.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchupdateresult/resulttype)
    open private(set) var resultType: NSBatchUpdateRequestResultType

    /// Creates an empty result, for the tests of a program.
    public override init() {
        resultType = .statusOnlyResultType
        super.init()
    }

    init(result: Any?, resultType: NSBatchUpdateRequestResultType) {
        self.result = result
        self.resultType = resultType
    }
}

/// The result of a batch deletion.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchdeleteresult)
open class NSBatchDeleteResult: NSPersistentStoreResult {
    /// An `NSNumber` with a truth value or the number of rows, or `[NSManagedObjectID]`, as ``resultType`` says.
    ///
    /// Rows that the store deleted because of a delete rule are not among them.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchdeleteresult/result)
    open private(set) var result: Any?
    /// The form that the request asked for.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchdeleteresult/resulttype)
    open private(set) var resultType: NSBatchDeleteRequestResultType

    /// Creates an empty result, for the tests of a program.
    public override init() {
        resultType = .resultTypeStatusOnly
        super.init()
    }

    init(result: Any?, resultType: NSBatchDeleteRequestResultType) {
        self.result = result
        self.resultType = resultType
    }
}
