import CoreData

extension Questions {
    /// Texts and codes that documents of Apple's name.
    static let messages = [
        Question("message-missing-value", nil) {
            try validation($0) { _ = $0.insert("Card", ["holder": $0.insert("Item")]) }
        },
        Question("message-missing-values", nil) { bench in
            try validation(bench) { context in
                context.insert("Card")
                context.insert("Card")
            }
        },
        Question("message-unknown-entity", nil) { bench in
            let context = try bench.context()
            return context.performAndWait { "\(context.insert("Nothing"))" }
        }.mayStop("entity"),
        Question("message-unknown-key", nil) { bench in
            let context = try bench.context()
            return context.performAndWait { "\(context.insert("Item").value(forKey: "nothing") ?? "nil")" }
        }.mayStop("key value coding", "undefined key", "valueforundefinedkey"),
        Question("message-wrong-version", nil) { bench in
            try bench.coordinator().close()
            var version = QuestionModel.Version()
            version.hasExtraColumn = true
            let newer = QuestionModel.model(version)
            return outcome { try "\(bench.coordinator(newer).persistentStores.count)" }
        },
        Question("message-merge-conflict", nil) { bench in
            let (coordinator, first) = try couple(bench)
            let second = coordinator.context()
            try second.performAndWait { try second.all("Item")[0].setValue("second", forKey: "name") }
            try first.performAndWait {
                try first.all("Item")[0].setValue("first", forKey: "name")
                try first.save()
            }
            return second.performAndWait {
                outcome {
                    try second.save(); return "saved"
                }
            }
        },
        Question("message-constraint-conflict", nil) { bench in
            let context = try bench.context(unique)
            return context.performAndWait {
                for _ in 0..<2 { context.insert("Item", ["code": "a"]) }
                return outcome {
                    try context.save(); return "saved"
                }
            }
        },
        Question("message-predicate", nil) { _ in
            "\(NSPredicate(format: "name == 'a' AND (", argumentArray: nil))"
        }.mayStop("format string"),
    ]

    static let aboutObjects = [
        Question(
            "transient-values", "Transient attributes are not documented to be shared or separate between contexts"
        ) { bench in
            let (coordinator, first) = try couple(bench)
            try first.performAndWait { try first.all("Item")[0].setValue("noted", forKey: "note") }
            let second = coordinator.context()
            return try second.performAndWait { try second.all("Item")[0].value(forKey: "note") as? String ?? "nil" }
        },
        Question(
            "not-a-number", "NaN in a Double or Float is saved as NULL and comes back as nil"
        ) { bench in
            let context = try bench.context()
            return context.performAndWait {
                context.insert("Item", ["score": Double.nan])
                return outcome {
                    try context.save()
                    context.reset()
                    return try context.all("Item")[0].value(forKey: "score").map { "\($0)" } ?? "nil"
                }
            }
        },
        Question(
            "unknown-transformer", "A saved value whose transformer is not registered is not documented"
        ) { bench in
            var version = QuestionModel.Version()
            version.transformer = "NoSuchTransformer"
            let context = try bench.context(QuestionModel.model(version))
            return context.performAndWait {
                context.insert("Item", ["tags": ["a"] as NSArray])
                return outcome {
                    try context.save()
                    context.reset()
                    return try context.all("Item")[0].value(forKey: "tags").map(PropertyText.text) ?? "nil"
                }
            }
        },
        Question(
            "objects-without-context",
            "Objects without a context may be related to each other; their insertion is not documented"
        ) { bench in
            let context = try bench.context()
            guard let entities = context.persistentStoreCoordinator?.managedObjectModel.entitiesByName,
                let group = entities["Group"], let item = entities["Item"]
            else { throw KitError("no entities") }
            let (a, b) = (
                NSManagedObject(entity: group, insertInto: nil), NSManagedObject(entity: item, insertInto: nil)
            )
            b.setValue(a, forKey: "group")
            return context.performAndWait {
                context.insert(b)
                return outcome {
                    try context.save()
                    return "the other is \(a.managedObjectContext == nil ? "not " : "")in the context"
                }
            }
        },
        Question(
            "deleted-member", "A deleted member of a to-many relationship without inverse is not documented"
        ) { bench in
            let context = try bench.context()
            return context.performAndWait {
                let item = context.insert("Item")
                let group = context.insert("Group", ["friends": NSSet(array: [item, context.insert("Item")])])
                return outcome {
                    try context.save()
                    context.delete(item)
                    try context.save()
                    context.refreshAllObjects()
                    return "\((group.value(forKey: "friends") as? NSSet)?.count ?? -1) friends"
                }
            }
        },
        Question(
            "reference-to-deleted",
            "References to a deleted object, other than members of a to-many relationship without inverse, are not "
                + "documented"
        ) { bench in
            let context = try bench.context()
            return context.performAndWait {
                let item = context.insert("Item")
                let group = context.insert("Group", ["leader": item])
                return outcome {
                    try context.save()
                    context.delete(item)
                    context.processPendingChanges()
                    group.setValue(item, forKey: "leader")
                    try context.save()
                    context.refreshAllObjects()
                    return "saved, leader \(group.value(forKey: "leader") == nil ? "nil" : "there")"
                }
            }
        },
        Question(
            "refreshed-owner",
            "`refresh(_:mergeChanges: false)` is not documented for an object that other objects with unsaved changes "
                + "have as a member"
        ) { bench in
            let context = try bench.context()
            return context.performAndWait {
                let (group, item) = (context.insert("Group"), context.insert("Item"))
                return outcome {
                    try context.save()
                    item.setValue(group, forKey: "group")
                    context.refresh(group, mergeChanges: false)
                    let isThere = (group.value(forKey: "items") as? NSSet)?.contains(item) == true
                    return "\(isThere ? "has" : "lacks") the item; \(group.hasChanges ? "" : "un")changed"
                }
            }
        },
        Question("undone-deletion", "`UndoManager.undo()` of a saved deletion is not documented") { bench in
            let context = try bench.context()
            return context.performAndWait {
                context.undoManager = UndoManager()
                let item = context.insert("Item", ["name": "a"])
                return outcome {
                    try context.save()
                    let id = item.objectID
                    context.processPendingChanges()
                    context.undoManager?.removeAllActions()
                    context.delete(item)
                    try context.save()
                    context.undoManager?.undo()
                    let again = context.insertedObjects.first
                    return "\(context.insertedObjects.count) inserted, \(again?.objectID == id ? "same" : "other") id"
                }
            }
        },
    ]

    /// The model with a uniqueness constraint.
    static var unique: NSManagedObjectModel {
        var version = QuestionModel.Version()
        version.isUnique = true
        return QuestionModel.model(version)
    }

    /// A coordinator with one saved item, and a context.
    static func couple(_ bench: Bench) throws -> (NSPersistentStoreCoordinator, NSManagedObjectContext) {
        let coordinator = try bench.coordinator()
        try bench.fill(coordinator.context(), [("Item", ["name": "saved", "number": 1])])
        return (coordinator, coordinator.context())
    }

    private static func validation(
        _ bench: Bench, _ body: (NSManagedObjectContext) -> Void
    ) throws -> String {
        let context = try bench.context()
        return context.performAndWait {
            body(context)
            return outcome {
                try context.save(); return "saved"
            }
        }
    }
}
