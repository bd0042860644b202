import CoreData
import CoreDataModelCompiler
import Foundation
import MacCheckKit
import TestSupport

// Implementation notes
//
// - The stores are made by `StorePlan`s. Then the program `mac-check` runs over them on this system, so both systems
//   run one code. What it finds must be what is expected from another source, or there is no kit.
// - The results of searches are expected from statements of SQL, written by hand (`SearchPart.sql`), which SQLite
//   carries out without this framework. Those of migrations are written out (`MigrationPart.expected`).
// - What a store holds before and after the saves of a check is expected from the plan (`PlannedContents`), whose facts
//   say the links, derived values and history by hand. Models and answers have no other source than the run here.
// - Keys are equal on both systems: each save of a check inserts one object.
// - Stores that Apple's framework has made take the place of ours with `makeKit(ofStores:)`.

/// Makes a kit.
package struct KitMaker {
    /// The folder for `kit.json`, models and stores.
    let folder: URL
    /// The program `mac-check`.
    private let program: URL
    var kit = Kit()
    private let show: (String) -> Void
    /// Which parts belong to the kit: stores are asked for as checks that read.
    package var parts: (Check) -> Bool = { _ in true }
    var plans = StorePlan.all

    package init(folder: URL, program: URL, show: @escaping (String) -> Void = { print($0) }) {
        self.folder = folder
        self.program = program
        self.show = show
    }

    /// Makes the stores of this framework, with the models whose sources lie in a folder.
    package mutating func makeKit(models: URL) throws -> Kit {
        kit.maker = "OpenCoreData, Linux"
        try makeFolder()
        let plans = self.plans.filter { parts(Check(.read, $0.name)) }
        kit.migrations = MigrationPart.all.filter { parts(Check(.migrate, $0.name)) }
        try compile(models, named: Set(plans.map(\.bundle)))
        for plan in plans { try make(plan) }
        kit.searches = SearchPart.all.filter { parts(Check(.search, $0.name)) }
        for question in Questions.all where parts(Check(.question, question.name)) { kit.answers[question.name] = "" }
        return try expect()
    }

    /// Takes stores that Apple's framework has made, with the models that they keep.
    package mutating func makeKit(ofStores stores: [URL]) throws -> Kit {
        kit.maker = Self.apple
        try makeFolder()
        for (number, url) in stores.enumerated() {
            do {
                try take(url, as: "\(number + 1)-\(url.deletingPathExtension().lastPathComponent)")
            } catch let error where !(error is KitError) {
                show("left out: \(url.path): \((error as NSError).localizedDescription)")
            }
        }
        return try expect()
    }

    private static let apple = "Apple's stores"

    private func makeFolder() throws {
        guard !FileManager.default.fileExists(atPath: folder.path) else {
            throw KitError("\(folder.path) exists already")
        }
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("Models"), withIntermediateDirectories: true)
    }

    /// Runs the checks here, and writes down what they find.
    private mutating func expect() throws -> Kit {
        try write()
        let answer = folder.deletingLastPathComponent().appendingPathComponent("Expected", isDirectory: true)
        defer { try? FileManager.default.removeItem(at: answer) }
        var run = Run(folder: KitFolder(folder, kit: kit), answer: answer, program: program)
        run.show = { _ in }
        let report = try run.run { $0.kind != .source }
        func finding(_ kind: Check.Kind, _ name: String) throws -> Finding {
            let check = Check(kind, name)
            guard let finding = report.findings["\(check)"], finding.outcome == .done || kind == .question else {
                throw KitError("\(check): \(report.findings["\(check)"]?.text ?? "none")")
            }
            return finding
        }
        for place in kit.models.indices {
            kit.models[place].lines = try finding(.model, kit.models[place].name).lines ?? []
        }
        for place in kit.searches.indices {
            let part = kit.searches[place]
            kit.searches[place].lines = try expected(of: part)
            try require(part.name, Difference.lines(kit.searches[place].lines, finding(.search, part.name).lines))
        }
        for place in kit.migrations.indices {
            let part = kit.migrations[place]
            kit.migrations[place].contents = part.expected
            try require(part.name, Difference.contents(part.expected, finding(.migrate, part.name).contents))
        }
        for name in kit.answers.keys {
            let found = try finding(.question, name)
            guard found.outcome == .done || Questions.all.contains(where: { $0.name == name && $0.expects(found) })
            else { throw KitError("question/\(name) is not answered: \(found.answer)") }
            kit.answers[name] = found.answer
        }
        let lines = try kit.stores.indices.flatMap { place in
            var part = kit.stores[place]
            let written = try part.saves.map { _ in try finding(.write, part.name) }
            if kit.maker == Self.apple, let written { try takeChange(of: &part, written) }
            kit.stores[place] = part
            let lines = Self.differences(of: part, try finding(.read, part.name), written)
            return lines.map { "\(part.name): \($0)" }
        }
        guard lines.isEmpty else { throw KitError(lines.joined(separator: "\n")) }
        try write()
        return kit
    }

    private static func differences(of part: StorePart, _ read: Finding, _ written: Finding?) -> [String] {
        let before = Difference.contents(part.contents, read.contents) + Difference.lines(part.history, read.lines)
        guard let written else { return before }
        return before + Difference.contents(part.contentsAfter, written.contents)
            + Difference.lines(part.historyAfter, written.lines)
    }

    /// Throws the differences to what is expected from another source.
    func require(_ name: String, _ lines: [String]) throws {
        guard lines.isEmpty else { throw KitError("\(name): \(lines.joined(separator: "; "))") }
    }

    /// The result of a fetch, which SQLite finds in the file.
    private func expected(of part: SearchPart) throws -> [String] {
        guard let store = kit.stores.first(where: { $0.name == part.store }), let sql = SearchPart.sql[part.name] else {
            throw KitError("\(part.name) has no store or no SQL")
        }
        return try withTemporaryFolder { place in
            let database = try RawDatabase(Corpus.copyStore(at: folder.appendingPathComponent(store.file), to: place))
            return try database.rows(sql).enumerated().map { number, row in
                let name = try database.column("SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [row[0]]).first
                guard case .text(let entity)? = name, let key = row[1].int else {
                    throw KitError("\(part.name): a row has no entity")
                }
                return "\(number + 1): \(entity)/p\(key)"
            }
        }
    }

    private func write() throws {
        try JSONEncoder.stable.encode(kit).write(to: folder.appendingPathComponent("kit.json"))
    }
}

// MARK: - Models

extension KitMaker {
    /// Compiles the models, and the mapping models between their versions.
    private mutating func compile(_ sources: URL, named wanted: Set<String>) throws {
        let target = folder.appendingPathComponent("Models", isDirectory: true)
        for source in try FileManager.default.contentsOfDirectory(at: sources, includingPropertiesForKeys: nil)
            .sorted(by: { $0.path < $1.path }) where source.pathExtension == "xcdatamodeld"
        {
            let name = source.deletingPathExtension().lastPathComponent
            guard wanted.contains(name) else { continue }
            try FileManager.default.copyItem(at: source, to: target.appendingPathComponent(source.lastPathComponent))
            let bundle = target.appendingPathComponent("\(name).momd")
            try ModelBundleCompiler.compile(source, to: bundle)
            for file in try FileManager.default.contentsOfDirectory(atPath: bundle.path).sorted()
            where file.hasSuffix(".mom") {
                kit.models.append(
                    ModelPart(
                        name: String(file.dropLast(4)), file: "Models/\(name).momd/\(file)",
                        source: "Models/\(source.lastPathComponent)"))
            }
        }
        guard wanted.contains("Diary") else { return }
        for older in ["Diary", "Diary 2"] {
            let mapping = try diaryMapping(from: older)
            try MappingModelArchive.encode(mapping).write(
                to: target.appendingPathComponent("\(older.filter { $0 != " " })ToDiary3.cdm"))
        }
        try MappingModelCompiler.compile(
            sources.appendingPathComponent("DiaryToDiary2.xcmappingmodel"),
            to: target.appendingPathComponent("DiaryToDiary2.cdm"), models: [])
    }

    /// The mapping to the third version of the diary, which changes all names.
    private func diaryMapping(from older: String) throws -> NSMappingModel {
        let text = older == "Diary" ? "text" : "words"
        let folder = KitFolder(folder, kit: kit)
        let (source, destination) = (try folder.model(named: older), try folder.model(named: "Diary 3"))
        let language = older == "Diary" ? "'en'" : "$source.language"
        let mapping = NSMappingModel()
        mapping.entityMappings = [
            entityMapping(
                "Entry", "Note", ["body": "$source.\(text)", "language": language],
                ["author": ("WriterToAuthor", "writer")]),
            entityMapping("Writer", "Author", ["fullName": "$source.name"], ["notes": ("EntryToNote", "entries")]),
        ]
        for entity in mapping.entityMappings {
            entity.sourceEntityVersionHash = source.entityVersionHashesByName[entity.sourceEntityName ?? ""]
            entity.destinationEntityVersionHash =
                destination.entityVersionHashesByName[entity.destinationEntityName ?? ""]
        }
        return mapping
    }

    private func entityMapping(
        _ older: String, _ newer: String, _ values: [String: String], _ links: [String: (String, String)]
    ) -> NSEntityMapping {
        func property(_ name: String, _ format: String) -> NSPropertyMapping {
            let mapping = NSPropertyMapping()
            mapping.name = name
            mapping.valueExpression = CoreData.NSExpression(format: format)
            return mapping
        }
        let mapping = NSEntityMapping()
        mapping.name = "\(older)To\(newer)"
        mapping.mappingType = .transformEntityMappingType
        (mapping.sourceEntityName, mapping.destinationEntityName) = (older, newer)
        mapping.sourceExpression = CoreData.NSExpression(
            format: "FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:', '\(older)', "
                + "'TRUEPREDICATE'), $manager.sourceContext, NO)")
        mapping.attributeMappings = values.sorted { $0.key < $1.key }.map { property($0.key, $0.value) }
        mapping.relationshipMappings = links.map { name, link in
            property(
                name,
                "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', '\(link.0)', "
                    + "$source.\(link.1))")
        }
        return mapping
    }
}

// MARK: - Stores

extension KitMaker {
    /// Makes a store by its plan.
    private mutating func make(_ plan: StorePlan) throws {
        let file = "Stores/\(plan.name)/\(plan.name).\(plan.type == NSSQLiteStoreType ? "sqlite" : "xml")"
        var part = StorePart(name: plan.name, file: file, type: plan.type, model: plan.model)
        part.hasHistory = plan.hasHistory
        part.saves = plan.changes
        part.row = plan.row
        let place = folder.appendingPathComponent("Stores/\(plan.name)", isDirectory: true)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let opened = KitFolder(folder, kit: kit)
        let coordinator = try opened.coordinator(
            part, in: folder, options: plan.hasTriggers ? [NSSQLiteDerivedAttributeTriggersOption: true] : [:])
        try Change.apply(plan.saves, to: coordinator)
        part.contents = try PlannedContents.before(plan, coordinator.managedObjectModel)
        if plan.changes != nil {
            part.contentsAfter = try PlannedContents.after(plan, coordinator.managedObjectModel)
        }
        if plan.finish == .leaveLog { try copyOpen(place) }
        if plan.finish == .purgeHistory { try purge(coordinator) }
        coordinator.close()
        if plan.finish == .leaveLog { try takeCopy(place) }
        if case .migrate(let version, let mapping) = plan.finish {
            try migrate(part, to: version, by: mapping)
            part.model = version
            part.contents =
                MigrationPart(
                    name: plan.name, store: plan.name, kind: .mapping, model: version, mapping: mapping
                ).expected
        }
        if part.hasHistory {
            part.history = plan.history
            part.historyAfter = plan.changes == nil ? nil : plan.history + plan.historyAfter
        }
        part.schema =
            part.type == NSSQLiteStoreType ? try SchemaText.lines(of: folder.appendingPathComponent(file)) : nil
        kit.stores.append(part)
    }

    /// Copies the files of an open store, as a killed process leaves them.
    private func copyOpen(_ place: URL) throws {
        try FileManager.default.copyItem(at: place, to: place.appendingPathExtension("open"))
    }

    private func takeCopy(_ place: URL) throws {
        let copy = place.appendingPathExtension("open")
        try FileManager.default.removeItem(at: place)
        try FileManager.default.moveItem(at: copy, to: place)
        for name in try FileManager.default.contentsOfDirectory(atPath: place.path) where name.hasSuffix("-shm") {
            try FileManager.default.removeItem(at: place.appendingPathComponent(name))
        }
    }

    /// Removes all but the last transaction.
    private func purge(_ coordinator: NSPersistentStoreCoordinator) throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let all = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            let result = try context.execute(all) as? NSPersistentHistoryResult
            let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
            guard let last = transactions.last else { return }
            _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: last))
        }
    }

    private func migrate(_ part: StorePart, to version: String, by mapping: String?) throws {
        let opened = KitFolder(folder, kit: kit)
        let newer = try opened.model(named: version)
        guard let mapping else {
            try opened.coordinator(
                part, in: folder, model: newer,
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                ]
            ).close()
            return
        }
        guard let mappingModel = NSMappingModel(contentsOf: folder.appendingPathComponent(mapping)) else {
            throw KitError("\(mapping) is not read")
        }
        let place = folder.appendingPathComponent(part.file).deletingLastPathComponent()
        let former = place.appendingPathExtension("former")
        try FileManager.default.moveItem(at: place, to: former)
        defer { try? FileManager.default.removeItem(at: former) }
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let target = folder.appendingPathComponent(part.file)
        try NSMigrationManager(sourceModel: opened.model(named: part.model), destinationModel: newer).migrateStore(
            from: former.appendingPathComponent(target.lastPathComponent), sourceType: part.type, options: nil,
            with: mappingModel, toDestinationURL: target, destinationType: part.type, destinationOptions: nil)
    }
}

extension StorePlan {
    /// The bundle of the model's versions: "Diary" of "Diary 2".
    fileprivate var bundle: String { String(model.split(separator: " ")[0]) }
}
