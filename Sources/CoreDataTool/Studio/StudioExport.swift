import CoreData
import Foundation

/// Objects as a file, a batch at a time.
final class StudioExport: @unchecked Sendable {  // one call at a time, on the context's queue
    private let store: OpenedStore
    private let context: NSManagedObjectContext
    private let objects: FetchedObjects<NSManagedObject>
    private let console: Console
    private var writer: ResultWriter
    private var place = 0
    private var isOver = false

    init(_ query: StudioQuery, _ columns: [Column], _ format: OutputFormat, _ store: OpenedStore) throws {
        self.store = store
        let context = try store.context(isFrugal: true)
        self.context = context
        objects = try context.performAndWait {
            // What others write meanwhile does not show, where the store can keep its state.
            try? context.setQueryGenerationFrom(.current)
            let request = try query.options.request(for: try store.entity(query.entity))
            let prefetched = Set(columns.compactMap(\.prefetched))
            request.relationshipKeyPathsForPrefetching = prefetched.isEmpty ? nil : prefetched.sorted()
            return try store.asking { try context.fetch(request, batchSize: ResultWriter.batchSize) }
        }
        console = Console(kept: ())
        writer = ResultWriter(format, columns, on: console)
    }

    /// The next part; nil at the end. What cannot be read ends the file with a line that says so, as its beginning has
    /// been sent.
    func next() -> Data? {
        if isOver { return nil }
        return context.performAndWait {
            do {
                if place == 0 { try writer.begin() }
                let end = min(place + ResultWriter.batchSize, objects.count)
                try writer.write(objects, place..<end, of: store, in: context)
                place = end
                if place == objects.count {
                    try writer.end()
                    isOver = true
                }
                return Data(console.takeKept())
            } catch {
                isOver = true
                return Data("\n\(ToolError(error, at: store.shown).message)\n".utf8)
            }
        }
    }
}
