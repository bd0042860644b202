import CoreData
import TestSupport
import Testing

/// Everything that a context and an object offer, called on a thread that has no business there.
@Suite("Every entry point is confined")
struct EntryPointTests {
    /// The objects that lie ready on the context's queue.
    struct Scene {
        let context: NSManagedObjectContext
        let object: NSManagedObject
        let id: NSManagedObjectID
        let fetched: FetchedObjects<NSManagedObject>
    }

    struct Entry: CustomTestStringConvertible, Sendable {
        let name: String
        let call: @Sendable (Scene) throws -> Void
        init(_ name: String, _ call: @escaping @Sendable (Scene) throws -> Void) {
            self.name = name
            self.call = call
        }
        var testDescription: String { name }
    }

    static let ofContext: [Entry] = [
        Entry("insertedObjects") { _ = $0.context.insertedObjects },
        Entry("updatedObjects") { _ = $0.context.updatedObjects },
        Entry("deletedObjects") { _ = $0.context.deletedObjects },
        Entry("registeredObjects") { _ = $0.context.registeredObjects },
        Entry("hasChanges") { _ = $0.context.hasChanges },
        Entry("processPendingChanges") { $0.context.processPendingChanges() },
        Entry("fetch") { _ = try $0.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author")) },
        Entry("fetch(_:batchSize:)") { scene in
            _ = try scene.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author"), batchSize: 5)
        },
        Entry("FetchedObjects, an object") { _ = $0.fetched[0] },
        Entry("FetchedObjects, iterating") { for _ in $0.fetched {} },
        Entry("count") { _ = try $0.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author")) },
        Entry("execute") { _ = try $0.context.execute(NSBatchDeleteRequest(objectIDs: [$0.id])) },
        Entry("object(with:)") { _ = $0.context.object(with: $0.id) },
        Entry("registeredObject(for:)") { _ = $0.context.registeredObject(for: $0.id) },
        Entry("existingObject(with:)") { _ = try $0.context.existingObject(with: $0.id) },
        Entry("insert") { $0.context.insert($0.object) },
        Entry("delete") { $0.context.delete($0.object) },
        Entry("refresh") { $0.context.refresh($0.object, mergeChanges: true) },
        Entry("refreshAllObjects") { $0.context.refreshAllObjects() },
        Entry("rollback") { $0.context.rollback() },
        Entry("reset") { $0.context.reset() },
        Entry("save") { try $0.context.save() },
        Entry("undo") { $0.context.undo() },
        Entry("redo") { $0.context.redo() },
        Entry("undoManager") { $0.context.undoManager = UndoManager() },
        Entry("obtainPermanentIDs") { try $0.context.obtainPermanentIDs(for: [$0.object]) },
        Entry("obtainPermanentIDs(for:numbers:)") { scene in
            try scene.context.obtainPermanentIDs(for: [], numbers: [])
        },
        Entry("assign") { scene in
            guard let store = scene.context.persistentStoreCoordinator?.persistentStores.first else { return }
            scene.context.assign(scene.object, to: store)
        },
        Entry("detectConflicts") { $0.context.detectConflicts(for: $0.object) },
        Entry("userInfo") { _ = $0.context.userInfo },
        Entry("undoManager, reading") { _ = $0.context.undoManager },
        Entry("name") { $0.context.name = "other" },
        Entry("name, reading") { _ = $0.context.name },
        Entry("transactionAuthor") { $0.context.transactionAuthor = "other" },
        Entry("transactionAuthor, reading") { _ = $0.context.transactionAuthor },
        Entry("mergePolicy") { $0.context.mergePolicy = NSMergePolicy.overwrite },
        Entry("mergePolicy, reading") { _ = $0.context.mergePolicy },
        Entry("propagatesDeletesAtEndOfEvent") { $0.context.propagatesDeletesAtEndOfEvent = false },
        Entry("propagatesDeletesAtEndOfEvent, reading") { _ = $0.context.propagatesDeletesAtEndOfEvent },
        Entry("automaticallyMergesChangesFromParent") { $0.context.automaticallyMergesChangesFromParent = true },
        Entry("automaticallyMergesChangesFromParent, reading") { scene in
            _ = scene.context.automaticallyMergesChangesFromParent
        },
        Entry("shouldDeleteInaccessibleFaults") { $0.context.shouldDeleteInaccessibleFaults = false },
        Entry("shouldDeleteInaccessibleFaults, reading") { _ = $0.context.shouldDeleteInaccessibleFaults },
        Entry("stalenessInterval") { $0.context.stalenessInterval = 1 },
        Entry("stalenessInterval, reading") { _ = $0.context.stalenessInterval },
        Entry("retainsRegisteredObjects") { $0.context.retainsRegisteredObjects = true },
        Entry("retainsRegisteredObjects, reading") { _ = $0.context.retainsRegisteredObjects },
        Entry("parent") { $0.context.parent = nil },
        Entry("persistentStoreCoordinator") { scene in
            scene.context.persistentStoreCoordinator = scene.context.persistentStoreCoordinator
        },
        Entry("queryGenerationToken") { _ = $0.context.queryGenerationToken },
        Entry("setQueryGenerationFrom") { try $0.context.setQueryGenerationFrom(.current) },
        Entry("mergeChanges") { scene in
            let notification = Notification(name: .NSManagedObjectContextDidSave, object: nil, userInfo: [:])
            scene.context.mergeChanges(fromContextDidSave: notification)
        },
        Entry("insertNewObject") { _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: $0.context) },
        Entry("init(context:)") { scene in
            guard let entity = scene.context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Tag"]
            else { return }
            _ = NSManagedObject(entity: entity, insertInto: scene.context)
        },
    ]

    static let ofObject: [Entry] = [
        Entry("value(forKey:)") { _ = $0.object.value(forKey: "name") },
        Entry("value(forKeyPath:)") { _ = $0.object.value(forKeyPath: "books.title") },
        Entry("setValue(_:forKey:)") { $0.object.setValue("B", forKey: "name") },
        Entry("setValuesForKeys") { $0.object.setValuesForKeys(["name": "B"]) },
        Entry("dictionaryWithValues") { _ = $0.object.dictionaryWithValues(forKeys: ["name"]) },
        Entry("primitiveValue(forKey:)") { _ = $0.object.primitiveValue(forKey: "name") },
        Entry("setPrimitiveValue") { $0.object.setPrimitiveValue("B", forKey: "name") },
        Entry("a relationship's members") { _ = $0.object.value(forKey: "books") },
        Entry("mutableSetValue") { $0.object.mutableSetValue(forKey: "books").removeAllObjects() },
        Entry("mutableSetValue(forKeyPath:)") { _ = $0.object.mutableSetValue(forKeyPath: "profile.author.books") },
        Entry("setValue(_:forKeyPath:)") { $0.object.setValue("B", forKeyPath: "name") },
        Entry("mutableSetValue, reading") { _ = $0.object.mutableSetValue(forKey: "books").count },
        Entry("changedValues") { _ = $0.object.changedValues() },
        Entry("changedValuesForCurrentEvent") { _ = $0.object.changedValuesForCurrentEvent() },
        Entry("committedValues") { _ = $0.object.committedValues(forKeys: nil) },
        Entry("hasFault") { _ = $0.object.hasFault(forRelationshipNamed: "books") },
        Entry("objectIDs") { _ = $0.object.objectIDs(forRelationshipNamed: "books") },
        Entry("willAccessValue") { $0.object.willAccessValue(forKey: "name") },
        Entry("willChangeValue") { $0.object.willChangeValue(forKey: "name") },
        Entry("didChangeValue") { $0.object.didChangeValue(forKey: "name") },
        Entry("isInserted") { _ = $0.object.isInserted },
        Entry("isUpdated") { _ = $0.object.isUpdated },
        Entry("isDeleted") { _ = $0.object.isDeleted },
        Entry("isFault") { _ = $0.object.isFault },
        Entry("hasChanges") { _ = $0.object.hasChanges },
        Entry("hasPersistentChangedValues") { _ = $0.object.hasPersistentChangedValues },
        Entry("faultingState") { _ = $0.object.faultingState },
        Entry("validateForInsert") { try $0.object.validateForInsert() },
        Entry("validateForUpdate") { try $0.object.validateForUpdate() },
        Entry("validateForDelete") { try $0.object.validateForDelete() },
        Entry("validateValue") { scene in
            var value: AnyObject?
            try scene.object.validateValue(&value, forKey: "joined")
        },
        Entry("a typed accessor") { _ = $0.object.string(ManagedSlot("name")) },
        Entry("a typed accessor, writing") { $0.object.set(ManagedSlot("name"), string: "B") },
    ]

    @Test(
        "A wrong use of any member of a context stops the process, and the report names the context",
        arguments: Sample.slice(Array(ofContext.indices), oneIn: 6))
    func context(index: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [index] in
            try Self.call(Self.ofContext[index])
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let violation = "__Multithreading_Violation_AllThatIsLeftToUsIsHonor__"
        #expect(text.contains(violation), "\(Self.ofContext[index].name): \(text)")
        #expect(text.contains("importer"), "\(Self.ofContext[index].name): \(text)")
    }

    @Test(
        "A wrong use of any member of an object stops the process, and the report names the object",
        arguments: Sample.slice(Array(ofObject.indices), oneIn: 6))
    func object(index: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [index] in
            try Self.call(Self.ofObject[index])
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let violation = "__Multithreading_Violation_AllThatIsLeftToUsIsHonor__"
        #expect(text.contains(violation), "\(Self.ofObject[index].name): \(text)")
        #expect(text.contains("importer"), "\(Self.ofObject[index].name): \(text)")
        #expect(text.contains("The object <Author"), "\(Self.ofObject[index].name): \(text)")
    }

    @Test("Constant properties may be read anywhere: ids, entity and context of an object, how a context is tied")
    func free() async {
        await #expect(processExitsWith: .success) {
            let library = try Library()
            let context = library.context()
            let child = library.child(of: context)
            let scene = try context.performAndWait {
                let author = context.make("Author", ["name": "A"])
                try context.save()
                let fetched = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author"), batchSize: 5)
                return Scene(context: context, object: author, id: author.objectID, fetched: fetched)
            }
            let isFree =
                scene.object.objectID == scene.id && scene.object.entity.name == "Author"
                && scene.object.managedObjectContext === context
                && context.concurrencyType == .privateQueueConcurrencyType && context.parent == nil
                && child.parent === context && child.persistentStoreCoordinator === library.coordinator
            guard isFree else { exit(1) }
        }
    }

    /// Calls that stop on every queue: a path that leads through a relationship to nothing, another store for a saved
    /// object, a parent for a context with a coordinator.
    static let stopsAnywhere: Set<String> = ["mutableSetValue(forKeyPath:)", "assign", "parent"]

    @Test("By default each use is reported once, with object, context, queue and remedy, and the call is carried out")
    func reports() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            for entry in Self.ofContext + Self.ofObject where !Self.stopsAnywhere.contains(entry.name) {
                try Self.call(entry, response: nil)
                try Self.call(entry, response: nil)
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("CoreData: warning: ") }
        let uses = lines.compactMap { $0.firstMatch(of: /was used \((.*?)\) from/)?.output.1 }
        #expect(uses.count == lines.count && Set(lines).count == lines.count, "\(text)")
        #expect(uses.count > 55, "\(uses)")
        for use in [
            "reading of 'name'", "writing of 'name'", "save()", "fetch(_:)", "willChangeValue(forKey:) of 'name'",
        ] {
            #expect(uses.contains { $0 == use }, "\(use): \(uses)")
        }
        for line in lines {
            #expect(line.contains("private-queue context 'importer'"), "\(line)")
            #expect(line.contains("on no context's queue; it belongs to its own queue"), "\(line)")
            #expect(line.contains("Use it inside perform or performAndWait"), "\(line)")
            #expect(line.contains("-com.apple.CoreData.ConcurrencyDebug 1"), "\(line)")
            #expect(line.contains("OPENCOREDATA_CONCURRENCY_DEBUG=1"), "\(line)")
        }
        #expect(lines.contains { $0.contains("The object <Author") && $0.contains("reading of 'name'") }, "\(text)")
    }

    @Test("the environment's 1 stops where a context ignores violations, and 0 prints nothing where one stops")
    func environment() async {
        let stopped = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            setenv("OPENCOREDATA_CONCURRENCY_DEBUG", "1", 1)
            try Self.call(Self.ofContext[0], response: .ignore)
        }
        let text = String(decoding: stopped?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("__Multithreading_Violation_AllThatIsLeftToUsIsHonor__"), "\(text)")
        let ignored = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            setenv("OPENCOREDATA_CONCURRENCY_DEBUG", "0", 1)
            for entry in Self.ofObject where !Self.stopsAnywhere.contains(entry.name) {
                try Self.call(entry, response: .stop)
            }
        }
        let nothing = String(decoding: ignored?.standardErrorContent ?? [], as: UTF8.self)
        #expect(!nothing.contains("CoreData:"), "\(nothing)")
    }

    @Test("a context's own response applies to its children, and one that ignores prints nothing")
    func inherited() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let library = try Library()
            let quiet = library.context()
            quiet.confinementResponse = .ignore
            _ = quiet.hasChanges
            let strict = library.context()
            strict.confinementResponse = .stop
            let child = library.child(of: strict)
            let ownSay = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            ownSay.confinementResponse = .ignore
            ownSay.parent = strict
            _ = ownSay.hasChanges
            FileHandle.standardError.write(Data("here\n".utf8))
            _ = child.hasChanges
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let parts = text.components(separatedBy: "here\n")
        #expect(parts.count == 2 && !parts[0].contains("CoreData:"), "\(text)")
        #expect(text.contains("__Multithreading_Violation_AllThatIsLeftToUsIsHonor__"), "\(text)")
    }

    /// Calls an entry point off the queue. Returns, and with it the process ends well, when nothing stopped it.
    private static func call(_ entry: Entry, response: ConfinementResponse? = .stop) throws {
        let library = try Library()
        let context = library.context()
        if let response { context.confinementResponse = response }
        let scene = try context.performAndWait {
            context.name = "importer"
            let author = context.make("Author", ["name": "A"])
            context.make("Book", ["title": "b", "author": author])
            try context.save()
            let fetched = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author"), batchSize: 5)
            return Scene(context: context, object: author, id: author.objectID, fetched: fetched)
        }
        do { try entry.call(scene) } catch { print("\(error)") }
    }
}
