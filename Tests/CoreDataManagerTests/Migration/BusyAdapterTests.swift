import CoreData
import CoreDataManager
import TestSupport
import Testing

@Suite("Adapters beside a program that writes")
struct BusyAdapterTests {
    enum Adapter: CaseIterable {
        case inferred, mapping, platform

        var value: any MigrationAdapter {
            switch self {
            case .inferred: InferredMigrationAdapter()
            case .mapping:
                MappingModelAdapter(
                    sourceModel: { _ in NoteModel.first() },
                    mappingModel: {
                        try? NSMappingModel.inferredMappingModel(forSourceModel: $0, destinationModel: $1)
                    })
            case .platform: CoreDataManager.Configuration().adapter
            }
        }
    }

    @Test(
        "The error names the store, its user, the time waited and a remedy; the store stays as it was",
        arguments: Adapter.allCases)
    func busy(adapter: Adapter) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("n.sqlite")
            try NoteModel.makeStore(at: url, notes: 3)
            let writer = try RawDatabase(url)
            try writer.execute("BEGIN IMMEDIATE; UPDATE ZNOTE SET Z_OPT = Z_OPT + 1")
            let job = MigrationJob(
                storeURL: url, model: NoteModel.second(), options: [NSPersistentStoreTimeoutOption: 0.3])
            let error = #expect(throws: NSError.self) { try adapter.value.migrate(job) { _ in } }
            let text = error?.localizedDescription ?? ""
            #expect(text.contains("n.sqlite") && text.contains("this process (\(getpid()))"), "\(text)")
            #expect(text.contains("wait longer (NSPersistentStoreTimeoutOption)"), "\(text)")
            #expect(error?.localizedRecoverySuggestion.map { text.contains($0) } == true, "\(error?.userInfo ?? [:])")
            #expect(error.map { LaunchFailure($0).kind } == .busy)
            try writer.execute("COMMIT")
            #expect(try NoteModel.texts(inStoreAt: url).count == 3)
        }
    }
}
