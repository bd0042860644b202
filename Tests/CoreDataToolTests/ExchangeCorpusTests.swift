import CoreData
import Foundation
import TestSupport
import Testing

/// Real stores that have a model, taken to another place and, where they change their kind, back.
@Suite(
    "export, import and convert over the corpus", .enabled(if: Corpus.isPresent, "\(Corpus.absence)"), .serialized)
struct ExchangeCorpusTests {
    /// A copy of a store, with the arguments that name its model.
    struct Subject {
        let path: String
        let url: URL
        let model: NSManagedObjectModel
        let arguments: [String]
    }

    /// The models of the repositories that have stores.
    private static let sources = Corpus.paths { $0.hasSuffix(".xcdatamodel/contents") }.map {
        String($0.dropLast("/contents".count))
    }

    /// The store's own model, or one of its repository.
    private static func model(_ path: String, _ url: URL) -> (NSManagedObjectModel, [String])? {
        if let model = try? NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url) { return (model, []) }
        let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
        for source in sources where source.prefix(while: { $0 != "/" }) == path.prefix(while: { $0 != "/" }) {
            if let metadata, let model = try? NSManagedObjectModel.read(contentsOf: Corpus.url(source)),
                model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
            {
                return (model, ["--model", Corpus.url(source).path])
            }
        }
        return nil
    }

    /// The stores that are exported: all with `bin/test --long`, one in 24 otherwise.
    private static let exported = Sample.slice(Corpus.stores, oneIn: 24, "exported")

    /// The stores that are converted there and back: all with `bin/test --long`, one in 40 otherwise.
    private static let converted = Sample.slice(Corpus.stores, oneIn: 40)

    /// Calls the body with a copy of each store in a folder of its own; all are tried, whatever fails.
    ///
    /// - Returns: how many stores have a model, and the sum of what the body returned.
    private static func each(
        of paths: [String],
        _ body: @escaping @Sendable (Subject, _ folder: URL) throws -> Int
    ) async -> (stores: Int, sum: Int) {
        await withTaskGroup(of: Int?.self) { group in
            for path in paths { group.addTask { one(path, body) } }
            return await group.reduce(into: (stores: 0, sum: 0)) { result, count in
                guard let count else { return }
                result = (result.stores + 1, result.sum + count)
            }
        }
    }

    private static func one(_ path: String, _ body: (Subject, URL) throws -> Int) -> Int? {
        do {
            return try withTemporaryFolder { folder in
                let url = try Corpus.copyStore(path, to: folder)
                guard let (model, arguments) = model(path, url) else { return nil }
                return try body(Subject(path: path, url: url, model: model, arguments: arguments), folder)
            }
        } catch {
            Issue.record("\(path): \(error)")
            return 0
        }
    }

    /// Runs the program, which has to succeed.
    private static func run(_ arguments: [String]) throws {
        let run = try ToolRun(arguments)
        if run.status != 0 { throw Failure(description: "\(arguments.first ?? ""): \(run.errors)") }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    @Test("An exported and imported store is equal, object by object, and keeps the model as it was")
    func exportAndImport() async {
        let (stores, objects) = await Self.each(of: Self.exported) { subject, folder in
            let before = try Data(contentsOf: subject.url)
            let (file, copy) = (folder.appendingPathComponent("e.jsonl"), folder.appendingPathComponent("c.sqlite"))
            try Self.run(["export", subject.url.path, "-o", file.path] + subject.arguments)
            #expect(try Data(contentsOf: subject.url) == before, "\(subject.path)")
            try Self.run(["import", copy.path, file.path])
            let old = try StoreWalk(subject.url, type: NSSQLiteStoreType, subject.model)
            let new = try StoreWalk(copy, type: NSSQLiteStoreType, subject.model)
            let differences = old.differences(from: new)
            #expect(differences.isEmpty, "\(subject.path): \(differences)")
            let kept = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: copy)
            #expect(kept.isEqual(subject.model), "\(subject.path)")
            let metadata = try [subject.url, copy].map {
                try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: $0)
            }
            #expect(metadata[0][NSStoreUUIDKey] as? String == metadata[1][NSStoreUUIDKey] as? String)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(!names.contains { $0.contains("draft") || $0.hasSuffix("-part") })
            return old.objects.count
        }
        print("Corpus: exported and imported \(objects) objects of \(stores) stores")
        #expect(Sample.isWhole ? stores >= 40 && objects > 1_000 : stores > 1 && objects > 0)
    }

    @Test("A store converted to XML and back is equal but for its ids")
    func throughXML() async {
        let (stores, _) = await Self.each(of: Self.converted) { subject, folder in
            let (xml, back) = (folder.appendingPathComponent("c.xml"), folder.appendingPathComponent("b.sqlite"))
            let model = folder.appendingPathComponent("Model.mom")
            try ModelArchive.encodeInUse(subject.model).write(to: model)
            try Self.run(["convert", subject.url.path, xml.path] + subject.arguments)
            try Self.run(["convert", xml.path, back.path, "--model", model.path])
            let old = try StoreWalk(subject.url, type: NSSQLiteStoreType, subject.model)
            let new = try StoreWalk(back, type: NSSQLiteStoreType, subject.model)
            #expect(old.objects.count == new.objects.count, "\(subject.path)")
            #expect(old.shape(subject.model) == new.shape(subject.model), "\(subject.path)")
            let kept = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: back)
            #expect(kept.isEqual(subject.model), "\(subject.path)")
            return 0
        }
        print("Corpus: converted \(stores) stores to XML and back")
        #expect(stores >= (Sample.isWhole ? 40 : 1))
    }

    #if PostgreSQL
    @Test(
        "A store converted to PostgreSQL and back is equal, dates to the microsecond",
        .enabled(
            if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
    func throughPostgreSQL() async {
        let (stores, refused) = await Self.each(of: Self.converted) { subject, folder in
            let back = folder.appendingPathComponent("b.sqlite")
            let model = folder.appendingPathComponent("Model.mom")
            try ModelArchive.encodeInUse(subject.model).write(to: model)
            return try withDatabase { database, _ in
                let run = try ToolRun(
                    ["convert", subject.url.path, database.absoluteString] + subject.arguments)
                // Some have links to what is not there, which a database does not hold.
                if run.status == 5, run.errors.contains("which is not there") { return 1 }
                if run.status != 0 { throw Failure(description: run.errors) }
                try Self.run(
                    ["convert", database.absoluteString, back.path, "--model", model.path])
                let old = try StoreWalk(subject.url, type: NSSQLiteStoreType, subject.model, isRounded: true)
                let new = try StoreWalk(back, type: NSSQLiteStoreType, subject.model, isRounded: true)
                let differences = old.differences(from: new)
                #expect(differences.isEmpty, "\(subject.path): \(differences)")
                return 0
            }
        }
        print("Corpus: converted \(stores - refused) of \(stores) stores to PostgreSQL and back")
        #expect(Sample.isWhole ? stores - refused >= 30 : stores >= 1)
    }
    #endif
}
