import Foundation

/// A store's history, with the identifier that tokens have for the store.
struct AttachedHistory {
    let history: any HistoryStore
    let identifier: String
    let url: URL?
}

/// The part of one store's history that a fetch request selects.
struct HistoryFilter {
    private let predicate: NSPredicate?
    /// Whether the predicate is about changes; otherwise it is about transactions.
    let isOfChanges: Bool
    /// Whether the predicate reads the changes of transactions.
    let readsChanges: Bool

    /// Whether every transaction and change passes.
    var isOpen: Bool { predicate == nil }

    /// Throws when the request is for another entity, when its predicate or its order has a key that the entity does
    /// not have, and when the predicate has a token that has expired.
    init(_ request: NSFetchRequest<NSFetchRequestResult>?, _ store: AttachedHistory) throws {
        guard let request else {
            predicate = nil
            isOfChanges = false
            readsChanges = false
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
            guard let value = expression.constantValue, let number = Self.number(for: value, store, &tokens) else {
                return expression
            }
            return NSExpression(forConstantValue: number)
        }
        try predicate?.requirePatterns()
        let paths = predicate?.keyPaths ?? []
        readsChanges = !isOfChanges && paths.contains { KeyValuePath($0).keys.contains(HistoryEntities.changesName) }
        for path in paths { try Self.require(path, isOfChanges: isOfChanges, isOfOrder: false) }
        for path in request.sortDescriptors?.compactMap(\.sortKey) ?? [] {
            try Self.require(path, isOfChanges: isOfChanges, isOfOrder: true)
        }
        for token in tokens {
            guard let number = token.numbers[store.identifier] else { continue }
            try Self.requireComplete(after: number, token, store)
        }
    }

    /// Throws if the history after a token is incomplete: a part of it was deleted, or the server that issued the token
    /// was lost.
    static func requireComplete(after number: Int64, _ token: NSPersistentHistoryToken, _ store: AttachedHistory) throws
    {
        if let lost = try store.history.lostHistory(after: number) {
            var numbers = token.numbers
            numbers[store.identifier] = lost.lastShared
            var userInfo = lost.userInfo
            userInfo[NSPersistentHistoryTokenKey] = NSPersistentHistoryToken(numbers: numbers)
            throw NSError.coreData(
                NSPersistentHistoryTokenExpiredError, reason: lost.reason, url: store.url, userInfo: userInfo)
        }
        guard try store.history.isComplete(after: number) else { throw expired(token, store) }
    }

    /// The value that replaces a constant in the rows of history; for a collection the values that replace its
    /// elements. Nil if the constant stays.
    private static func number(
        for value: Any, _ store: AttachedHistory, _ tokens: inout [NSPersistentHistoryToken]
    ) -> Any? {
        switch value {
        case let token as NSPersistentHistoryToken:
            tokens.append(token)
            return NSNumber(value: token.numbers[store.identifier] ?? -1)
        case let entity as NSEntityDescription:
            return NSNumber(value: store.history.number(ofEntityNamed: entity.name ?? "") ?? -1)
        case let type as NSPersistentHistoryChangeType:
            return NSNumber(value: type.rawValue)
        case is String, is NSNumber:
            return nil
        default:
            guard let elements = ExpressionValue(value).elements else { return nil }
            var isChanged = false
            let numbers = elements.map { element in
                guard let number = number(for: element, store, &tokens) else { return element }
                isChanged = true
                return number
            }
            return isChanged ? numbers : nil
        }
    }

    /// Throws if a path does not begin with a key of the request's entity, or contains a key that is not read.
    private static func require(_ path: String, isOfChanges: Bool, isOfOrder: Bool) throws {
        let keys = KeyValuePath(path).keys.filter { $0.first != "@" && $0 != "self" && $0 != "SELF" }
        var isChange = isOfChanges
        for (place, key) in keys.enumerated() {
            switch key {
            case HistoryEntities.changesName where !isChange && place == 0 && !isOfOrder: isChange = true
            case HistoryEntities.transactionName where isChange: isChange = false
            case _ where (isChange ? HistoryChangeView.keys : HistoryTransactionView.keys).contains(key): return
            default:
                throw NSError.coreData(
                    NSCoreDataError,
                    reason: "keypath \(path) not found in entity \(isOfChanges ? "CHANGE" : "TRANSACTION"), or not for "
                        + "what a history request asks of it",
                    userInfo: [NSValidationKeyErrorKey: key])
            }
        }
    }

    static func expired(_ token: NSPersistentHistoryToken, _ store: AttachedHistory) -> NSError {
        NSError.coreData(
            NSPersistentHistoryTokenExpiredError,
            reason: "The history token \(token) has expired: the history that followed it is not kept any more",
            url: store.url)
    }

    /// Whether the predicate admits a transaction. `changes` are those of the transaction if the predicate reads them.
    func admits(_ transaction: HistoryTransactionRecord, _ changes: [HistoryChangeView]) -> Bool {
        isOfChanges || predicate?.evaluate(with: HistoryTransactionView(transaction, changes)) ?? true
    }

    func admits(_ change: HistoryChangeRecord, of transaction: HistoryTransactionRecord, _ id: NSManagedObjectID)
        -> Bool
    {
        guard isOfChanges, let predicate else { return true }
        return predicate.evaluate(with: HistoryChangeView(change, id, HistoryTransactionView(transaction)))
    }
}

/// A transaction as predicates and sort descriptors read it.
final class HistoryTransactionView: KeyValueReadable {
    /// All keys but `changes`.
    static let keys: Set = [
        "author", "bundleID", "contextName", "processID", "timestamp", "token", "transactionNumber",
    ]

    private let record: HistoryTransactionRecord
    private let changes: [HistoryChangeView]

    init(_ record: HistoryTransactionRecord, _ changes: [HistoryChangeView] = []) {
        self.record = record
        self.changes = changes
    }

    func value(forKey key: String) -> Any? {
        switch key {
        case "author": record.author
        case "bundleID": record.bundleID
        case "contextName": record.contextName
        case "processID": record.processID
        case "timestamp": record.timestamp
        case "token", "transactionNumber": NSNumber(value: record.number)
        case HistoryEntities.changesName: changes
        default: UndecidedPredicate.noValue("keypath \(key) not found in entity TRANSACTION")
        }
    }
}

/// A change as predicates and sort descriptors read it.
final class HistoryChangeView: KeyValueReadable {
    /// All keys but `transaction`.
    static let keys: Set = [
        "changeID", "changedID", "changedEntity", "changeType", "changedObjectID", "token", "transactionNumber",
    ]

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
        case HistoryEntities.transactionName: transaction
        case "token", "transactionNumber": NSNumber(value: record.transaction)
        default: UndecidedPredicate.noValue("keypath \(key) not found in entity CHANGE")
        }
    }
}
