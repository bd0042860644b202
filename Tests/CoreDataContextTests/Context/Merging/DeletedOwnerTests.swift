import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// One context deletes an owner while another gives it a member: each touches rows of its own, and still they meet.
@Suite("Deletions that meet new references", .leavesNothingBehind, .onEveryKindOfStore)
struct DeletedOwnerTests {
    static var winners: [NSMergePolicy] { [.mergeByPropertyObjectTrump, .overwrite] }
    static var losers: [NSMergePolicy] { [.mergeByPropertyStoreTrump, .rollback] }
    /// One of the three relationships on each kind of store, all with `bin/test --long`.
    static var keys: [String] {
        Sample.slice(["owner", "queuedBy", "partner"], oneIn: 3, StoreKind.current.rawValue)
    }

    /// An owner and an item, saved, and the two contexts that are going to meet.
    private struct Scene {
        let library: Library
        let deleter: NSManagedObjectContext
        let relater: NSManagedObjectContext
        let owner: URL
        let item: URL
        let key: String

        init(_ key: String, _ policy: NSMergePolicy, apart: Bool = false, rule: NSDeleteRule = .nullifyDeleteRule)
            throws
        {
            let model = PairModel.make()
            for name in ["items", "queue"] {
                model.entitiesByName["Owner"]?.relationshipsByName[name]?.deleteRule = rule
            }
            library = try Library(model: model)
            self.key = key
            let first = library.context()
            (owner, item) = try first.performAndWait {
                let owner = first.make(key == "partner" ? "Item" : "Owner", ["name": "o"])
                let item = first.make("Item", ["name": "i"])
                try first.save()
                return (owner.objectID.uriRepresentation(), item.objectID.uriRepresentation())
            }
            deleter = library.context()
            relater = try (apart ? library.beside() : library).context()
            for context in [deleter, relater] { context.performAndWait { context.mergePolicy = policy } }
        }

        func object(_ url: URL, _ context: NSManagedObjectContext) throws -> NSManagedObject {
            let coordinator = try #require(context.persistentStoreCoordinator)
            return try context.existingObject(
                with: try #require(coordinator.managedObjectID(forURIRepresentation: url)))
        }

        func delete() throws -> Held<NSManagedObject> {
            try deleter.performAndWait {
                let owner = try object(owner, deleter)
                deleter.delete(owner)
                deleter.processPendingChanges()
                return Held(owner)
            }
        }

        func relate() throws -> Held<NSManagedObject> {
            try relater.performAndWait {
                let item = try object(item, relater)
                item.setValue(try object(owner, relater), forKey: key)
                return Held(item)
            }
        }

        func save(_ context: NSManagedObjectContext) -> Int {
            context.performAndWait {
                do {
                    try context.save()
                    return 0
                } catch { return (error as NSError).code }
            }
        }

        /// The store's content: names, and where the item leads.
        func saved() throws -> [String] {
            let context = try library.beside().context()
            return try context.performAndWait {
                let all = try context.all("Owner") + context.all("Item")
                return try all.map { object in
                    guard object.nameText == "i", let target = object.one(key) else { return object.nameText }
                    try #require(all.contains(target), "a reference leads to nothing")
                    return "i → \(target.nameText)"
                }.sorted()
            }
        }
    }

    @Test("Deleting an object to which another context has related one since is a conflict, or leaves nothing behind")
    func deletionComesSecond() throws {
        for key in Self.keys {
            for apart in [false, true] where !apart || StoreKind.current.isDatabase {
                let strict = try Scene(key, .error, apart: apart)
                var (held, other) = (try strict.delete(), try strict.relate())
                #expect(strict.save(strict.relater) == 0)
                #expect(strict.save(strict.deleter) == NSManagedObjectMergeError)
                #expect(try strict.saved() == ["i → o", "o"], "\(key)")
                for policy in Self.winners {
                    let scene = try Scene(key, policy, apart: apart)
                    (held, other) = (try scene.delete(), try scene.relate())
                    #expect(scene.save(scene.relater) == 0)
                    #expect(scene.save(scene.deleter) == 0)
                    #expect(try scene.saved() == ["i"], "\(key)")
                }
                for policy in Self.losers {
                    let scene = try Scene(key, policy, apart: apart)
                    (held, other) = (try scene.delete(), try scene.relate())
                    #expect(scene.save(scene.relater) == 0)
                    #expect(scene.save(scene.deleter) == 0)
                    #expect(try scene.saved() == ["i → o", "o"], "\(key)")
                }
                withExtendedLifetime((held, other)) {}
            }
        }
    }

    @Test("A save of a deletion meets a relation to the object that was merged before")
    func mergedBetween() throws {
        for key in Self.keys {
            for (policy, code, left) in [(NSMergePolicy.error, NSManagedObjectMergeError, ["i → o", "o"])]
                + Self.winners.map({ ($0, 0, ["i"]) }) + Self.losers.map({ ($0, 0, ["i → o", "o"]) })
            {
                let scene = try Scene(key, policy)
                let held = (try scene.delete(), try scene.relate())
                let changes = Locked<[Notification]>([])
                let token = NotificationCenter.default.addObserver(
                    forName: .NSManagedObjectContextDidSave, object: scene.relater, queue: nil
                ) { notification in changes.withLock { $0.append(notification) } }
                defer { NotificationCenter.default.removeObserver(token) }
                #expect(scene.save(scene.relater) == 0)
                let saved = try #require(changes.withLock { $0.last })
                scene.deleter.performAndWait { scene.deleter.mergeChanges(fromContextDidSave: saved) }
                #expect(scene.save(scene.deleter) == code, "\(key)")
                #expect(try scene.saved() == left, "\(key)")
                withExtendedLifetime(held) {}
            }
        }
    }

    @Test("Relating to an object that another context has deleted since is a conflict, or leads nowhere")
    func relationComesSecond() throws {
        for key in Self.keys {
            for apart in [false, true] where !apart || StoreKind.current.isDatabase {
                let strict = try Scene(key, .error, apart: apart)
                var (held, other) = (try strict.relate(), try strict.delete())
                #expect(strict.save(strict.deleter) == 0)
                #expect(strict.save(strict.relater) == NSManagedObjectMergeError)
                #expect(try strict.saved() == ["i"], "\(key)")
                for policy in Self.losers {
                    let scene = try Scene(key, policy, apart: apart)
                    (held, other) = (try scene.relate(), try scene.delete())
                    #expect(scene.save(scene.deleter) == 0)
                    #expect(scene.save(scene.relater) == 0)
                    #expect(try scene.saved() == ["i"], "\(key)")
                }
                for policy in Self.winners {
                    let scene = try Scene(key, policy, apart: apart)
                    (held, other) = (try scene.relate(), try scene.delete())
                    #expect(scene.save(scene.deleter) == 0)
                    #expect(scene.save(scene.relater) == 0)
                    #expect(try scene.saved() == ["i → o", "o"], "\(key)")
                }
                withExtendedLifetime((held, other)) {}
            }
        }
    }

    @Test("A deletion that wins takes its new members along or is refused, as its rule says")
    func rules() throws {
        for key in ["owner", "queuedBy"] {
            let cascading = try Scene(key, .overwrite, rule: .cascadeDeleteRule)
            var (held, other) = (try cascading.delete(), try cascading.relate())
            #expect(cascading.save(cascading.relater) == 0)
            #expect(cascading.save(cascading.deleter) == 0)
            #expect(try cascading.saved() == [], "\(key)")
            let denying = try Scene(key, .overwrite, rule: .denyDeleteRule)
            (held, other) = (try denying.delete(), try denying.relate())
            #expect(denying.save(denying.relater) == 0)
            #expect(denying.save(denying.deleter) == NSValidationRelationshipDeniedDeleteError)
            #expect(try denying.saved() == ["i → o", "o"], "\(key)")
            withExtendedLifetime((held, other)) {}
        }
    }
}
