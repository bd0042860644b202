import Foundation

/// A store's history, and how tokens name the store.
struct AttachedHistory {
    let history: any HistoryStore
    let identifier: String
    let url: URL?
}

/// What a fetch request lets through of one store's history.
struct HistoryFilter {
    private let predicate: NSPredicate?
    /// Whether the predicate speaks of changes; otherwise of transactions.
    let isOfChanges: Bool

    /// Throws when the request is for another entity, and when its predicate has a token that has expired.
    init(_ request: NSFetchRequest<NSFetchRequestResult>?, _ store: AttachedHistory) throws {
        guard let request else {
            predicate = nil
            isOfChanges = false
            return
        }
        switch request.entityName {
        case HistoryEntities.change.name: isOfChanges = true
        case HistoryEntities.transaction.name: isOfChanges = false
        default:
            throw NSError.coreData(
                NSCoreDataError,
                reason: "A history request's fetch request is for transactions or changes, not for "
                    + "'\(request.entityName ?? "")'")
        }
        var tokens: [NSPersistentHistoryToken] = []
        predicate = request.predicate?.rewriting { expression in
            guard expression.expressionType == .constantValue else { return expression }
            switch expression.constantValue {
            case let token as NSPersistentHistoryToken:
                tokens.append(token)
                return NSExpression(forConstantValue: NSNumber(value: token.numbers[store.identifier] ?? -1))
            case let entity as NSEntityDescription:
                let number = store.history.number(ofEntityNamed: entity.name ?? "")
                return NSExpression(forConstantValue: NSNumber(value: number ?? -1))
            case let type as NSPersistentHistoryChangeType:
                return NSExpression(forConstantValue: NSNumber(value: type.rawValue))
            default:
                return expression
            }
        }
        for token in tokens {
            guard let number = token.numbers[store.identifier] else { continue }
            guard try store.history.hasTransaction(number) else { throw Self.expired(token, store) }
        }
    }

    static func expired(_ token: NSPersistentHistoryToken, _ store: AttachedHistory) -> NSError {
        NSError.coreData(
            NSPersistentHistoryTokenExpiredError,
            reason: "The history token \(token) has expired: the history that followed it is not kept any more",
            url: store.url)
    }

    func admits(_ transaction: HistoryTransactionRecord) -> Bool {
        isOfChanges || predicate?.evaluate(with: HistoryTransactionView(transaction)) ?? true
    }

    func admits(_ change: HistoryChangeRecord, of transaction: HistoryTransactionRecord, _ id: NSManagedObjectID)
        -> Bool
    {
        guard isOfChanges, let predicate else { return true }
        return predicate.evaluate(with: HistoryChangeView(change, id, HistoryTransactionView(transaction)))
    }
}

/// A transaction as predicates and sort descriptors see it.
final class HistoryTransactionView: KeyValueReadable {
    private let record: HistoryTransactionRecord

    init(_ record: HistoryTransactionRecord) {
        self.record = record
    }

    func value(forKey key: String) -> Any? {
        switch key {
        case "author": record.author
        case "bundleID": record.bundleID
        case "contextName": record.contextName
        case "processID": record.processID
        case "timestamp": record.timestamp
        case "token", "transactionNumber": NSNumber(value: record.number)
        default: fatalError("keypath \(key) not found in entity TRANSACTION")
        }
    }
}

/// A change as predicates and sort descriptors see it.
final class HistoryChangeView: KeyValueReadable {
    private let record: HistoryChangeRecord
    private let id: NSManagedObjectID
    private let transaction: HistoryTransactionView

    init(_ record: HistoryChangeRecord, _ id: NSManagedObjectID, _ transaction: HistoryTransactionView) {
        self.record = record
        self.id = id
        self.transaction = transaction
    }

    func value(forKey key: String) -> Any? {
        switch key {
        case "changeID": NSNumber(value: record.changeID)
        case "changedID": NSNumber(value: record.key.primaryKey)
        case "changedEntity": NSNumber(value: record.entityNumber)
        case "changeType": NSNumber(value: record.type.rawValue)
        case "changedObjectID": id
        case "transaction": transaction
        case "token", "transactionNumber": NSNumber(value: record.transaction)
        default: fatalError("keypath \(key) not found in entity CHANGE")
        }
    }
}
