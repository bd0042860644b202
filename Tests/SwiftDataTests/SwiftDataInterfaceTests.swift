import CoreData
import Foundation
import SwiftData
import TestSupport
import Testing

/// The interface of models, identifiers, contexts and errors, which other suites do not use.
@Suite("Interface of SwiftData")
struct SwiftDataInterfaceTests {
    private func container(_ url: URL? = nil) throws -> ModelContainer {
        try ModelContainer(
            for: Harbour.self, Marina.self,
            configurations: url.map { ModelConfiguration(url: $0) } ?? ModelConfiguration(isStoredInMemoryOnly: true))
    }

    // MARK: Values by key paths

    /// Sets every kind of property by its key path.
    private func fill(_ harbour: Harbour, _ berth: Berth) {
        harbour.setValue(forKey: \.name, to: "North")
        harbour.setValue(forKey: \.country, to: "Norway")
        harbour.setValue(forKey: \.depth, to: 7.5)
        harbour.setValue(forKey: \.use, to: .ferry)
        harbour.setValue(forKey: \.plan, to: HarbourPlan(pages: [1], titles: ["a": "b"]))
        harbour.setValue(forKey: \.photo, to: Data([1, 2]))
        harbour.setTransformableValue(forKey: \.mark, to: HarbourMark("cross"))
        harbour.setValue(forKey: \.berths, to: [berth])
        harbour.setValue(forKey: \.guests, to: [berth])
        harbour.setValue(forKey: \.main, to: berth)
    }

    /// Reads every kind of property by its key path and by its accessor.
    private func check(_ harbour: Harbour, _ berth: Berth, at place: SourceLocation = #_sourceLocation) {
        #expect(harbour.getValue(forKey: \.name) == "North", sourceLocation: place)
        #expect(harbour.getValue(forKey: \.country) == "Norway", sourceLocation: place)
        #expect(harbour.getValue(forKey: \.depth) == 7.5 && harbour.depth == 7.5, sourceLocation: place)
        #expect(harbour.getValue(forKey: \.use) == .ferry && harbour.use == .ferry, sourceLocation: place)
        #expect(harbour.getValue(forKey: \.plan) == harbour.plan && harbour.plan.pages == [1], sourceLocation: place)
        #expect(harbour.getValue(forKey: \.hours) == nil, sourceLocation: place)
        #expect(harbour.getValue(forKey: \.photo) == Data([1, 2]), sourceLocation: place)
        #expect(harbour.getTransformableValue(forKey: \.mark) == HarbourMark("cross"), sourceLocation: place)
        #expect(harbour.getValue(forKey: \.berths) == [berth] && harbour.berths == [berth], sourceLocation: place)
        #expect(harbour.getValue(forKey: \.guests) == [berth] && harbour.guests == [berth], sourceLocation: place)
        #expect(harbour.getValue(forKey: \.main) === berth && harbour.main === berth, sourceLocation: place)
        #expect(berth.getValue(forKey: \.harbour) === harbour && berth.visited === harbour, sourceLocation: place)
    }

    @Test("Key paths read and set every kind of property of a new, an inserted and a saved model")
    func keyPaths() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("harbours.store")
            do {
                let context = ModelContext(try container(url))
                let harbour = Harbour(name: "")
                let berth = Berth(number: 1, harbour: Harbour(name: "other"))
                fill(harbour, berth)
                check(harbour, berth)
                #expect(harbour.modelContext == nil)
                context.insert(harbour)
                check(harbour, berth)
                try context.save()
                check(harbour, berth)
                berth.setValue(forKey: \.number, to: 2)
                #expect(context.changedModelsArray.map(\.persistentModelID) == [berth.persistentModelID])
                context.rollback()
                #expect(berth.getValue(forKey: \.number) == 1)
            }
            let context = ModelContext(try container(url))
            let harbour = try #require(
                try context.fetch(FetchDescriptor<Harbour>(predicate: #Predicate { $0.name == "North" })).first)
            check(harbour, try #require(harbour.main))
            harbour.setValue(forKey: \.main, to: nil)
            harbour.setValue(forKey: \.guests, to: nil)
            harbour.setValue(forKey: \.country, to: nil)
            #expect(harbour.main == nil && harbour.guests == [] && harbour.country == nil)
            let berth = try #require(harbour.berths.first)
            let marina = Marina(name: "South", places: 4)
            berth.setValue(forKey: \.harbour, to: marina)
            #expect((marina as Harbour).getValue(forKey: \.berths) == [berth] && harbour.berths.isEmpty)
            #expect(marina.getValue(forKey: \.places) == 4 && (marina as Harbour).getValue(forKey: \.name) == "South")
        }
    }

    @Test("A deleted model keeps its values for key paths")
    func deleted() throws {
        let context = ModelContext(try container())
        let harbour = Harbour(name: "A")
        context.insert(harbour)
        try context.save()
        context.delete(harbour)
        #expect(harbour.isDeleted && harbour.getValue(forKey: \.name) == "A")
        try context.save()
        #expect(harbour.getValue(forKey: \.name) == "A")
        #expect(harbour.persistentBackingData.getValue(forKey: \.name) == "A")
    }

    @Test("Backing data reads and sets the values of its model")
    func backingData() throws {
        let context = ModelContext(try container())
        let harbour = Harbour(name: "A")
        let data: any BackingData<Harbour> = harbour.persistentBackingData
        let berth = Berth(number: 1, harbour: Harbour(name: "other"))
        data.setValue(forKey: \.name, to: "B")
        data.setTransformableValue(forKey: \.mark, to: HarbourMark("cross"))
        data.setValue(forKey: \.berths, to: [berth])
        data.setValue(forKey: \.guests, to: [berth])
        data.setValue(forKey: \.main, to: berth)
        #expect(harbour.name == "B" && harbour.berths == [berth])
        #expect(berth.harbour === harbour && berth.visited === harbour)
        #expect(data.getTransformableValue(forKey: \.mark) == HarbourMark("cross"))
        #expect(data.getValue(forKey: \.berths) == [berth] && data.getValue(forKey: \.guests) == [berth])
        #expect(data.getValue(forKey: \.main) === berth)
        #expect(berth.persistentBackingData.getValue(forKey: \.harbour) === harbour)
        context.insert(harbour)
        #expect(data.persistentModelID == harbour.persistentModelID)
        #expect((data.metadata as? NSEntityDescription)?.name == "Harbour")
        try context.save()
        data.setValue(forKey: \.depth, to: 9)
        #expect(harbour.hasChanges && harbour.depth == 9)
        let other = Berth(number: 2, harbour: harbour)
        berth.persistentBackingData.setValue(forKey: \.harbour, to: other.harbour)
        berth.persistentBackingData.setValue(forKey: \.visited, to: nil)
        #expect(harbour.guests == [])
    }

    @Test("Backing data without a model makes one, whose inverses lead to the model")
    func createdBackingData() throws {
        let data: some BackingData<Harbour> = Harbour.createBackingData()
        let berth = Berth(number: 1, harbour: Harbour(name: "other"))
        #expect(data.getValue(forKey: \.depth) == 3 && data.getValue(forKey: \.use) == .fishing)
        #expect(data.getValue(forKey: \.plan) == HarbourPlan(pages: [], titles: [:]))
        data.setValue(forKey: \.name, to: "A")
        data.setValue(forKey: \.berths, to: [berth])
        data.setValue(forKey: \.main, to: berth)
        #expect(data.getValue(forKey: \.berths) == [berth] && data.getValue(forKey: \.main) === berth)
        let harbour = Harbour(backingData: data)
        #expect(harbour.name == "A" && harbour.berths == [berth] && harbour.main === berth)
        #expect(berth.harbour === harbour)
        let context = ModelContext(try container())
        context.insert(harbour)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Berth>()) == 1)
    }

    @Test("A key path that leads to no stored property stops the process")
    func wrongKeyPath() async {
        await #expect(processExitsWith: .failure) {
            _ = Harbour(name: "A").getValue(forKey: \.name.count)
        }
    }

    // MARK: Mirrors and identifiers

    @Test("Mirrors have the managed objects under the names by which published code finds them")
    func mirrors() throws {
        let context = ModelContext(try container())
        let harbour = Harbour(name: "A")
        context.insert(harbour)
        func child(_ value: Any, _ name: String) -> Any? {
            Mirror(reflecting: value).children.first { $0.label == name }?.value
        }
        #expect(child(context, "_nsContext") as? NSManagedObjectContext === context.managedObjectContext)
        #expect(child(harbour.persistentBackingData, "_managedObject") as? NSManagedObject === harbour.managedObject)
        let new = try #require(child(harbour.persistentModelID, "implementation"))
        #expect(child(new, "isTemporary") as? Bool == true && harbour.persistentModelID.isTemporary)
        try context.save()
        let saved = try #require(child(harbour.persistentModelID, "implementation"))
        #expect(child(saved, "isTemporary") as? Bool == false && !harbour.persistentModelID.isTemporary)
        #expect(child(saved, "managedObjectID") as? NSManagedObjectID == harbour.managedObject.objectID)
    }

    @Test("An identifier that a program makes equals that of the model")
    func identifiers() throws {
        try withTemporaryFolder { folder in
            let context = ModelContext(try container(folder.appendingPathComponent("a.store")))
            let harbour = Harbour(name: "A")
            context.insert(harbour)
            #expect(harbour.persistentModelID.storeIdentifier == nil)
            try context.save()
            let id = harbour.persistentModelID
            let made = try PersistentIdentifier.identifier(
                for: try #require(id.storeIdentifier), entityName: id.entityName, primaryKey: 1)
            #expect(made == id && made.id == id.id && !made.isTemporary && id.entityName == "Harbour")
            #expect(!(made < id) && !(id < made))
            let found: Harbour? = context.registeredModel(for: made)
            #expect(found === harbour)
        }
    }

    // MARK: Contexts

    @Test("The editing state of a context has its identity and its author")
    func editingState() throws {
        let container = try container()
        let (one, two) = (ModelContext(container), ModelContext(container))
        #expect(one.editingState.id != two.editingState.id && one.editingState.author == nil)
        one.editingState.author = "importer"
        #expect(one.author == "importer" && one.managedObjectContext.transactionAuthor == "importer")
        one.author = nil
        #expect(one.editingState.author == nil && one.editingState == one.editingState)
        one.insert(Harbour(name: "A"))
        #expect(one.debugDescription.contains("inserted: 1, changed: 0, deleted: 0"))
        #expect(two.debugDescription.contains("'default'"))
    }

    @Test("The notification of a save has identifiers under keys and raw values, and the pinned generation")
    func notifications() throws {
        try withTemporaryFolder { folder in
            let context = ModelContext(try container(folder.appendingPathComponent("a.store")))
            let posted = Posted()
            let observer = NotificationCenter.default.addObserver(
                forName: ModelContext.didSave, object: context, queue: nil
            ) { posted.all.append($0.userInfo ?? [:]) }
            defer { NotificationCenter.default.removeObserver(observer) }
            let harbour = Harbour(name: "A")
            context.insert(harbour)
            try context.save()
            typealias Key = ModelContext.NotificationKey
            #expect(posted.all[0][Key.insertedIdentifiers] as? [PersistentIdentifier] == [harbour.persistentModelID])
            #expect(posted.all[0]["insertedIdentifiers"] as? [PersistentIdentifier] == [harbour.persistentModelID])
            #expect(posted.all[0][Key.queryGeneration] == nil && posted.all[0][Key.invalidatedAllIdentifiers] == nil)
            try context.managedObjectContext.setQueryGenerationFrom(.current)
            harbour.depth = 4
            try context.save()
            #expect(posted.all[1][Key.updatedIdentifiers] as? [PersistentIdentifier] == [harbour.persistentModelID])
            #expect(posted.all[1][Key.queryGeneration] is NSQueryGenerationToken)
            #expect(Key.invalidatedAllIdentifiers.rawValue == "invalidatedAllIdentifiers")
        }
    }

    @Test("The results of a fetch in batches are a collection of random access")
    func results() throws {
        let context = ModelContext(try container())
        for name in ["C", "A", "B"] { context.insert(Harbour(name: name)) }
        try context.save()
        let descriptor = FetchDescriptor<Harbour>(sortBy: [SortDescriptor(\.name)])
        let results: FetchResultsCollection<Harbour> = try context.fetch(descriptor, batchSize: 2)
        #expect(results.startIndex == 0 && results.endIndex == 3 && results[1].name == "B")
        #expect(results.reversed().map(\.name) == ["C", "B", "A"])
        let identifiers: FetchResultsCollection<PersistentIdentifier> = try context.fetchIdentifiers(
            descriptor, batchSize: 2)
        #expect(Array(identifiers) == results.map(\.persistentModelID))
    }

    // MARK: Configurations and errors

    @Test("A configuration has the values that it was made of")
    func configurations() throws {
        let schema = Schema([Harbour.self])
        let memory = ModelConfiguration(
            "north", schema: schema, isStoredInMemoryOnly: true, allowsSave: false,
            groupContainer: .identifier("ships"),
            cloudKitDatabase: .none)
        #expect(memory.name == "north" && memory.schema == schema && memory.isStoredInMemoryOnly && !memory.allowsSave)
        #expect(memory.groupAppContainerIdentifier == "ships" && memory.groupContainer == .identifier("ships"))
        #expect(memory.cloudKitContainerIdentifier == nil && memory.cloudKitDatabase == .none)
        let file = ModelConfiguration("south", url: URL(fileURLWithPath: "/tmp/south.store"))
        #expect(file.url.path == "/tmp/south.store" && file.allowsSave && file.schema == nil)
        #expect(file.groupContainer == .automatic && file.cloudKitDatabase == .automatic)
        #expect(ModelConfiguration(for: Harbour.self, isStoredInMemoryOnly: true).schema == schema)
        #expect(ModelConfiguration(groupContainer: .none).url.lastPathComponent == "default.store")
        let grouped = ModelConfiguration("a", groupContainer: .identifier("ships")).url
        #expect(grouped.pathComponents.suffix(2) == ["ships", "a.store"])
    }

    @Test("Each error is a kind of its own")
    func errors() {
        let all: [SwiftDataError] = [
            .backwardMigration, .configurationFileNameContainsInvalidCharacters, .configurationFileNameTooLong,
            .configurationSchemaNotFoundInContainerSchema, .duplicateConfiguration, .includePendingChangesWithBatchSize,
            .loadIssueModelContainer, .missingModelContext, .modelValidationFailure,
            .sortingPendingChangesWithIdentifiers, .unknownSchema, .unsupportedKeyPath, .unsupportedPredicate,
            .unsupportedSortDescriptor,
        ]
        for (index, error) in all.enumerated() {
            #expect(all.firstIndex { $0 ~= error } == index)
        }
        #expect(!(SwiftDataError.unknownSchema ~= CocoaError(.fileNoSuchFile)))
    }

    @Test("Names of configurations that no file can have are errors")
    func names() {
        func open(_ name: String) throws -> ModelContainer {
            try ModelContainer(for: Harbour.self, configurations: ModelConfiguration(name))
        }
        #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) { try open("a/b") }
        #expect(throws: SwiftDataError.configurationFileNameTooLong) { try open(String(repeating: "a", count: 300)) }
    }
}

/// What one thread was sent.
private final class Posted: @unchecked Sendable {
    var all: [[AnyHashable: Any]] = []
}
