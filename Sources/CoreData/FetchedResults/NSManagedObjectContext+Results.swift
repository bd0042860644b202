import Foundation

extension NSManagedObjectContext {
    /// The results of a request as they change: the present results at once, then one value for each change.
    ///
    /// The results follow unsaved changes of the context, its saves and its merges. A context whose
    /// ``automaticallyMergesChangesFromParent`` is true also follows the saves of other contexts, and of other
    /// processes in stores of SQLite and PostgreSQL. Set the property before the iteration begins.
    ///
    /// A change runs a fetch only in these cases: the request has an offset or a limit, its results are dictionaries or
    /// numbers, it leaves out unsaved changes, a key path in it passes a relationship without an inverse, the context
    /// was reset, or a store without history was changed by another process. So it does where the request reads a
    /// derived attribute, where its predicate has a block, and after a store was added. In each case the change has to
    /// concern an object that is or could be in the results. The fetch runs when the next value is asked for, so that
    /// several changes need one. A fetch reads related objects as the store has them.
    /// Without one, their unsaved changes count as well. Objects that are equal in the request's order have no certain
    /// order.
    ///
    /// OpenCoreData only.
    ///
    /// - Parameters:
    ///   - request: The request, for objects, ids or dictionaries. It is copied.
    ///   - sectionNameKeyPath: The key path of the values by which objects are divided into sections; nil for one
    ///     section. The first sort descriptor has to keep each section together.
    /// - Returns: The sequence, which may be iterated on any thread. It ends with the errors of a fetch, and with
    ///   `NSPersistentStoreOperationError` (134070) when a store is removed.
    public final func results<ResultType>(
        of request: NSFetchRequest<ResultType>, sectionNameKeyPath: String? = nil
    ) -> FetchedResultsSequence<FetchedResults<ResultType>> {
        let followed = UncheckedSendable(NSFetchRequest<ResultType>(request))
        return FetchedResultsSequence { [self] in
            let request = followed.value
            let type = request.resultType
            let areObjects = type == .managedObjectResultType || type == .managedObjectIDResultType
            guard areObjects, request.includesPendingChanges else {
                return FetchedValuesSource(
                    request, in: self, isSame: { Self.isSame($0.results, $1.results) },
                    fetch: { [self] in
                        let results = try fetch(request)
                        return FetchedResults(
                            results: results,
                            sections: [FetchedResultsSection(name: "", range: 0..<results.count)],
                            difference: nil, updatedObjectIDs: [])
                    })
            }
            return objectResults(of: request, sectionNameKeyPath: sectionNameKeyPath)
        }
    }

    /// Follows the objects of a request for objects or for ids.
    final func objectResults<ResultType>(
        of request: NSFetchRequest<ResultType>, sectionNameKeyPath: String?
    ) -> ObjectResultsSource<FetchedResults<ResultType>> {
        let objects = Self.objectRequest(request)
        let areIDs = request.resultType == .managedObjectIDResultType
        let name = request.entityName ?? ""
        return objectResults(of: { objects }, sectionNameKeyPath: sectionNameKeyPath) { items in
            Self.typed(areIDs ? items.map(FetchedChanges.id) : items, ofEntity: name)
        }
    }

    /// Follows the objects of a request, which is made on the context's queue.
    private final func objectResults<ResultType>(
        of request: @escaping () -> NSPersistentStoreRequest, sectionNameKeyPath: String? = nil,
        typed: @escaping ([NSObject]) -> [ResultType]
    ) -> ObjectResultsSource<FetchedResults<ResultType>> {
        let core = FetchedResultsCore(context: self, sectionNameKeyPath: sectionNameKeyPath, cacheName: nil)
        core.isExact = true
        return ObjectResultsSource(core: core, request: request) { step in
            FetchedResults(
                results: typed(step.arrangement.items), sections: step.arrangement.resultsSections,
                difference: step.difference, updatedObjectIDs: step.updated)
        }
    }

    /// The number of objects that match a request as it changes: the present number at once, then each other number.
    ///
    /// The count runs again after a change of an object of the request's entity: when one is inserted or deleted, when
    /// a property that the predicate names changes, and when one is merged. Otherwise the rules of
    /// ``results(of:sectionNameKeyPath:)`` hold.
    ///
    /// OpenCoreData only.
    ///
    /// - Parameter request: The request. It is copied.
    /// - Returns: The sequence, which may be iterated on any thread. It ends with the errors of a count, and with
    ///   `NSPersistentStoreOperationError` (134070) when a store is removed.
    public final func counts<ResultType>(of request: NSFetchRequest<ResultType>) -> FetchedResultsSequence<Int> {
        let followed = UncheckedSendable(NSFetchRequest<ResultType>(request))
        return FetchedResultsSequence { [self] in countSource(of: followed.value) }
    }

    /// Follows the number of objects that match a request.
    final func countSource<ResultType>(of request: NSFetchRequest<ResultType>) -> FetchedValuesSource<Int> {
        let counted = NSFetchRequest<ResultType>(request)
        counted.resultType = .countResultType
        return FetchedValuesSource(counted, in: self, isSame: ==, fetch: { [self] in try count(for: counted) })
    }

    /// One object as it changes: the object at once, then one value for each change of it, and an empty one when it is
    /// deleted.
    ///
    /// The rules of ``results(of:sectionNameKeyPath:)`` hold.
    ///
    /// OpenCoreData only.
    ///
    /// - Parameter objectID: The id of the object.
    /// - Returns: The sequence, which may be iterated on any thread. Its values have the object, or none.
    public final func results(
        ofObjectWith objectID: NSManagedObjectID
    ) -> FetchedResultsSequence<FetchedResults<NSManagedObject>> {
        FetchedResultsSequence { [self] in
            objectResults(
                of: { [self] in request(forObjectWith: objectID) },
                typed: { Self.typed($0, ofEntity: objectID.entity.name ?? "") })
        }
    }

    private final func request(forObjectWith objectID: NSManagedObjectID) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: objectID.entity.name ?? "")
        // A save gives a new object another id, so the request names the object itself.
        let object = objectID.isTemporaryID ? registeredObject(for: objectID) : nil
        request.predicate = NSComparisonPredicate(
            leftExpression: .expressionForEvaluatedObject(),
            rightExpression: NSExpression(forConstantValue: object ?? objectID),
            modifier: .direct, type: .equalTo, options: [])
        return request
    }

    /// The request for the objects of a request for ids.
    private static func objectRequest<ResultType>(
        _ request: NSFetchRequest<ResultType>
    ) -> NSFetchRequest<NSManagedObject> {
        let objects = NSFetchRequest<NSManagedObject>()
        objects.parameters = request.parameters
        objects.parameters.entity = request.entity
        objects.parameters.resultType = .managedObjectResultType
        objects.affectedStores = request.affectedStores
        return objects
    }

    private static func isSame<ResultType>(_ a: [ResultType], _ b: [ResultType]) -> Bool {
        a.count == b.count
            && zip(a, b).allSatisfy { a, b in
                guard let a = a as? NSObject, let b = b as? NSObject else { return false }
                return a.isEqual(b)
            }
    }
}
