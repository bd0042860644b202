import Foundation

// The sections of results that are read in batches.
extension FetchedResultsCore {
    /// The sections as the store counts them, so that no batch is read for their names. Nil if the store cannot count
    /// them: with unsaved changes, with limits, and if the results are not sorted by exactly the section's key path.
    func countedSections(of items: [NSObject], _ fetched: Fetched) -> [FetchedArrangement.Section]? {
        let parameters = fetched.parameters
        guard let path = sectionNameKeyPath, fetched.isTracked, parameters.fetchBatchSize > 0,
            parameters.fetchBatchSize < items.count, parameters.fetchLimit == 0, parameters.fetchOffset == 0,
            let order = parameters.sortDescriptors?.first, order.key == path,
            !order.isByKey || order.sortSelector == .compare, context.isUnchangedDownToStore,
            // Stores that programs write need not support grouping.
            context.persistentStoreCoordinator?.answersWithKeys(fetched.layout, in: fetched.affectedStores) != true
        else { return nil }
        let count = NSExpressionDescription()
        count.name = "count"
        count.expression = NSExpression(
            forFunction: "count:", arguments: [NSExpression.expressionForEvaluatedObject()])
        count.expressionResultType = .integer64AttributeType
        let request = NSFetchRequest<NSDictionary>()
        request.parameters = parameters
        request.affectedStores = fetched.affectedStores
        request.resultType = .dictionaryResultType
        request.fetchBatchSize = 0
        request.sortDescriptors = [order]
        request.propertiesToFetch = [path, count]
        request.propertiesToGroupBy = [path]
        guard path != count.name, let groups = try? context.fetch(request) else { return nil }
        var sections: [FetchedArrangement.Section] = []
        var names: Set<String> = []
        var start = 0
        for group in groups {
            guard let size = group["count"] as? Int else { return nil }
            let name = FetchedOrder.sectionName(of: group[path])
            // Several values may have one name.
            guard names.insert(name).inserted else { return nil }
            sections.append(FetchedArrangement.Section(name: name, start: start))
            start += size
        }
        return start == items.count ? sections : nil
    }
}

extension NSManagedObjectContext {
    /// Whether neither this context nor one above it has anything unsaved.
    fileprivate final var isUnchangedDownToStore: Bool {
        if hasChanges { return false }
        return parent.map { parent in parent.reading { parent.isUnchangedDownToStore } } ?? true
    }
}
