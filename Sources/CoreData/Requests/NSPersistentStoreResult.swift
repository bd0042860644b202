import Foundation

/// What `NSManagedObjectContext.execute(_:)` returns; a subclass for each kind of request.
open class NSPersistentStoreResult: NSObject {}

/// What a batch insertion did.
open class NSBatchInsertResult: NSPersistentStoreResult {
    /// `NSNumber` of a truth value or of the number of rows, or `[NSManagedObjectID]`, as `resultType` says.
    open private(set) var result: Any?
    /// What the request asked for.
    open private(set) var resultType: NSBatchInsertRequestResultType

    /// Makes a result of nothing. For subclasses in a program's tests.
    public override init() {
        resultType = .statusOnly
        super.init()
    }

    init(result: Any?, resultType: NSBatchInsertRequestResultType) {
        self.result = result
        self.resultType = resultType
    }
}

/// What a batch update did.
open class NSBatchUpdateResult: NSPersistentStoreResult {
    /// `NSNumber` of a truth value or of the number of rows, or `[NSManagedObjectID]`, as `resultType` says.
    open private(set) var result: Any?
    /// What the request asked for.
    open private(set) var resultType: NSBatchUpdateRequestResultType

    /// Makes a result of nothing. For subclasses in a program's tests.
    public override init() {
        resultType = .statusOnlyResultType
        super.init()
    }

    init(result: Any?, resultType: NSBatchUpdateRequestResultType) {
        self.result = result
        self.resultType = resultType
    }
}

/// What a batch deletion did.
open class NSBatchDeleteResult: NSPersistentStoreResult {
    /// `NSNumber` of a truth value or of the number of rows, or `[NSManagedObjectID]`, as `resultType` says. Rows that
    /// went along by a delete rule are not among them.
    open private(set) var result: Any?
    /// What the request asked for.
    open private(set) var resultType: NSBatchDeleteRequestResultType

    /// Makes a result of nothing. For subclasses in a program's tests.
    public override init() {
        resultType = .resultTypeStatusOnly
        super.init()
    }

    init(result: Any?, resultType: NSBatchDeleteRequestResultType) {
        self.result = result
        self.resultType = resultType
    }
}
