import Foundation

extension NSManagedObjectContext {
    /// Executes a fetch in the background. Rows are read on a queue of the system, objects are made of them on the
    /// context's own queue, and `completion` is called there once. If the request cannot be executed at all, this
    /// throws and does not call `completion`.
    final func fetchInBackground<T>(
        _ request: NSFetchRequest<T>, progress: Progress, completion: @escaping (Result<[T], any Error>) -> Void
    ) throws {
        let plan = try plan(for: request)
        let reading = UncheckedSendable(try rowsPlan(for: plan))
        let completion = UncheckedSendable(completion)
        let sent = UncheckedSendable((plan, progress))
        DispatchQueue.global(qos: .userInitiated).async {
            let read = UncheckedSendable(
                Result { try self.readInBackground(sent.value.0, reading.value.plan, sent.value.1) })
            self.perform {
                let (plan, progress) = sent.value
                let found = Result { () throws -> [T] in
                    let material = try read.value.get()
                    if progress.isCancelled { throw Self.cancellation }
                    return try self.results(plan, of: material, touchedBefore: reading.value.touched)
                }
                if case .success(let results) = found {
                    progress.totalUnitCount = Int64(max(1, results.count))
                    progress.completedUnitCount = progress.totalUnitCount
                }
                completion.value(found)
            }
        }
    }

    /// The part of a request that can be read without the context's queue.
    private enum BackgroundMaterial {
        case rows([Snapshot])
        case dictionaries(FetchedDictionaries)
        case nothing
    }

    private static var cancellation: NSError {
        NSError.coreData(CocoaError.Code.userCancelled.rawValue, reason: "The asynchronous fetch was cancelled")
    }

    /// Reads without the context's queue. A program's store makes objects in the context that it gets, so it gets a
    /// context of its own and is called on that context's queue.
    private func readInBackground(
        _ plan: FetchPlan, _ rowsPlan: FetchPlan, _ progress: Progress
    ) throws -> BackgroundMaterial {
        // A context with a parent reads the parent's rows, on the parent's queue.
        guard let coordinator = ownCoordinator else { return try material(plan, rowsPlan, progress) }
        guard coordinator.hasObjectStores else {
            return try material(plan.inBackground(showing: nil), rowsPlan.inBackground(showing: nil), progress)
        }
        let shown = Self.own(of: coordinator)
        return try shown.performAndWait {
            try material(plan.inBackground(showing: shown), rowsPlan.inBackground(showing: shown), progress)
        }
    }

    private func material(
        _ plan: FetchPlan, _ rowsPlan: FetchPlan, _ progress: Progress
    ) throws -> BackgroundMaterial {
        if progress.isCancelled { throw Self.cancellation }
        // Objects are evaluated on the context's queue.
        if plan.isEvaluatedOnClient { return .nothing }
        switch plan.parameters.resultType {
        case .dictionaryResultType: return .dictionaries(try dictionaries(plan))
        case .countResultType: return .nothing
        default: break
        }
        var all: [Snapshot] = []
        try eachBatchOfRows(rowsPlan) { rows in
            if progress.isCancelled { throw Self.cancellation }
            all += rows
            progress.completedUnitCount = Int64(all.count)
        }
        return .rows(all)
    }

    private func results<T>(
        _ plan: FetchPlan, of material: BackgroundMaterial, touchedBefore: Int
    ) throws -> [T] {
        switch material {
        case .rows(let rows):
            let objects = try objects(plan, rows: rows, touchedBefore: touchedBefore)
            if plan.parameters.resultType == .managedObjectIDResultType {
                return try typed(objects.map(\.objectID), plan)
            }
            return try typed(objects, plan)
        case .dictionaries(let dictionaries): return try typed(dictionaries.objects, plan)
        case .nothing: return try typed(try results(plan), plan)
        }
    }
}
