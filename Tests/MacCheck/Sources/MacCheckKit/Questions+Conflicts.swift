import CoreData

extension Questions {
    static let aboutConflicts = [
        Question(
            "child-of-deleted", "A child's save of a changed object that its parent has deleted is not documented"
        ) { bench in
            let (_, parent) = try couple(bench)
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = parent
            try child.performAndWait { try child.all("Item")[0].setValue("changed", forKey: "name") }
            try parent.performAndWait { parent.delete(try parent.all("Item")[0]) }
            return child.performAndWait {
                outcome {
                    try child.save(); return "saved"
                }
            }
        },
        Question(
            "deleted-and-changed", "A merge policy is not documented for a deleted object whose row was changed"
        ) { bench in
            let names: [(String, NSMergePolicy)] = [
                ("object", .mergeByPropertyObjectTrump), ("store", .mergeByPropertyStoreTrump),
                ("overwrite", .overwrite), ("rollback", .rollback),
            ]
            return try names.map { name, policy in
                let coordinator = try bench.coordinator(QuestionModel.model(), "\(name).sqlite")
                try bench.fill(coordinator.context(), [("Item", ["name": "a"])])
                let (first, second) = (coordinator.context(), coordinator.context())
                second.mergePolicy = policy
                let item = try second.performAndWait { try second.all("Item")[0] }
                try first.performAndWait {
                    try first.all("Item")[0].setValue("b", forKey: "name")
                    try first.save()
                }
                let result = second.performAndWait {
                    second.delete(item)
                    return outcome {
                        try second.save(); return "saved"
                    }
                }
                return try first.performAndWait {
                    first.reset()
                    return "\(name): \(result), \(try first.count("Item")) left"
                }
            }.joined(separator: "; ")
        },
        takenValue(
            "taken-value-object", .mergeByPropertyObjectTrump,
            "A merge policy is not documented for a saved object that takes the unique values of another saved one"),
        takenValue(
            "taken-value-store", .mergeByPropertyStoreTrump,
            "`mergeByPropertyStoreTrump` is not documented for a saved object that takes the unique values of another "
                + "saved one"),
        takenValue(
            "taken-value-rollback", .rollback,
            "`rollback` as a merge policy is not documented for a saved object that takes the unique values of another "
                + "saved one"),
        Question(
            "idle-policy", "A merge policy that leaves conflicts at every attempt is not documented"
        ) { bench in
            let context = try bench.context(unique)
            return context.performAndWait {
                context.mergePolicy = IdlePolicy(merge: .overwriteMergePolicyType)
                for _ in 0..<2 { context.insert("Item", ["code": "a"]) }
                return outcome {
                    try context.save()
                    return "saved, \(try context.count("Item")) items"
                }
            }
        },
    ]

    /// An item takes the unique code of another one, and a second value is changed.
    private static func takenValue(
        _ name: String, _ policy: @autoclosure @escaping @Sendable () -> NSMergePolicy, _ row: String
    ) -> Question {
        Question(name, row) { bench in
            let context = try bench.context(unique)
            try bench.fill(context, [("Item", ["name": "a", "code": "a"]), ("Item", ["name": "b", "code": "b"])])
            return try context.performAndWait {
                context.mergePolicy = policy()
                let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                request.predicate = NSPredicate(format: "code == 'a'", argumentArray: nil)
                for item in try context.fetch(request) {
                    item.setValue("b", forKey: "code")
                    item.setValue("changed", forKey: "name")
                }
                let result = outcome {
                    try context.save(); return "saved"
                }
                context.reset()
                let left = try context.all("Item").map { item in
                    ["name", "code"].map { item.value(forKey: $0) as? String ?? "nil" }.joined(separator: " ")
                }
                return "\(result); \(left.sorted().joined(separator: ", "))"
            }
        }
    }
}

/// A merge policy that changes nothing.
private final class IdlePolicy: NSMergePolicy {
    override func resolve(mergeConflicts list: [Any]) throws {}
    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {}
    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {}
}
