import CoreDataManager
import Foundation
import TestSupport

/// Gives the body a manager of the second version of notes whose store is still of the first, and an adapter that
/// migrates it.
func withMigratingManager<Result>(
    _ adapter: any MigrationAdapter, notes: Int = 3,
    configure: (inout CoreDataManager.Configuration) -> Void = { _ in },
    isolation: isolated (any Actor)? = #isolation, body: (CoreDataManager) async throws -> Result
) async throws -> Result {
    try await withTemporaryFolder { folder in
        let url = folder.appendingPathComponent("n.sqlite")
        try NoteModel.makeStore(at: url, notes: notes)
        var configuration = CoreDataManager.Configuration()
        configuration.adapter = adapter
        configure(&configuration)
        return try await body(
            CoreDataManager(model: NoteModel.second(), storeURL: url, configuration: configuration))
    }
}
