import CoreData
import CoreDataTool
import Foundation
import TestSupport
import Testing

/// The sources that `coredata model swift` writes of real stores, compiled. Each program opens the copy of its store
/// and reads every value.
@Suite(
    "coredata model swift over stores", .serialized, .enabled(if: Corpus.isPresent, "\(Corpus.absence)"),
    .enabled(if: Toolchain.program("swiftc") != nil, "swiftc is not in PATH"),
    .disabled(if: dlsym(nil, "__tsan_init") != nil, "the programs would not link with the thread sanitizer's modules"))
struct ModelSwiftStoreTests {
    /// Stores that no classes of SwiftData open by hash, by the end of their paths, with the words of the reason.
    private static let exceptions: [(path: String, reason: String)] = [
        ("/ArtsyPartner_1.3.sqlite", "Image.artist: its inverse has another inverse"),
        ("/ArtsyPartner_1.3.5.sqlite", "Image.artist: its inverse has another inverse"),
        ("/ArtsyPartner_1.4.sqlite", "Image.artist: its inverse has another inverse"),
        ("/ArtsyPartner_1.6.sqlite", "Image.artist: its inverse has another inverse"),
        ("/Bookmarks_V1.sqlite", "BookmarkEntity.children: it is ordered"),
        ("/Bookmarks_V2.sqlite", "BookmarkEntity.children: it is ordered"),
        ("/Bookmarks_V3.sqlite", "BookmarkEntity.children: it is ordered"),
        ("/Bookmarks_V4.sqlite", "BookmarkEntity.children: it is ordered"),
        ("/Bookmarks_V5.sqlite", "BookmarkEntity.children: it is ordered"),
        ("/Moody.moody", "GeographicRegion: the entity is abstract"),
        ("/Moody 2.moody", "GeographicRegion: the entity is abstract"),
        ("/Moody 3.moody", "GeographicRegion: the entity is abstract"),
        ("/knowledgec-10.13.db", "Object: the entity is abstract"),
        ("/knowledgec-10.14.db", "Object: the entity is abstract"),
        ("/RMAdminStore-Local.sqlite", "CoreOrganization: the entity is abstract"),
        ("/DataUsage.sqlite", "Event.happenedOnNet: it is ordered"),
        ("/netusage.sqlite", "App.hasTypicalUsage: it is ordered"),
        ("/NoteStore.sqlite", "ICLocation: the entity is abstract"),
        ("/SampleModel2_V1.sqlite", "Book.pagesCount: derived"),
        ("/SampleModel2_V2.sqlite", "Book.pagesCount: derived"),
    ]

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes the classes and gives what the command says beside them.
    private func writeClasses(_ source: String) throws -> (status: Int32, notes: String) {
        let notes = folder.url.appendingPathComponent("notes")
        try Data().write(to: notes)
        let output = try FileHandle(forWritingTo: notes)
        let status = Tool.run(
            ["model", "swift", source, "--output", folder.url.appendingPathComponent("Models.swift").path],
            Console(output: output.fileDescriptor, errors: output.fileDescriptor))
        return (status, try String(contentsOf: notes, encoding: .utf8))
    }

    private func compile(_ arguments: [String]) throws {
        let plugin = Toolchain.products.appendingPathComponent("SwiftDataMacros-tool").path
        let outcome = try Toolchain.run(
            #require(Toolchain.program("swiftc")),
            ["-swift-version", "6", "-warnings-as-errors", "-load-plugin-executable", "\(plugin)#SwiftDataMacros"]
                + Toolchain.importing + arguments, in: folder.url)
        try #require(outcome.status == 0, "\(outcome.text)")
    }

    /// A program that opens a store with all classes, and says how many models it has read. An error ends it.
    private static func program(_ types: [String]) -> String {
        """
        import CoreData
        @testable import SwiftData

        let url = URL(fileURLWithPath: CommandLine.arguments[1])
        func hashes() throws -> [String: Data]? {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)[
                NSStoreModelVersionHashesKey] as? [String: Data]
        }
        let types: [any PersistentModel.Type] = [\(types.map { "`\($0)`.self" }.joined(separator: ", "))]
        let before = try hashes()
        let container = try ModelContainer(for: Schema(types), configurations: ModelConfiguration(url: url))
        let context = ModelContext(container)
        let model = context.managedObjectContext.persistentStoreCoordinator?.managedObjectModel
        guard let model, model.entityVersionHashesByName == before else { fatalError("the hashes differ") }
        @MainActor func read<Model: PersistentModel>(_ type: Model.Type) throws -> Int {
            let models = try context.fetch(FetchDescriptor<Model>())
            for model in models {
                for property in Model.schemaMetadata {
                    guard let keyPath = property.keypath as? PartialKeyPath<Model> else { continue }
                    _ = model[keyPath: keyPath]
                }
            }
            return _getSuperclass(type) is any PersistentModel.Type ? 0 : models.count
        }
        var count = 0
        for type in types { count += try read(type) }
        guard try hashes() == before else { fatalError("the store has been migrated") }
        print(count)

        """
    }

    @Test(
        "The classes of a store compile, open it by its hashes and read each value",
        arguments: Sample.slice(CorpusStore.all, oneIn: CorpusStore.all.count))
    func stores(_ store: CorpusStore) throws {
        let copy = try Corpus.copyStore(store.path, to: folder.url)
        let source =
            switch store.origin {
            case .archive: copy.path
            case .source(let path): Corpus.url(path).path
            }
        let (status, notes) = try writeClasses(source)
        if let exception = Self.exceptions.first(where: { store.path.hasSuffix($0.path) }) {
            #expect(status == 1 && notes.contains(exception.reason), "\(notes)")
            try compile(["-typecheck", "-parse-as-library", "Models.swift"])
            return
        }
        try #require(status == 0, "\(notes)")
        let entities = store.model.entities.compactMap(\.name).sorted()
        try Data(Self.program(entities).utf8).write(to: folder.url.appendingPathComponent("main.swift"))
        let objects = ["SwiftData", "CoreDataManager", "CoreData"].flatMap { Toolchain.objects(of: $0) }
        try compile(["Models.swift", "main.swift"] + objects + ["-lsqlite3", "-lz", "-o", "open"])
        let run = try Toolchain.run(folder.url.appendingPathComponent("open").path, [copy.path])
        try #require(run.status == 0, "\(run.text)")
        let database = try RawDatabase(copy)
        let tables = store.model.entities.filter { $0.superentity == nil }.compactMap { $0.name?.uppercased() }
        let rows = try tables.map {
            try database.texts("SELECT count(*) FROM \"Z\($0)\"").first.flatMap { Int($0) } ?? 0
        }
        #expect(run.text.split(separator: "\n").last == "\(rows.reduce(0, +))")
    }

    @Test("Each exception is a store of the corpus")
    func exceptions() {
        for exception in Self.exceptions {
            #expect(CorpusStore.all.contains { $0.path.hasSuffix(exception.path) }, "\(exception.path)")
        }
    }
}
