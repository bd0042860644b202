import CoreData

/// What the checks do, each in a process of its own.
package struct CheckBody {
    package let folder: KitFolder
    /// The folder for copies that are changed.
    package let answer: URL

    package init(folder: KitFolder, answer: URL) {
        self.folder = folder
        self.answer = answer
    }

    /// Does a check, and returns what it has found. An error is a finding, too.
    package func run(_ check: Check) -> Finding {
        var finding = Finding()
        do {
            switch check.kind {
            case .model: finding.lines = ModelText.lines(try folder.model(named: check.name))
            case .source: finding.lines = try compiledByXcode(check.name)
            case .read: try read(folder.store(named: check.name), into: &finding)
            case .write: try write(folder.store(named: check.name), into: &finding)
            case .search: finding.lines = try search(check.name)
            case .migrate: finding.contents = try migrate(check.name)
            case .question: finding.lines = [try Questions.answer(check.name, in: answer)]
            }
        } catch {
            finding.outcome = .error
            finding.text = ErrorText.text(error)
        }
        return finding
    }

    /// The description of a version that Xcode compiles of the source.
    private func compiledByXcode(_ name: String) throws -> [String] {
        guard let part = folder.kit.models.first(where: { $0.name == name }), let source = part.source else {
            throw KitError("no source of \(name)")
        }
        let bundle = answer.appendingPathComponent("Compiled/\(name).momd")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/xcrun")
        process.arguments = ["momc", folder.url.appendingPathComponent(source).path, bundle.path]
        guard (try? process.run()) != nil else { throw KitError("no Xcode is installed") }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw KitError("momc of Xcode does not compile \(name)") }
        guard let model = NSManagedObjectModel(contentsOf: bundle.appendingPathComponent("\(name).mom")) else {
            throw KitError("the model that Xcode compiled is not read")
        }
        return ModelText.lines(model)
    }

    private func read(_ part: StorePart, into finding: inout Finding) throws {
        let model = try folder.model(named: part.model)
        let url = folder.url.appendingPathComponent(part.file)
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: part.type, at: url, options: nil)
        guard model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) else {
            throw KitError("the model is not compatible with the store's metadata")
        }
        let coordinator = try folder.coordinator(part, in: folder.url, readOnly: true, model: model)
        defer { coordinator.close() }
        finding.contents = try Contents(of: coordinator)
        if part.history != nil { finding.lines = try coordinator.history() }
    }

    private func write(_ part: StorePart, into finding: inout Finding) throws {
        try folder.copy(part, to: answer)
        let coordinator = try folder.coordinator(part, in: answer)
        try Change.apply(part.saves ?? [], to: coordinator)
        coordinator.close()
        let again = try folder.coordinator(part, in: answer)
        defer { again.close() }
        finding.contents = try Contents(of: again)
        if part.hasHistory { finding.lines = try again.history() }
    }

    private func search(_ name: String) throws -> [String] {
        guard let part = folder.kit.searches.first(where: { $0.name == name }) else { throw KitError("no \(name)") }
        let coordinator = try folder.coordinator(folder.store(named: part.store), in: folder.url, readOnly: true)
        defer { coordinator.close() }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: part.entity)
            request.predicate = NSPredicate(format: part.predicate, argumentArray: nil)
            request.sortDescriptors = part.order.map { key in
                key.hasPrefix("-")
                    ? NSSortDescriptor(key: String(key.dropFirst()), ascending: false)
                    : NSSortDescriptor(key: key, ascending: true)
            }
            return try context.fetch(request).enumerated().map { "\($0 + 1): \($1.shortID)" }
        }
    }

    private func migrate(_ name: String) throws -> Contents {
        guard let part = folder.kit.migrations.first(where: { $0.name == name }) else { throw KitError("no \(name)") }
        var store = try folder.store(named: part.store)
        let place = answer.appendingPathComponent("Migrated/\(name)", isDirectory: true)
        try folder.copy(store, to: place)
        let (older, newer) = (try folder.model(named: store.model), try folder.model(named: part.model))
        var options: [String: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]
        switch part.kind {
        case .lightweight: break
        case .staged:
            options[NSPersistentStoreStagedMigrationManagerOptionKey] = Self.stages(from: older, to: newer)
        case .mapping:
            let mapping = try mapping(part, from: older, to: newer)
            let source = place.appendingPathComponent(store.file)
            let file = "Stores/\(name)/Mapped.\(source.pathExtension)"
            let target = place.appendingPathComponent(file)
            try FileManager.default.createDirectory(
                at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
            try NSMigrationManager(sourceModel: older, destinationModel: newer).migrateStore(
                from: source, sourceType: store.type, options: nil, with: mapping, toDestinationURL: target,
                destinationType: store.type, destinationOptions: nil)
            store.file = file
        }
        let coordinator = try folder.coordinator(store, in: place, model: newer, options: options)
        defer { coordinator.close() }
        return try Contents(of: coordinator)
    }

    private func mapping(
        _ part: MigrationPart, from older: NSManagedObjectModel, to newer: NSManagedObjectModel
    ) throws -> NSMappingModel {
        guard let file = part.mapping else {
            return try NSMappingModel.inferredMappingModel(forSourceModel: older, destinationModel: newer)
        }
        guard let mapping = NSMappingModel(contentsOf: folder.url.appendingPathComponent(file)) else {
            throw KitError("\(file) is not read as a mapping model")
        }
        return mapping
    }

    private static func stages(
        from older: NSManagedObjectModel, to newer: NSManagedObjectModel
    ) -> NSStagedMigrationManager {
        let stage = NSCustomMigrationStage(
            migratingFrom: NSManagedObjectModelReference(model: older, versionChecksum: older.versionChecksum),
            to: NSManagedObjectModelReference(model: newer, versionChecksum: newer.versionChecksum))
        stage.label = "to the next version"
        return NSStagedMigrationManager([stage])
    }
}

/// The texts of errors.
package enum ErrorText {
    /// The domain, the code, the text and the keys that belong to Core Data, without addresses and paths.
    package static func text(_ error: any Error) -> String {
        if let error = error as? KitError { return error.description }
        let error = error as NSError
        let keys = error.userInfo.keys.filter { $0.hasPrefix("NS") && $0 != NSLocalizedDescriptionKey }.sorted()
        let inner = (error.userInfo["NSDetailedErrors"] as? [NSError])?.map { "\($0.code)" }.sorted() ?? []
        return "\(error.domain) \(error.code): \(plain(error.localizedDescription)); \(keys.joined(separator: ", "))"
            + (inner.isEmpty ? "" : "; \(inner.joined(separator: ", "))")
    }

    /// A text without addresses of memory, ids of stores and the paths of temporary files.
    package static func plain(_ text: String) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            if word.contains("x-coredata:") { return "ID" }
            if word.contains("0x") { return "ADDRESS" }
            return word.contains("/") && word.contains(".") && !word.contains("x-") ? "PATH" : String(word)
        }.joined(separator: " ")
    }
}
