import CoreData
import Foundation

/// A fetch in two stages: the store decides the conditions and the order that have SQL, and the program evaluates the
/// other ones on the models that the store finds.
///
/// Offset and limit count the models for which all conditions hold.
struct ModelFetch<T: PersistentModel> {
    /// A condition that the program evaluates.
    struct Condition {
        let expression: any PredicateExpression<Bool>
        /// Its place among the conditions of the predicate, from 1.
        let place: Int
        /// The part that has no SQL; nil if the condition as a whole has none.
        let untranslated: (any Any.Type)?
    }

    let descriptor: FetchDescriptor<T>
    /// The conditions that the store decides, with their places.
    private(set) var stored: [(condition: NSPredicate, place: Int)] = []
    /// The conditions that the program evaluates.
    private(set) var evaluated: [Condition] = []
    /// The order in the store; nil if the program sorts.
    let sortDescriptors: [NSSortDescriptor]?

    /// The number of models that are made and tested together.
    private static var batchSize: Int { 1_000 }

    init(_ descriptor: FetchDescriptor<T>, in context: ModelContext) throws {
        self.descriptor = descriptor
        if descriptor.predicate == nil, descriptor.sortBy.isEmpty {
            sortDescriptors = []
            return
        }
        let container = context.container
        let unsaved = UnsavedEntities(context: descriptor.includePendingChanges ? context.managed : nil)
        let store = Store(
            coordinator: container.coordinator, entityName: Schema.entityName(for: T.self), unsaved: unsaved)
        let parts = try descriptor.predicate.map { try Self.parts(of: $0, in: container) } ?? []
        let sort = Self.sortDescriptors(of: descriptor)
        let translated = parts.compactMap(\.condition)
        if let sort, translated.count == parts.count, store.answers(translated, sort) {
            sortDescriptors = sort
            stored = translated.enumerated().map { ($1, $0 + 1) }
            return
        }
        sortDescriptors = sort.flatMap { store.answers([], $0) ? $0 : nil }
        for (index, part) in parts.enumerated() {
            if let condition = part.condition, store.answers([condition], []) {
                stored.append((condition, index + 1))
            } else {
                evaluated.append(
                    Condition(expression: part.expression, place: index + 1, untranslated: part.untranslated))
            }
        }
    }

    /// A fetch of which the program evaluates and sorts everything.
    init(evaluating descriptor: FetchDescriptor<T>, in context: ModelContext) throws {
        self.descriptor = descriptor
        sortDescriptors = nil
        let parts = try descriptor.predicate.map { try Self.parts(of: $0, in: context.container) } ?? []
        evaluated = parts.enumerated().map {
            Condition(expression: $1.expression, place: $0 + 1, untranslated: $1.untranslated)
        }
    }

    /// The stores of the class.
    private struct Store {
        let coordinator: NSPersistentStoreCoordinator
        let entityName: String
        let unsaved: UnsavedEntities

        /// Whether the stores have SQL for conditions and an order, and the values of all models that these concern.
        func answers(_ conditions: [NSPredicate], _ order: [NSSortDescriptor]) -> Bool {
            if conditions.isEmpty, order.isEmpty { return true }
            if unsaved.concern(conditions, order) { return false }
            return coordinator.answers(
                ObjectDecidedPredicate.joining(conditions), sortedBy: order, entityName: entityName)
        }
    }

    private static func parts(of predicate: Predicate<T>, in container: ModelContainer) throws -> [PredicatePart] {
        do {
            return try ModelPredicates.$container.withValue(container) { try PredicateExtension.parts(of: predicate) }
        } catch is PredicateTooDeep {
            throw SwiftDataError.unsupportedPredicate.because(
                "a condition has more than \(PredicateTooDeep.limit) levels of parts within each other")
        }
    }

    /// The order in the store; nil if it can have no such order.
    private static func sortDescriptors(of descriptor: FetchDescriptor<T>) -> [NSSortDescriptor]? {
        var all: [NSSortDescriptor] = []
        for sort in descriptor.sortBy {
            guard let keyPath = sort.keyPath, !ValueKind.of(type(of: keyPath).valueType).isRawEnumeration,
                let found = PredicateExtension.sortDescriptor(of: sort)
            else { return nil }
            all.append(found)
        }
        return all
    }

    /// Whether the store does all of the fetch.
    var isOfStore: Bool { evaluated.isEmpty && sortDescriptors != nil }

    /// Gives a request the conditions and the order that the store decides.
    func fill<Result>(_ request: NSFetchRequest<Result>) {
        if !stored.isEmpty { request.predicate = ObjectDecidedPredicate.joining(stored.map(\.condition)) }
        if let sortDescriptors, !sortDescriptors.isEmpty { request.sortDescriptors = sortDescriptors }
        guard isOfStore else { return }
        if let limit = descriptor.fetchLimit { request.fetchLimit = limit }
        if let offset = descriptor.fetchOffset { request.fetchOffset = offset }
    }

    /// Runs the fetch. One with a regular expression, which may take hours, ends with `CocoaError.userCancelled` once
    /// the task of the caller is cancelled. The other fetches end soon by themselves, and are not slowed down.
    func endsWithTask<Result>(_ body: () throws -> Result) throws -> Result {
        guard stored.contains(where: { Self.hasPattern($0.condition) }) else { return try body() }
        return try RequestStop(when: { Task.isCancelled }).run(body)
    }

    private static func hasPattern(_ predicate: NSPredicate) -> Bool {
        switch predicate {
        case let compound as CoreData.NSCompoundPredicate:
            compound.subpredicates.contains { ($0 as? NSPredicate).map(hasPattern) ?? false }
        case let comparison as CoreData.NSComparisonPredicate: comparison.predicateOperatorType == .matches
        default: false
        }
    }

    // MARK: The second stage

    /// The places of the models of a fetch among those that the store has found.
    func places(in objects: FetchedObjects<NSManagedObject>) throws -> [Int] {
        var places: [Int] = []
        guard sortDescriptors != nil else {
            var models: [(place: Int, model: T)] = []
            for (place, object) in objects.enumerated() {
                let model = Self.model(object)
                if try holds(for: model) { models.append((place, model)) }
            }
            return Array(cut(sorted(models).map(\.place)))
        }
        var toSkip = max(0, descriptor.fetchOffset ?? 0)
        let limit = descriptor.fetchLimit.map { $0 > 0 ? $0 : Int.max } ?? Int.max
        for (place, object) in objects.enumerated() where try holds(for: Self.model(object)) {
            if toSkip > 0 {
                toSkip -= 1
                continue
            }
            places.append(place)
            if places.count == limit { break }
        }
        return places
    }

    private func sorted(_ models: [(place: Int, model: T)]) -> [(place: Int, model: T)] {
        models.sorted { one, other in
            let order = order(one.model, other.model)
            return order == .orderedSame ? one.place < other.place : order == .orderedAscending
        }
    }

    private func order(_ one: T, _ other: T) -> ComparisonResult {
        descriptor.sortBy.lazy.map { $0.compare(one, other) }.first { $0 != .orderedSame } ?? .orderedSame
    }

    /// The models in the order of the descriptor.
    func sorted(_ models: [T]) -> [T] {
        descriptor.sortBy.isEmpty ? models : sorted(models.enumerated().map { ($0, $1) }).map(\.model)
    }

    /// Whether models are in the order of the descriptor.
    func isSorted(_ models: [T]) -> Bool {
        descriptor.sortBy.isEmpty || zip(models, models.dropFirst()).allSatisfy { order($0, $1) != .orderedDescending }
    }

    /// The conditions that the program evaluates, as text.
    var conditionText: String { evaluated.map(\.text).joined(separator: " && ") }

    /// What offset and limit leave.
    func cut<Element>(_ places: [Element]) -> ArraySlice<Element> {
        let rest = places.dropFirst(max(0, descriptor.fetchOffset ?? 0))
        guard let limit = descriptor.fetchLimit, limit > 0 else { return rest }
        return rest.prefix(limit)
    }

    /// Whether the conditions hold that the program evaluates.
    ///
    /// - Throws: `SwiftDataError.unsupportedPredicate` with the condition, if its evaluation throws.
    func holds(for model: T) throws -> Bool {
        guard !evaluated.isEmpty, let predicate = descriptor.predicate else { return true }
        let bindings = PredicateBindings((predicate.variable, model))
        for condition in evaluated {
            do {
                guard try condition.expression.evaluate(bindings) else { return false }
            } catch let error where Self.isMissingValue(error) {
                // In the store a condition on a missing value does not hold.
                return false
            } catch {
                throw SwiftDataError.unsupportedPredicate.because(
                    "condition \(condition.place) of the predicate, \(condition.text), cannot be evaluated: \(error)",
                    error)
            }
        }
        return true
    }

    private static func isMissingValue(_ error: any Error) -> Bool {
        switch error {
        case let error as PredicateError: error == .forceUnwrapFailure
        case MissingValue.divisionByZero, MissingValue.range: true
        default: false
        }
    }

    static func model(_ object: NSManagedObject) -> T {
        unsafeDowncast(object, to: _ModelCore.self).model(as: T.self)
    }

    static func objects(
        _ request: NSFetchRequest<NSManagedObject>, in context: NSManagedObjectContext, batchSize: Int? = nil
    ) throws -> FetchedObjects<NSManagedObject> {
        try context.fetch(request, batchSize: max(1, batchSize ?? Self.batchSize))
    }
}

extension ModelFetch.Condition {
    /// The expression, shortened.
    var text: String {
        let whole = "\(expression)"
        let start = whole.prefix(200)
        return start.count < whole.count ? start + "…" : whole
    }
}
