import CoreData
import Foundation
import TestSupport

/// Graphs for requests: what is saved, what a context has changed, and what its child has changed.
struct QuestionGraph {
    var saved: [ModelMove]
    var changed: [ModelMove] = []
    var changedInChild: [ModelMove] = []
}

/// The context in which a request is executed.
enum QuestionPlace: Int, CaseIterable { case clean, changed, child }

/// A graph in a store and in the reference.
final class QuestionFixture {
    let kind: StoreKind
    private let library: Library
    private let contexts: [NSManagedObjectContext]
    private var ids: [Int: NSManagedObjectID] = [:]
    private var labels: [NSManagedObjectID: Int] = [:]
    private(set) var worlds = [ModelWorld()]

    static func meaning(_ kind: StoreKind) -> RequestOracle.Meaning { kind.isDatabase ? .database : .objects }

    init(_ graph: QuestionGraph, _ kind: StoreKind) throws {
        self.kind = kind
        library = try Library(kind, model: QuestionModel.make())
        let changed = library.context()
        contexts = [library.context(), changed, library.child(of: changed)]
        try contexts[0].performAndWait {
            play(graph.saved, 0)
            try contexts[0].save()
            // Ids have become permanent.
            for object in contexts[0].registeredObjects {
                guard let label = objects[ObjectIdentifier(object)] else { continue }
                ids[label] = object.objectID
            }
            contexts[0].reset()
        }
        objects = [:]
        for (place, moves) in [(1, graph.changed), (2, graph.changedInChild)] {
            worlds.append(worlds[place - 1].untouched)
            contexts[place].performAndWait { play(moves, place) }
        }
        labels = Dictionary(uniqueKeysWithValues: ids.map { ($1, $0) })
    }

    // MARK: Graphs

    private var objects: [ObjectIdentifier: Int] = [:]
    private var kept: [NSManagedObject] = []

    private func play(_ moves: [ModelMove], _ place: Int) {
        for move in moves where worlds[place].play(move) { play(move, contexts[place]) }
        contexts[place].processPendingChanges()
    }

    private func play(_ move: ModelMove, _ context: NSManagedObjectContext) {
        func object(_ label: Int) -> NSManagedObject? { ids[label].map { context.object(with: $0) } }
        switch move {
        case .insert(let label, let entity, let values):
            let object = context.make(entity)
            for (key, value) in values { object.setValue(QuestionModel.plain(value, of: key), forKeyPath: key) }
            ids[label] = object.objectID
            objects[ObjectIdentifier(object)] = label
            kept.append(object)
        case .set(let label, let key, let value):
            switch value {
            case .list(let members):
                let members = members.compactMap { if case .object(let label) = $0 { object(label) } else { nil } }
                object(label)?.setValue(
                    key == "items" ? NSOrderedSet(array: members) : NSSet(array: members), forKey: key)
            case .object(let other): object(label)?.setValue(object(other), forKey: key)
            default: object(label)?.setValue(QuestionModel.plain(value, of: key), forKeyPath: key)
            }
        case .delete(let label):
            if let object = object(label) { context.delete(object) }
            context.processPendingChanges()
        }
    }

    /// The labels of unsaved books of a context.
    func newBooks(_ place: QuestionPlace) -> [Int] {
        worlds[place.rawValue].labels(of: "Book").filter { worlds[0].objects[$0] == nil }
    }

    /// Whether all objects that a request names were made.
    func knows(_ question: Question) -> Bool {
        let arguments = question.condition.map { PrintedPredicate($0).arguments } ?? []
        return arguments.flatMap(ModelWorld.labels).allSatisfy { ids[$0] != nil }
    }

    // MARK: Asking

    /// Whether a request has one answer. A predicate without SQL is evaluated in memory for the objects of the context,
    /// and sees unsaved values of other objects.
    func decides(_ question: Question, _ place: QuestionPlace) -> Bool {
        kind != .inMemory || place == .clean || !(question.condition?.isRefused ?? false)
    }

    /// What a request found, as text.
    func found(_ question: Question, _ place: QuestionPlace) -> String {
        let context = contexts[place.rawValue]
        return context.performAndWait {
            if question.refreshes { context.refreshAllObjects() }
            do {
                return try found(question, context)
            } catch {
                return Self.text((error as NSError).code)
            }
        }
    }

    private static func text(_ code: Int) -> String { "error \(code)" }

    private func found(_ question: Question, _ context: NSManagedObjectContext) throws -> String {
        switch question.result {
        case .count: return "\(try context.count(for: request(question, NSManagedObject.self, context)))"
        case .number:
            let request = request(question, NSNumber.self, context)
            request.resultType = .countResultType
            return try context.fetch(request).map { "\($0)" }.joined(separator: ", ")
        case .ids:
            let request = request(question, NSManagedObjectID.self, context)
            request.resultType = .managedObjectIDResultType
            return text(try context.fetch(request).map { labels[$0] ?? -1 }, question)
        case .objects:
            let found = try context.fetch(request(question, NSManagedObject.self, context))
            let list = text(found.map { labels[$0.objectID] ?? -1 }, question)
            if !question.readsValues { return list }
            let labelled = found.map { (labels[$0.objectID] ?? -1, values(of: $0)) }.sorted { $0.0 < $1.0 }
            return list + labelled.map { "; \($0.0) " + Self.text($0.1) }.joined()
        case .dictionaries:
            let request = request(question, NSDictionary.self, context)
            addColumns(of: question, to: request, context)
            return text(try context.fetch(request).map(row), question)
        }
    }

    /// What it had to find.
    func expected(_ question: Question, _ place: QuestionPlace) -> String {
        if question.isWrong { return Self.text(NSCoreDataError) }
        // A database refuses a condition that it cannot express.
        if kind.isDatabase, question.condition?.isRefused ?? false { return Self.text(NSCoreDataError) }
        let last = question.includesUnsaved ? place.rawValue : 0
        let layers = ModelLayers(worlds: Array(worlds[...last]), storedMeaning: Self.meaning(kind))
        switch question.result {
        case .count, .number: return "\(layers.objects(question).count)"
        case .ids: return text(layers.objects(question), question)
        case .objects:
            let found = layers.objects(question)
            if !question.readsValues { return text(found, question) }
            let values = found.sorted().map { label in
                "; \(label) " + Self.text(worlds[place.rawValue].objects[label]?.values ?? [:])
            }
            return text(found, question) + values.joined()
        case .dictionaries: return text(layers.dictionaries(question).map(Self.text), question)
        }
    }

    private func text<Item: Comparable>(_ items: [Item], _ question: Question) -> String {
        "\(question.order.isEmpty ? items.sorted() : items)"
    }

    private static func text(_ row: [String: ModelValue]) -> String {
        row.filter { $0.value != .none && $0.value != .list([]) }.sorted { $0.key < $1.key }
            .map { "\($0.key): \(text($0.value))" }.joined(separator: ", ")
    }

    /// A decimal number has other digits than a floating-point number.
    private static func text(_ value: ModelValue) -> String {
        guard case .number(let number) = value else { return value.source }
        return String(format: "%.9g", number == 0 ? 0 : number)
    }

    private func row(_ dictionary: NSDictionary) -> String {
        var row: [String: ModelValue] = [:]
        for case (let key as String, let value) in dictionary { row[key] = self.value(value) }
        return Self.text(row)
    }

    private func value(_ plain: Any?) -> ModelValue {
        switch plain {
        case let id as NSManagedObjectID: labels[id].map { .object($0) } ?? .text("?")
        case let object as NSManagedObject: labels[object.objectID].map { .object($0) } ?? .text("?")
        case let other: QuestionModel.value(other)
        }
    }

    private func values(of object: NSManagedObject) -> [String: ModelValue] {
        var values: [String: ModelValue] = [:]
        let isOfTest = QuestionModel.keys(object.entity.name ?? "")
        for (name, property) in object.entity.propertiesByName where isOfTest.contains(name) {
            let plain = object.value(forKey: name)
            switch property {
            case let relationship as NSRelationshipDescription where relationship.isToMany:
                let members = (plain as? NSOrderedSet)?.array ?? (plain as? NSSet)?.allObjects ?? []
                let labels = ModelWorld.labels(.list(members.map { value($0) }))
                values[name] = .list((relationship.isOrdered ? labels : labels.sorted()).map { .object($0) })
            case is NSCompositeAttributeDescription:
                for (key, element) in plain as? [String: Any] ?? [:] { values["\(name).\(key)"] = value(element) }
            default: values[name] = value(plain)
            }
        }
        return values
    }

    // MARK: Requests

    private func request<Result>(
        _ question: Question, _ type: Result.Type, _ context: NSManagedObjectContext
    ) -> NSFetchRequest<Result> {
        let request = NSFetchRequest<Result>(entityName: question.entity)
        request.includesSubentities = question.includesSubentities
        request.predicate = question.condition.map { predicate($0, question.spelling, context) }
        request.sortDescriptors = question.order.map {
            NSSortDescriptor(
                key: $0.path.joined(separator: "."), ascending: $0.isAscending, selector: $0.selector.selector)
        }
        (request.fetchLimit, request.fetchOffset) = (question.limit, question.offset)
        request.fetchBatchSize = question.batchSize
        request.returnsObjectsAsFaults = question.returnsFaults
        request.includesPropertyValues = question.includesValues
        request.includesPendingChanges = question.includesUnsaved
        request.returnsDistinctResults = question.isDistinct
        request.relationshipKeyPathsForPrefetching = question.prefetching
        return request
    }

    private func predicate(
        _ condition: Condition, _ spelling: Question.Spelling, _ context: NSManagedObjectContext
    ) -> NSPredicate {
        let printed = PrintedPredicate(condition, spelling)
        let predicate = NSPredicate(
            format: printed.format, argumentArray: printed.arguments.map { argument($0, context) })
        if printed.variables.isEmpty { return predicate }
        let variables = printed.variables.enumerated().map { ("v\($0)", argument($1, context)) }
        return predicate.withSubstitutionVariables(Dictionary(uniqueKeysWithValues: variables))
    }

    private func argument(_ value: ModelValue, _ context: NSManagedObjectContext) -> Any {
        switch value {
        case .object(let label): ids[label].map { context.object(with: $0) } ?? NSNull()
        case .entity(let name): NSEntityDescription.entity(forEntityName: name, in: context) ?? NSNull()
        case .list(let elements): elements.map { argument($0, context) }
        default: QuestionModel.plain(value) ?? NSNull()
        }
    }

    private func addColumns(
        of question: Question, to request: NSFetchRequest<NSDictionary>, _ context: NSManagedObjectContext
    ) {
        request.resultType = .dictionaryResultType
        let columns = question.columns.map { column in
            let printed = PrintedPredicate(column.value)
            let description = NSExpressionDescription()
            description.name = column.name
            description.expression = CoreData.NSExpression(
                format: printed.format, argumentArray: printed.arguments.map { argument($0, context) })
            description.expressionResultType = column.kind.type
            return description
        }
        request.propertiesToFetch = question.plain + columns
        if !question.groups.isEmpty { request.propertiesToGroupBy = question.groups }
        request.havingPredicate = question.having.map { predicate($0, question.spelling, context) }
    }
}

extension Column.Kind {
    fileprivate var type: NSAttributeType {
        switch self {
        case .integer: .integer64AttributeType
        case .real: .doubleAttributeType
        case .decimal: .decimalAttributeType
        case .text: .stringAttributeType
        case .date: .dateAttributeType
        case .truth: .booleanAttributeType
        }
    }
}

extension Order.Selector {
    fileprivate var selector: SortSelector {
        switch self {
        case .compare: .compare
        case .caseInsensitive: .caseInsensitiveCompare
        case .localized: .localizedCompare
        case .localizedCaseInsensitive: .localizedCaseInsensitiveCompare
        case .localizedStandard: .localizedStandardCompare
        }
    }
}
