// The unsaved objects that a fetch has to evaluate on its own.
extension NSManagedObjectContext {
    /// Whether a fetch evaluates an object by its present values, not by those of the store.
    @inline(__always)
    final func isTouched(_ object: NSManagedObject) -> Bool {
        let flags = object.flags
        if flags.isDisjoint(with: [.inserted, .updated, .deleted]) { return false }
        if flags.contains(.deleted) { return !flags.contains(.inserted) && flags.contains(.listedDeleted) }
        return true
    }

    /// The unsaved objects of a fetch's entity that may match its predicate by their present values; nil if the fetch
    /// has to evaluate all of them.
    final func unsavedCandidates(for fetch: StoreFetch) -> [NSManagedObject]? {
        guard tracked.inserted.count + tracked.updated.count >= thresholds.unsavedCountToIndex,
            let term = fetch.predicate.flatMap({ IndexTerm($0, fetch.layout) })
        else { return nil }
        let index = tracked.unsavedIndex ?? UnsavedIndex()
        tracked.unsavedIndex = index
        let attribute = UnsavedIndex.Attribute(layoutIndex: fetch.layout.index, name: term.name)
        let objects = index.objects(term.values, of: attribute, in: self)
        if fetch.includesSubentities { return objects }
        return objects.filter { $0.binding.layout.index == fetch.layout.index }
    }

    final func subtree(of layoutIndex: Int) -> Range<Int> { binding(at: layoutIndex).layout.subtree }

    /// The number of objects that a fetch finds, with unsaved changes: the number in the source without the touched
    /// objects, and the touched objects that match. Nil if the source cannot count them.
    final func countWithUnsaved(_ plan: FetchPlan) throws -> Int? {
        let candidates = unsavedCandidates(for: plan.store)
        let touched = candidates == nil ? touchedObjects(plan.store) : touchedOfSource(plan.store)
        let stored = touched.filter { !$0.flags.contains(.inserted) }
        guard let source = rowSource, stored.count <= Self.mostKeysInCount else { return nil }
        let all = plan.with { _, store in
            store.limit = 0
            store.offset = 0
            store.sortDescriptors = []
        }
        var count = try source.count(all, in: self)
        if !stored.isEmpty {
            let keys = NSPredicate(format: "self IN %@", argumentArray: [stored.map(\.objectID)])
            let known = all.with { _, store in
                store.predicate =
                    store.predicate.map { NSCompoundPredicate(andPredicateWithSubpredicates: [$0, keys]) } ?? keys
            }
            count -= try source.count(known, in: self)
        }
        count += matching(candidates ?? touched, plan).count
        count = max(0, count - plan.store.offset)
        return plan.store.limit > 0 ? min(count, plan.store.limit) : count
    }

    /// A query with a longer list of keys takes longer than reading the objects.
    private static let mostKeysInCount = 400

    /// The objects among the given unsaved ones that a fetch finds.
    final func matching(_ objects: [NSManagedObject], _ plan: FetchPlan) -> [NSManagedObject] {
        let predicate = plan.store.predicate
        return objects.filter { !$0.flags.contains(.deleted) && (predicate?.evaluate(with: $0) ?? true) }
    }
}

/// A part of a predicate that compares an attribute with one value, or with some.
private struct IndexTerm {
    let name: String
    let values: [UnsavedIndex.Value]

    /// Nil for a predicate that can hold for an object whose attributes have other values, and for predicates of a
    /// program's own class, whose evaluation may depend on anything.
    init?(_ predicate: NSPredicate, _ layout: EntityLayout) {
        if type(of: predicate) == NSCompoundPredicate.self, let compound = predicate as? NSCompoundPredicate {
            guard compound.compoundPredicateType == .and,
                let term = compound.parts.lazy.compactMap({ IndexTerm($0, layout) }).first
            else { return nil }
            self = term
            return
        }
        guard type(of: predicate) == NSComparisonPredicate.self, let comparison = predicate as? NSComparisonPredicate,
            comparison.comparisonPredicateModifier == .direct, comparison.options.isEmpty,
            let name = comparison.leftKey, case .attribute(let slot)? = layout.access[name],
            layout.slots[slot].isPersistent, let asked = Self.asked(comparison)
        else { return nil }
        var values: [UnsavedIndex.Value] = []
        for value in asked {
            switch (value, layout.slots[slot].kind) {
            case (.string(let text), .string): values.append(.text(text))
            case (.int(let number), .integer): values.append(.integer(number))
            default: return nil
            }
        }
        self.name = name
        self.values = values
    }

    private static func asked(_ comparison: NSComparisonPredicate) -> [ExpressionValue]? {
        switch (comparison.predicateOperatorType, comparison.prepared) {
        case (.equalTo, .constant(let value)): [value]
        case (.in, .values(let values)): values
        case (.in, .strings(let texts)): texts.map { .string($0.text) }
        case (.in, .integers(let numbers)): numbers.map { .int($0) }
        default: nil
        }
    }
}
