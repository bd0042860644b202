import Foundation
import MigrationTestKit
import TestSupport
import Testing

@testable import CoreData

/// The kinds of migrations whose processes are killed.
enum KindOfTrial: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case inPlace, plain, mapped, resumable, chain, staged
    var testDescription: String { rawValue }

    /// More than two batches of a mapping model.
    private static let items = Sample.isWhole ? 300 : 150

    /// A folder with the program, its resources, and a store of the older version.
    func withTrial(items: Int = Self.items, itemsLast: Bool = false, _ body: (KillTrial) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let program = try DepotProgram.install(in: folder)
            let store = folder.appendingPathComponent("store/Depot.sqlite")
            try FileManager.default.createDirectory(
                at: store.deletingLastPathComponent(), withIntermediateDirectories: true)
            var trial: KillTrial
            switch self {
            case .inPlace:
                let rows = CrashModels.makeRows(books: Sample.isWhole ? 5000 : 1500)
                let made = try makeStore(store, CrashModels.older, rows)
                trial = KillTrial(
                    program: program, store: made, from: ModelVersion("older", ModelText.model(CrashModels.older)),
                    to: ModelVersion("newer", ModelText.model(CrashModels.newer)))
            case .plain, .mapped, .resumable, .chain:
                let (start, end) = self == .chain ? (0, 3) : (1, 2)
                try DepotProgram.addResources(
                    to: folder, DepotModels.mapping(policy: policy, itemsLast: itemsLast))
                try DepotModels.fill(store, DepotModels.versions[start], items: items)
                trial = KillTrial(
                    program: program, arguments: ["resources", "\(end)"], store: store,
                    from: ModelVersion("\(start)", DepotModels.model(start)),
                    to: ModelVersion("\(end)", DepotModels.model(end)))
                let isTold = policy == TellingDepotPolicy.self
                trial.inspect = {
                    try Self.problems($0, DepotModels.versions[end], "size", items: items, isTold: isTold)
                }
            case .staged:
                try DepotModels.fill(store, DepotModels.stages[0], items: items)
                trial = KillTrial(
                    program: program, arguments: ["stages"], store: store,
                    from: ModelVersion("first", ModelText.model(DepotModels.stages[0])),
                    to: ModelVersion("last", ModelText.model(DepotModels.stages[3])))
                trial.inspect = { try Self.problems($0, DepotModels.stages[3], "number", items: items) }
            }
            try body(trial)
        }
    }

    private var policy: NSEntityMigrationPolicy.Type? {
        switch self {
        case .plain: nil
        case .resumable: TellingDepotPolicy.self
        default: DepotPolicy.self
        }
    }

    /// Every item has its number, its cover, its shelf and its tags; nothing else lies in the folder of large covers.
    private static func problems(
        _ url: URL, _ text: String, _ key: String, items count: Int, isTold: Bool = false
    ) throws -> [String] {
        var problems = try withStore(url, ModelText.model(text)) { context in
            let items = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item"))
            let numbers = items.compactMap { ($0.value(forKey: key) as? NSNumber)?.intValue }.sorted()
            var problems = numbers == (0..<count).map { $0 * 3 } ? [] : ["numbers are missing or wrong"]
            for item in items {
                let number = ((item.value(forKey: key) as? NSNumber)?.intValue ?? 0) / 3
                let cover = item.value(forKey: "cover") as? Data
                if cover != Data(repeating: UInt8(number % 251), count: number % 50 == 0 ? 130_000 : 20) {
                    problems.append("the cover of \(number) is another one")
                }
                if (item.value(forKeyPath: "shelf.room") as? String) != "Shelf \(number % 10)" {
                    problems.append("the shelf of \(number) is another one")
                }
                if (item.value(forKey: "tags") as? NSSet)?.count != 2 { problems.append("\(number) lacks tags") }
                if text.contains("note string\n"), item.value(forKey: "note") as? String != "number \(number * 3)" {
                    problems.append("\(number) has another note")
                }
            }
            let shelves = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Shelf"))
            let told = shelves.compactMap { $0.value(forKey: "room") as? String }.filter { $0.hasSuffix("hooks") }
            if isTold, told != [TellingDepotPolicy.room(ofItems: count)] { problems.append("counted \(told)") }
            return problems
        }
        let files = try FileManager.default.contentsOfDirectory(
            atPath: SQLiteStoreFiles(url).externalDataFolder.path)
        if files.count != (count + 49) / 50 { problems.append("there are \(files.count) files of large covers") }
        return problems
    }
}

/// Makes a store at an address and runs SQL on it.
private func makeStore(_ url: URL, _ text: String, _ sql: String) throws -> URL {
    let model = ModelText.model(text)
    try withExtendedLifetime(model) {
        try SQLiteStore(layout: model.layout, storeNumber: 1, at: url).close()
    }
    let connection = try SQLiteConnection(path: url.path, access: .readWrite)
    SQLiteFunctions.register(on: connection)
    try connection.execute(sql)
    return url
}
