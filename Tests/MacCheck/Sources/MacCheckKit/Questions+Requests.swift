import CoreData

#if canImport(Darwin)
typealias Compound = NSCompoundPredicate
#else
// Foundation on Linux has another class of this name.
typealias Compound = CoreData.NSCompoundPredicate
#endif

extension Questions {
    /// Two groups, one without items, and an item without a group.
    private static func groups(_ bench: Bench) throws -> NSManagedObjectContext {
        let context = try bench.context()
        try context.performAndWait {
            let full = context.insert("Group", ["title": "full"])
            context.insert("Group", ["title": "empty"])
            context.insert("Item", ["name": "x", "number": 1, "group": full])
            context.insert("Item", ["number": 2, "group": full])
            context.insert("Item", ["name": "alone", "number": 3])
            context.insert("SpecialItem", ["name": "special", "number": 4, "extra": "more"])
            try context.save()
        }
        return context
    }

    /// The names of the objects that a predicate finds.
    private static func find(
        _ name: String, _ row: String, _ entity: String, _ format: String, key: String = "name"
    ) -> Question {
        Question(name, row) { bench in
            let context = try groups(bench)
            return context.performAndWait { outcome { try context.names(entity, format, key: key) } }
        }
    }

    static let aboutPredicates = [
        find(
            "size-of-members", "`collection[SIZE]` of a relationship in a SQLite fetch is not documented", "Group",
            "items[SIZE] == 2", key: "title"),
        find(
            "count-behind-nil", "`author.books.@count == 0` of a book without an author is not documented", "Item",
            "group.items.@count == 0"),
        find(
            "members-are-nil", "`tags == nil` of a to-many relationship is not documented", "Group", "items == nil",
            key: "title"),
        find(
            "all-members-differ", "`ALL tags.name != 'x'` is not documented where a name is nil", "Group",
            "ALL items.name != 'y'", key: "title"),
        find(
            "object-and-number",
            "`NSPredicate` that compares an object with a number, a text or an entity is not documented", "Item",
            "group == 1"),
        find(
            "property-of-subentity",
            "A predicate that reads a property which only subentities have is not documented", "Item", "extra == nil"),
        Question(
            "objects-by-order", "`NSPredicate` that compares objects by an order is not documented"
        ) { bench in
            let context = try groups(bench)
            return try context.performAndWait {
                let group = try context.all("Group")[0]
                return outcome { try context.names("Item", "group >= %@", [group]) }
            }
        },
        Question(
            "object-of-other-entity",
            "A predicate whose constant is an object of another entity, store or coordinator is not documented"
        ) { bench in
            let context = try groups(bench)
            return try context.performAndWait {
                let item = try context.all("Item")[0]
                return outcome { try context.names("Item", "group == %@", [item]) }
            }
        },
        Question("nan-constant", "`NSPredicate` with NaN as a constant is not documented") { bench in
            let context = try groups(bench)
            return context.performAndWait { outcome { try context.names("Item", "score == %@", [Double.nan]) } }
        },
        Question(
            "length-of-rare-characters",
            "`length:` and `canonical:` in a SQLite store are not documented for rare characters"
        ) { bench in
            let context = try bench.context()
            try bench.fill(context, [("Item", ["name": "\u{1F600}"]), ("Item", ["name": "ab"])])
            return context.performAndWait { outcome { try context.names("Item", "length:(name) == 2") } }
        },
        Question(
            "nested-parentheses", "`NSPredicate(format:)` is not documented to limit nested parentheses"
        ) { _ in
            let text = String(repeating: "(", count: 300) + "a == 1" + String(repeating: ")", count: 300)
            return NSPredicate(format: text, argumentArray: nil).description
        },
        Question(
            "nested-conditions", "A SQLite store is not documented to limit the nesting of predicates"
        ) { bench in
            let context = try groups(bench)
            var predicate = NSPredicate(format: "number == 1", argumentArray: nil)
            for _ in 0..<500 { predicate = Compound(notPredicateWithSubpredicate: predicate) }
            return outcome {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                request.predicate = predicate
                return "\(try context.performAndWait { try context.count(for: request) })"
            }
        },
    ]

    static let aboutRequests = [
        sorted(
            "order-by-members",
            "`NSSortDescriptor` by values without an order, as by a to-many relationship, is not documented", "Group",
            "items", "title"),
        sorted(
            "order-by-object",
            "The order of fetches that sort by `objectID`, `SELF`, `entity` or a to-one relationship is not documented",
            "Item", "group", "number"),
        Question(
            "order-of-not-a-number", "`NSSortDescriptor` by a property that is NaN is not documented"
        ) { bench in
            let context = try bench.context(type: NSInMemoryStoreType)
            return context.performAndWait {
                // Unsaved, for a save may refuse such a number.
                for (name, score) in [("nan", Double.nan), ("one", 1), ("minus", -1)] {
                    context.insert("Item", ["name": name, "score": score])
                }
                context.insert("Item", ["name": "nil"])
                return outcome { try order(context, "Item", by: "score", showing: "name") }
            }
        },
        Question("entity-in-dictionaries", "`propertiesToFetch` with `\"entity\"` is not documented") { bench in
            let context = try groups(bench)
            return context.performAndWait {
                let request = NSFetchRequest<NSDictionary>(entityName: "SpecialItem")
                request.resultType = .dictionaryResultType
                request.propertiesToFetch = ["entity"]
                return outcome {
                    try context.fetch(request).map { "\(type(of: $0["entity"] ?? "nothing"))" }.joined(separator: ", ")
                }
            }
        },
        Question(
            "groups-without-sql", "Stores without SQL are not documented to group rows and compute functions of them"
        ) { bench in
            let context = try bench.context(type: NSBinaryStoreType)
            try bench.fill(context, [("Item", ["name": "a"]), ("Item", ["name": "a"]), ("Item", ["name": "b"])])
            return context.performAndWait {
                let request = NSFetchRequest<NSDictionary>(entityName: "Item")
                request.resultType = .dictionaryResultType
                request.propertiesToFetch = ["name"]
                request.propertiesToGroupBy = ["name"]
                return outcome { "\(try context.fetch(request).count) rows" }
            }
        },
        Question("no-affected-stores", "An empty `affectedStores` is not documented") { bench in
            let context = try groups(bench)
            return context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                request.affectedStores = []
                return outcome { "\(try context.fetch(request).count) objects" }
            }
        },
        batch(
            "batch-without-value", "`NSBatchInsertRequest` without a mandatory value is not documented", "Card",
            ["label": NSNull()]),
        batch(
            "batch-large-number",
            "Batch requests are not documented for a number that its integer attribute cannot hold", "Item",
            ["number": 70_000, "name": "a"]),
        batch(
            "batch-null-transformable",
            "`NSBatchInsertRequest` and `NSBatchUpdateRequest` with `NSNull` for a transformable attribute are not "
                + "documented", "Item", ["tags": NSNull(), "name": "a"]),
        Question(
            "batch-deleted-owner",
            "`NSBatchDeleteRequest` that would take a mandatory owner away is not documented to have an error code"
        ) { bench in
            let context = try bench.context()
            return context.performAndWait {
                context.insert("Card", ["label": "a", "holder": context.insert("Item")])
                return outcome {
                    try context.save()
                    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Item")
                    _ = try context.execute(NSBatchDeleteRequest(fetchRequest: request))
                    return "\(try context.count("Item")) items, \(try context.count("Card")) cards"
                }
            }
        },
        Question(
            "history-of-none",
            "`NSPersistentHistoryChangeRequest` to a store that keeps no history is not documented"
        ) { bench in
            let (coordinator, _) = try couple(bench)
            return outcome { "\(try coordinator.history().count) lines" }
        },
        Question("history-request-type", "`NSPersistentHistoryChangeRequest.requestType` is not documented") { _ in
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            return "\(request.requestType.rawValue)"
        },
        Question(
            "history-of-links", "Persistent history is not documented to record both sides of a relationship"
        ) { bench in
            let context = try bench.context(options: [NSPersistentHistoryTrackingKey: true as NSNumber])
            return try context.performAndWait {
                let (group, item) = (context.insert("Group"), context.insert("Item"))
                try context.save()
                item.setValue(group, forKey: "group")
                try context.save()
                let lines = try context.persistentStoreCoordinator?.history() ?? []
                return lines.filter { $0.hasPrefix("2") }.joined(separator: "; ")
            }
        },
    ]

    private static func order(
        _ context: NSManagedObjectContext, _ entity: String, by key: String, showing shown: String
    ) throws -> String {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        return try context.fetch(request).map { $0.value(forKey: shown).map { "\($0)" } ?? "nil" }
            .joined(separator: ", ")
    }

    private static func sorted(
        _ name: String, _ row: String, _ entity: String, _ key: String, _ shown: String
    ) -> Question {
        Question(name, row) { bench in
            let context = try groups(bench)
            return context.performAndWait { outcome { try order(context, entity, by: key, showing: shown) } }
        }
    }

    /// What a batch insertion of one object does.
    private static func batch(
        _ name: String, _ row: String, _ entity: String, _ values: @autoclosure @escaping @Sendable () -> [String: Any]
    ) -> Question {
        Question(name, row) { bench in
            let context = try bench.context()
            let given = values()
            return context.performAndWait {
                outcome {
                    _ = try context.execute(NSBatchInsertRequest(entityName: entity, objects: [given]))
                    return try context.all(entity).map { object in
                        given.keys.sorted().map { key in
                            "\(key) \(object.value(forKey: key).map(PropertyText.text) ?? "nil")"
                        }.joined(separator: ", ")
                    }.joined(separator: "; ")
                }
            }
        }
    }
}
