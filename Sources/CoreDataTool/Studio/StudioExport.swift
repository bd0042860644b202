import CoreData
import Foundation

/// Objects as a file, a batch at a time.
final class StudioExport: @unchecked Sendable {  // one call at a time, on the context's queue
    private let objects: ListedObjects
    private let console = Console.keeping()
    private var writer: ResultWriter
    /// The index of the next batch; nil after the last one.
    private var place: Int? = 0

    init(_ query: StudioQuery, columns: [Column], format: OutputFormat, store: ResolvedStore) throws {
        objects = try ListedObjects(try query.options, of: store.entity(query.entity), for: columns, in: store)
        writer = ResultWriter(format, columns, on: console)
    }

    /// The next part; nil at the end. If a row cannot be read, the file ends with a line about it, because its
    /// beginning has been sent.
    func next() -> Data? {
        guard let start = place else { return nil }
        return objects.context.performAndWait {
            do {
                if start == 0 { try writer.begin() }
                place = try objects.writeBatch(at: start, by: &writer)
                if place == nil { try writer.end() }
                return Data(console.takeKept())
            } catch {
                place = nil
                return Data("\n\(ToolError(error, at: objects.store.shown).message)\n".utf8)
            }
        }
    }
}
