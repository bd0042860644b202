import CoreData
import Foundation

extension ModelContext {
    /// Returns the transactions of the stores' history.
    ///
    /// - Parameter descriptor: The condition and the order.
    /// - Returns: The transactions.
    /// - Throws: `SwiftDataError.historyTokenExpired` if the history after a token of the condition was deleted, or if
    ///   the token is of other stores; `invalidTransactionFetchRequest` for another type of transactions; the errors of
    ///   the condition and of a store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/fetchhistory(_:))
    public func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T] {
        if !parts.customRows.isEmpty { return try customHistory(descriptor) }
        var found = try transactions(descriptor)
        if !descriptor.sortBy.isEmpty { found.sort(using: descriptor.sortBy) }
        if descriptor.fetchLimit > 0 { found = Array(found.prefix(Int(clamping: descriptor.fetchLimit))) }
        return found
    }

    /// Deletes transactions of the stores' history.
    ///
    /// - Parameter descriptor: The condition. In each store it has to select the oldest transactions up to one.
    /// - Throws: `SwiftDataError.unsupportedPredicate` if transactions would stay that are older than a selected one,
    ///   because tokens would then show no complete history, and the errors of ``fetchHistory(_:)``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/deletehistory(_:))
    public func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws {
        if !parts.customRows.isEmpty { return try deleteCustomHistory(descriptor) }
        let selected = try fetchHistory(descriptor).compactMap { $0 as? DefaultHistoryTransaction }
        guard !selected.isEmpty else { return }
        var last: [String: Int64] = [:]
        for transaction in selected {
            last[transaction.storeIdentifier] = max(
                last[transaction.storeIdentifier] ?? 0, transaction.transactionIdentifier)
        }
        let chosen = Set(selected.map(\.token))
        let all = try transactions(HistoryDescriptor<DefaultHistoryTransaction>())
        if let older = all.first(where: { transaction in
            !chosen.contains(transaction.token)
                && last[transaction.storeIdentifier].map { transaction.transactionIdentifier < $0 } ?? false
        }) {
            throw SwiftDataError.unsupportedPredicate.because(
                "history is deleted from its beginning: transaction \(older.transactionIdentifier) of the store "
                    + "\(older.storeIdentifier) is older than one that the condition selects")
        }
        let end = try HistoryBounds.token(last.mapValues { $0 + 1 })
        try execute(NSPersistentHistoryChangeRequest.deleteHistory(before: end))
    }

    private func transactions<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T] {
        guard T.self == DefaultHistoryTransaction.self else {
            throw SwiftDataError.invalidTransactionFetchRequest.because(
                "the stores of the container have no transactions of the type \(T.self)")
        }
        let bounds = HistoryBounds(descriptor.predicate)
        let stores = Set(container.coordinator.persistentStores.compactMap(\.identifier))
        for token in bounds.tokens where !token.numbers.isEmpty && stores.isDisjoint(with: token.numbers.keys) {
            throw SwiftDataError.historyTokenExpired.because("the token is of other stores: \(token.numbers)")
        }
        let request = NSPersistentHistoryChangeRequest.fetchHistory(
            after: try bounds.after.map { try HistoryBounds.token($0.numbers) })
        if let author = bounds.author, let fetch = NSPersistentHistoryTransaction.fetchRequest {
            fetch.predicate = NSPredicate(format: "author == %@", author)
            request.fetchRequest = fetch
        }
        let found = try execute(request) as? [NSPersistentHistoryTransaction] ?? []
        return try found.compactMap { transaction in
            guard let made = DefaultHistoryTransaction(transaction) as? T else { return nil }
            return try descriptor.predicate?.evaluate(made) ?? true ? made : nil
        }
    }

    @discardableResult
    private func execute(_ request: NSPersistentHistoryChangeRequest) throws -> Any? {
        do {
            return (try managed.execute(request) as? NSPersistentHistoryResult)?.result
        } catch let error as NSError where error.code == NSPersistentHistoryTokenExpiredError {
            throw SwiftDataError.historyTokenExpired.because(nil, error)
        }
    }
}

/// The parts of a condition on transactions that a request has as bounds. They admit at least what the condition does.
struct HistoryBounds {
    /// All tokens with which the condition compares.
    private(set) var tokens: [DefaultHistoryToken] = []
    /// The token after which all transactions are.
    private(set) var after: DefaultHistoryToken?
    /// The author of all transactions.
    private(set) var author: String?

    init<T: HistoryTransaction>(_ predicate: Predicate<T>?) {
        guard let expression = predicate?.expression as? any HistoryCondition else { return }
        for part in expression.conjuncts {
            switch part {
            case .after(let token):
                tokens.append(token)
                after = after.map { max($0, token) } ?? token
            case .other(let token): tokens.append(token)
            case .author(let name): author = name
            }
        }
    }

    /// A token of the framework, which is decoded of a dictionary.
    static func token(_ numbers: [String: Int64]) throws -> NSPersistentHistoryToken {
        try JSONDecoder().decode(NSPersistentHistoryToken.self, from: JSONEncoder().encode(numbers))
    }

    /// The numbers of a token of the framework.
    static func numbers(_ token: NSPersistentHistoryToken) throws -> [String: Int64] {
        try JSONDecoder().decode([String: Int64].self, from: JSONEncoder().encode(token))
    }
}

/// A part of a condition on transactions that a request may have.
private enum HistoryPart {
    case after(DefaultHistoryToken)
    /// A comparison with a token that bounds nothing.
    case other(DefaultHistoryToken)
    case author(String)
}

/// A node of a predicate that has such parts, all of which must hold.
private protocol HistoryCondition {
    var conjuncts: [HistoryPart] { get }
}

extension PredicateExpressions.Conjunction: HistoryCondition {
    fileprivate var conjuncts: [HistoryPart] {
        [lhs as Any, rhs as Any].flatMap { ($0 as? any HistoryCondition)?.conjuncts ?? [] }
    }
}

extension PredicateExpressions.Comparison: HistoryCondition {
    fileprivate var conjuncts: [HistoryPart] {
        let (left, right) = ((lhs as? any ConstantOfHistory)?.constant, (rhs as? any ConstantOfHistory)?.constant)
        guard let token = (right ?? left) as? DefaultHistoryToken else { return [] }
        let compared: Any = right == nil ? rhs as Any : lhs as Any
        let property = (compared as? any PropertyOfHistory)?.property
        guard let property, property == \DefaultHistoryTransaction.token else { return [.other(token)] }
        switch (op, right == nil) {
        case (.greaterThan, false), (.lessThan, true): return [.after(token)]
        default: return [.other(token)]
        }
    }
}

extension PredicateExpressions.Equal: HistoryCondition {
    fileprivate var conjuncts: [HistoryPart] {
        let sides: [Any] = [lhs, rhs]
        let constant = sides.lazy.compactMap { ($0 as? any ConstantOfHistory)?.constant }.first
        let property = sides.lazy.compactMap { ($0 as? any PropertyOfHistory)?.property }.first
        guard property == \DefaultHistoryTransaction.author, let author = constant as? String else { return [] }
        return [.author(author)]
    }
}

/// A constant in a predicate.
private protocol ConstantOfHistory {
    var constant: Any? { get }
}

extension PredicateExpressions.Value: ConstantOfHistory {
    fileprivate var constant: Any? { (value as? any OptionalType).map(\.anyWrapped) ?? value }
}

/// A property of the transaction in a predicate.
private protocol PropertyOfHistory {
    var property: AnyKeyPath { get }
}

extension PredicateExpressions.KeyPath: PropertyOfHistory {
    fileprivate var property: AnyKeyPath { keyPath }
}
