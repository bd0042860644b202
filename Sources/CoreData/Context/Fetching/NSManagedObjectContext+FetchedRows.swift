import Foundation

extension NSManagedObjectContext {
    /// Fetches the values of properties as tuples, without objects and without dictionaries.
    ///
    /// ```swift
    /// for (title, pages) in try context.fetch(request, properties: \Book.title, \Book.pages) { … }
    /// ```
    ///
    /// OpenCoreData only. Key paths may lead through to-one relationships (`\Book.author?.name`). The request's
    /// predicate, order, limits, grouping and `returnsDistinctResults` apply; its result type and its
    /// `propertiesToFetch` do not. Unsaved changes do not count, as in a fetch of dictionaries.
    ///
    /// A number without a value is 0. Another property without a value needs an optional type.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - first: The property whose values come first in the tuples.
    ///   - more: Further properties, in the order of the tuples' elements. Without any the results are the values of
    ///     the first property.
    /// - Returns: A tuple for each row.
    /// - Throws: `NSCoreDataError` if a value is missing or has another type than the property; otherwise the errors of
    ///   `fetch(_:)`.
    /// - Important: Call this method on the context's queue.
    public final func fetch<Root: NSManagedObject, First: FetchedValue, each Value: FetchedValue>(
        _ request: NSFetchRequest<Root>, properties first: KeyPath<Root, First>,
        _ more: repeat KeyPath<Root, each Value>
    ) throws -> [(First, repeat each Value)] {
        checkConfinement()
        let own = NSFetchRequest<NSDictionary>()
        own.parameters = request.parameters
        own.affectedStores = request.affectedStores
        own.resultType = .dictionaryResultType
        var names = [KeyPathNames.requiredName(of: first, for: "fetch(_:properties:)")]
        for property in repeat each more {
            names.append(KeyPathNames.requiredName(of: property, for: "fetch(_:properties:)"))
        }
        own.propertiesToFetch = names
        var results: [(First, repeat each Value)] = []
        try eachRow(try plan(for: own), names) { row in
            var place = 0
            func next<Read: FetchedValue>(_: Read.Type) throws -> Read {
                place += 1
                return try Read(row, at: place)
            }
            results.append((try First(row, at: 0), repeat try next((each Value).self)))
        }
        return results
    }

    private func eachRow(_ plan: FetchPlan, _ names: [String], _ body: (FetchedRow) throws -> Void) throws {
        if try rowSource?.streamColumns(plan, in: self, body) == true { return }
        for values in try dictionaries(plan).objects { try body(FetchedRow(names: names, values: values)) }
    }
}
