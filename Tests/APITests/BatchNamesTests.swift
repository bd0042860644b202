import CoreData
import Testing

// Each line names a symbol with the type it has in Apple's interface: a change of either no longer compiles.

@Suite("Apple's names of batch requests and asynchronous fetch")
struct BatchNamesTests {
    @Test("NSManagedObjectContext executes requests")
    func execute() {
        let _: (NSManagedObjectContext) -> (NSPersistentStoreRequest) throws -> NSPersistentStoreResult =
            NSManagedObjectContext.execute(_:)
        _ = NSPersistentStoreResult.self
    }

    @Test("NSBatchInsertRequest has its members")
    func batchInsert() {
        let _: (String, [[String: Any]]) -> NSBatchInsertRequest = NSBatchInsertRequest.init(entityName:objects:)
        let _: (NSEntityDescription, [[String: Any]]) -> NSBatchInsertRequest = NSBatchInsertRequest.init(
            entity:objects:)
        let _: (String, @escaping (NSMutableDictionary) -> Bool) -> NSBatchInsertRequest = NSBatchInsertRequest.init(
            entityName:dictionaryHandler:)
        let _: (NSEntityDescription, @escaping (NSMutableDictionary) -> Bool) -> NSBatchInsertRequest =
            NSBatchInsertRequest.init(entity:dictionaryHandler:)
        let _: (String, @escaping (NSManagedObject) -> Bool) -> NSBatchInsertRequest = NSBatchInsertRequest.init(
            entityName:managedObjectHandler:)
        let _: (NSEntityDescription, @escaping (NSManagedObject) -> Bool) -> NSBatchInsertRequest =
            NSBatchInsertRequest.init(entity:managedObjectHandler:)
        let _: KeyPath<NSBatchInsertRequest, String> = \.entityName
        let _: KeyPath<NSBatchInsertRequest, NSEntityDescription?> = \.entity
        let _: ReferenceWritableKeyPath<NSBatchInsertRequest, [[String: Any]]?> = \.objectsToInsert
        let _: ReferenceWritableKeyPath<NSBatchInsertRequest, ((NSMutableDictionary) -> Bool)?> = \.dictionaryHandler
        let _: ReferenceWritableKeyPath<NSBatchInsertRequest, ((NSManagedObject) -> Bool)?> = \.managedObjectHandler
        let _: ReferenceWritableKeyPath<NSBatchInsertRequest, NSBatchInsertRequestResultType> = \.resultType
        let _: KeyPath<NSBatchInsertResult, Any?> = \.result
        let _: KeyPath<NSBatchInsertResult, NSBatchInsertRequestResultType> = \.resultType
        #expect(NSBatchInsertRequestResultType.statusOnly.rawValue == 0 as UInt)
        #expect(NSBatchInsertRequestResultType.objectIDs.rawValue == 1)
        #expect(NSBatchInsertRequestResultType.count.rawValue == 2)
        #expect(NSPersistentStoreRequestType.batchInsertRequestType.rawValue == 5)
    }

    @Test("NSBatchUpdateRequest has its members")
    func batchUpdate() {
        let _: (String) -> NSBatchUpdateRequest = NSBatchUpdateRequest.init(entityName:)
        let _: (NSEntityDescription) -> NSBatchUpdateRequest = NSBatchUpdateRequest.init(entity:)
        let _: KeyPath<NSBatchUpdateRequest, String> = \.entityName
        let _: KeyPath<NSBatchUpdateRequest, NSEntityDescription?> = \.entity
        let _: ReferenceWritableKeyPath<NSBatchUpdateRequest, NSPredicate?> = \.predicate
        let _: ReferenceWritableKeyPath<NSBatchUpdateRequest, Bool> = \.includesSubentities
        let _: ReferenceWritableKeyPath<NSBatchUpdateRequest, [AnyHashable: Any]?> = \.propertiesToUpdate
        let _: ReferenceWritableKeyPath<NSBatchUpdateRequest, NSBatchUpdateRequestResultType> = \.resultType
        let _: KeyPath<NSBatchUpdateResult, Any?> = \.result
        let _: KeyPath<NSBatchUpdateResult, NSBatchUpdateRequestResultType> = \.resultType
        #expect(NSBatchUpdateRequestResultType.statusOnlyResultType.rawValue == 0 as UInt)
        #expect(NSBatchUpdateRequestResultType.updatedObjectIDsResultType.rawValue == 1)
        #expect(NSBatchUpdateRequestResultType.updatedObjectsCountResultType.rawValue == 2)
        #expect(NSPersistentStoreRequestType.batchUpdateRequestType.rawValue == 6)
    }

    @Test("NSBatchDeleteRequest has its members")
    func batchDelete() {
        let _: (NSFetchRequest<NSFetchRequestResult>) -> NSBatchDeleteRequest = NSBatchDeleteRequest.init(
            fetchRequest:)
        let _: ([NSManagedObjectID]) -> NSBatchDeleteRequest = NSBatchDeleteRequest.init(objectIDs:)
        let _: KeyPath<NSBatchDeleteRequest, NSFetchRequest<NSFetchRequestResult>> = \.fetchRequest
        let _: ReferenceWritableKeyPath<NSBatchDeleteRequest, NSBatchDeleteRequestResultType> = \.resultType
        let _: KeyPath<NSBatchDeleteResult, Any?> = \.result
        let _: KeyPath<NSBatchDeleteResult, NSBatchDeleteRequestResultType> = \.resultType
        #expect(NSBatchDeleteRequestResultType.resultTypeStatusOnly.rawValue == 0 as UInt)
        #expect(NSBatchDeleteRequestResultType.resultTypeObjectIDs.rawValue == 1)
        #expect(NSBatchDeleteRequestResultType.resultTypeCount.rawValue == 2)
        #expect(NSPersistentStoreRequestType.batchDeleteRequestType.rawValue == 7)
    }

    @Test("NSAsynchronousFetchRequest and its result have their members")
    func asynchronousFetch() {
        typealias Request = NSAsynchronousFetchRequest<NSManagedObject>
        typealias Result = NSAsynchronousFetchResult<NSManagedObject>
        let _: (NSFetchRequest<NSManagedObject>, ((Result) -> Void)?) -> Request = Request.init(
            fetchRequest:completionBlock:)
        let _: KeyPath<Request, NSFetchRequest<NSManagedObject>> = \.fetchRequest
        let _: KeyPath<Request, ((Result) -> Void)?> = \.completionBlock
        let _: ReferenceWritableKeyPath<Request, Int> = \.estimatedResultCount
        let _: KeyPath<Result, NSAsynchronousFetchRequest<NSManagedObject>> = \.fetchRequest
        let _: KeyPath<Result, [NSManagedObject]?> = \.finalResult
        let _: KeyPath<NSPersistentStoreAsynchronousResult, NSManagedObjectContext> = \.managedObjectContext
        let _: KeyPath<NSPersistentStoreAsynchronousResult, (any Error)?> = \.operationError
        let _: KeyPath<NSPersistentStoreAsynchronousResult, Progress?> = \.progress
        let _: (NSPersistentStoreAsynchronousResult) -> () -> Void = NSPersistentStoreAsynchronousResult.cancel
    }
}
