/// The objects of one batch of a fetch: the batch that was used last.
///
/// For the context's queue only.
final class FetchedWindow {
    private let context: NSManagedObjectContext
    private let batches: FetchedBatches
    /// The place of the first object that is held.
    private var start = 0
    private var objects: [NSManagedObject] = []

    init(_ batches: FetchedBatches, _ context: NSManagedObjectContext) {
        self.batches = batches
        self.context = context
    }

    var count: Int { batches.keys.count }

    /// A window over the same keys that holds no objects yet.
    func another() -> FetchedWindow { FetchedWindow(batches, context) }

    /// The object at a place. If it is in another batch than the last one, the objects of that batch are released.
    func object(at place: Int) -> NSManagedObject {
        context.checkConfinement("an object of FetchedObjects")
        if objects.indices.contains(place - start) {
            let object = objects[place - start]
            // An object has no context after a reset, or if it was deleted and saved.
            if object.binding.context === context { return object }
        }
        require(
            (0..<count).contains(place), "There is no object at place \(place) of \(count) that were fetched")
        // This comes before other objects are made: an object without another owner is gone, and so may be its row.
        objects = []
        let batch = batches.batch(at: place)
        start = batch.lowerBound
        objects = context.objects(at: batch, of: batches)
        return objects[place - start]
    }
}
