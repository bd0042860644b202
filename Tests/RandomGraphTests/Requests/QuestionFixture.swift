import CoreData
import Foundation
import TestSupport

/// Graphs for requests: what is saved, what a context has changed, and what its child has changed.
struct QuestionGraph {
    var saved: [ModelMove]
    var changed: [ModelMove] = []
    var changedInChild: [ModelMove] = []
}

extension Column.Kind {
    fileprivate var type: NSAttributeType {
        switch self {
        case .integer: .integer64AttributeType
        case .real: .doubleAttributeType
        case .text: .stringAttributeType
        case .date: .dateAttributeType
        }
    }
}

/// Where a request is asked.
enum QuestionPlace: Int, CaseIterable { case clean, changed, child }

/// A graph in a store and in the judge.
final class QuestionFixture {
    private let library: Library
    private let contexts: [NSManagedObjectContext]
    private var ids: [Int: NSManagedObjectID] = [:]
    private var labels: [NSManagedObjectID: Int] = [:]
    private(set) var worlds = [ModelWorld()]
    let kind: StoreKind

    static func meaning(_ kind: StoreKind) -> RequestJudge.Meaning { kind.isDatabase ? .database : .objects }

    init(_ graph: QuestionGraph, _ kind: StoreKind) throws {
        self.kind = kind
        library = try Library(kind)
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
            for (key, value) in values { object.setValue(Self.plain(value), forKey: key) }
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
            default: object(label)?.setValue(Self.plain(value), forKey: key)
            }
        case .delete(let label):
            if let object = object(label) { context.delete(object) }
            context.processPendingChanges()
        }
    }

    private static func plain(_ value: ModelValue) -> Any? {
        switch value {
        case .none, .object, .list: nil
        case .text(let text): text
        case .number(let number): NSNumber(value: number)
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        }
    }

    // MARK: Asking

    /// What a request found, as text.
    func found(_ question: Question, _ place: QuestionPlace) -> String {
        let context = contexts[place.rawValue]
        return context.performAndWait {
            do {
                switch question.result {
                case .count: return "\(try context.count(for: request(question, NSManagedObject.self, context)))"
                case .ids:
                    let request = request(question, NSManagedObjectID.self, context)
                    request.resultType = .managedObjectIDResultType
                    return text(try context.fetch(request).map { labels[$0] ?? -1 }, question)
                case .objects:
                    let found = try context.fetch(request(question, NSManagedObject.self, context))
                    return text(found.map { labels[$0.objectID] ?? -1 }, question)
                case .dictionaries:
                    let request = request(question, NSDictionary.self, context)
                    addColumns(of: question, to: request, context)
                    return text(try context.fetch(request).map(row), question)
                }
            } catch {
                return "\((error as NSError).code): \(error)"
            }
        }
    }

    /// What it had to find.
    func expected(_ question: Question, _ place: QuestionPlace) -> String {
        let layers = ModelLayers(
            worlds: Array(worlds[...place.rawValue]), storedMeaning: Self.meaning(kind))
        switch question.result {
        case .count: return "\(layers.objects(question).count)"
        case .ids, .objects: return text(layers.objects(question), question)
        case .dictionaries: return text(layers.dictionaries(question).map(Self.text), question)
        }
    }

    private func text<Item: Comparable>(_ items: [Item], _ question: Question) -> String {
        "\(question.order.isEmpty ? items.sorted() : items)"
    }

    private static func text(_ row: [String: ModelValue]) -> String {
        row.filter { $0.value != .none }.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.source)" }
            .joined(separator: ", ")
    }

    private func row(_ dictionary: NSDictionary) -> String {
        var row: [String: ModelValue] = [:]
        for (key, value) in dictionary {
            guard let key = key as? String else { continue }
            switch value {
            case let text as String: row[key] = .text(text)
            case let date as Date: row[key] = .date(date.timeIntervalSinceReferenceDate)
            case let number as NSNumber: row[key] = .number(number.doubleValue)
            case let id as NSManagedObjectID: row[key] = labels[id].map { .object($0) } ?? .text("?")
            case is NSNull: break
            default: row[key] = .text("\(value)")
            }
        }
        return Self.text(row)
    }

    private func request<Result>(
        _ question: Question, _ type: Result.Type, _ context: NSManagedObjectContext
    ) -> NSFetchRequest<Result> {
        let request = NSFetchRequest<Result>(entityName: question.entity)
        request.includesSubentities = question.includesSubentities
        request.predicate = question.condition.map { predicate($0, context) }
        request.sortDescriptors = question.order.map {
            NSSortDescriptor(
                key: $0.path.joined(separator: "."), ascending: $0.isAscending,
                selector: $0.ignoresCase ? .caseInsensitiveCompare : .compare)
        }
        (request.fetchLimit, request.fetchOffset) = (question.limit, question.offset)
        request.fetchBatchSize = question.batchSize
        request.returnsObjectsAsFaults = question.returnsFaults
        request.relationshipKeyPathsForPrefetching = question.prefetching
        return request
    }

    private func predicate(_ condition: Condition, _ context: NSManagedObjectContext) -> NSPredicate {
        let printed = PrintedPredicate(condition)
        return NSPredicate(
            format: printed.format,
            argumentArray: printed.arguments.map { argument in
                if case .object(let label) = argument { return ids[label].map { context.object(with: $0) } ?? NSNull() }
                return Self.plain(argument) ?? NSNull()
            })
    }

    private func addColumns(
        of question: Question, to request: NSFetchRequest<NSDictionary>, _ context: NSManagedObjectContext
    ) {
        request.resultType = .dictionaryResultType
        let columns = question.columns.map { column in
            let description = NSExpressionDescription()
            description.name = column.name
            description.expression = CoreData.NSExpression(format: "\(column.function.rawValue):(\(column.key))")
            description.expressionResultType = column.kind.type
            return description
        }
        request.propertiesToFetch = question.plain + columns
        if !question.groups.isEmpty { request.propertiesToGroupBy = question.groups }
        request.havingPredicate = question.having.map { predicate($0, context) }
        request.returnsDistinctResults = question.isDistinct
    }
}
