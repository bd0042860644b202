extension NSFetchedResultsController {
    /// The snapshots of the results as a sequence: the present one at once, then one for each change.
    ///
    /// The delegate gets its calls as well. The sequence has no value before ``performFetch()``. Iterate in a task that
    /// does not hold the context's queue.
    ///
    /// OpenCoreData only.
    public final var snapshots: FetchedResultsSequence<NSFetchedResultsSnapshot> {
        let controller = UncheckedSendable(self)
        return FetchedResultsSequence {
            ObjectResultsSource(core: controller.value.core, request: nil) { step in
                // The controller lives as long as its snapshots are followed.
                withExtendedLifetime(controller) {
                    NSFetchedResultsSnapshot(
                        sections: step.arrangement.sections.map { ($0.name, $0.start) },
                        itemIdentifiers: step.arrangement.items.map(FetchedChanges.id),
                        reloadedItemIdentifiers: step.updated)
                }
            }
        }
    }
}
