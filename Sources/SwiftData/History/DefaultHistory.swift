// Implementation notes: History.
//
// - Transactions are those of the stores' history tables, also where Apple's framework wrote them. Each change is made
//   for the class of its entity.
// - A predicate's tokens and author become bounds of the request (`HistoryBounds`). The whole predicate is then
//   evaluated on the transactions that were read.
// - A tombstone is read through a model over its values, so that structures and enumerations come as Swift's types.

import CoreData
import Foundation

/// A position in the history of a container's stores: for each store the number of a transaction.
///
/// Tokens are compared by the stores that both have. A token of other stores alone is neither before nor after.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/defaulthistorytoken)
public struct DefaultHistoryToken: HistoryToken {
    /// The number of the last transaction by the identifier of the store.
    public let tokenValue: [String: Int64]?

    init(_ numbers: [String: Int64]) { tokenValue = numbers }

    var numbers: [String: Int64] { tokenValue ?? [:] }

    /// Whether a token is before another one.
    public static func < (lhs: DefaultHistoryToken, rhs: DefaultHistoryToken) -> Bool {
        let (left, right) = (lhs.numbers, rhs.numbers)
        let common = left.keys.filter { right[$0] != nil }
        func isBefore(_ one: [String: Int64], _ other: [String: Int64]) -> Bool {
            common.contains { one[$0] ?? 0 < other[$0] ?? 0 }
        }
        return isBefore(left, right) && !isBefore(right, left)
    }
}

/// A save, as the history of a store has it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/defaulthistorytransaction)
public struct DefaultHistoryTransaction: HistoryTransaction, Identifiable {
    /// The author that the context had; nil if it had none.
    public let author: String?
    /// The bundle identifier of the program; empty if it has none.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/defaulthistorytransaction/bundleidentifier)
    public let bundleIdentifier: String
    /// The changes, in the order of the store.
    public let changes: [HistoryChange]
    /// The name of the process; empty if it was not recorded.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/defaulthistorytransaction/processidentifier)
    public let processIdentifier: String
    /// The identifier of the store.
    public let storeIdentifier: String
    /// The time of the save.
    public let timestamp: Date
    /// The position of the transaction.
    public let token: DefaultHistoryToken
    /// The number of the transaction in its store.
    public let transactionIdentifier: Int64

    /// The position, which no other transaction has.
    public var id: DefaultHistoryToken { token }

    init(_ transaction: NSPersistentHistoryTransaction) {
        author = transaction.author
        bundleIdentifier = transaction.bundleID
        processIdentifier = transaction.processID
        storeIdentifier = transaction.storeID
        timestamp = transaction.timestamp
        transactionIdentifier = transaction.transactionNumber
        token = DefaultHistoryToken([transaction.storeID: transaction.transactionNumber])
        let all = transaction.changes ?? []
        var made: [HistoryChange] = []
        made.reserveCapacity(all.count)
        var rest = all[...]
        // Most changes concern the class of the change before, and finding the class takes longer than making a change.
        while let entity = rest.first?.changedObjectID.entity {
            let run = rest.prefix { $0.changedObjectID.entity === entity }
            rest = rest[run.endIndex...]
            guard let type = entity.representation as? ModelType else { continue }
            made.append(run, transaction.transactionNumber, type)
        }
        changes = made
    }
}

extension [HistoryChange] {
    /// Appends changes of models of one class.
    fileprivate mutating func append(
        _ run: ArraySlice<NSPersistentHistoryChange>, _ transaction: Int64, _ modelType: ModelType
    ) {
        func appendAll<Model: PersistentModel>(_ type: Model.Type) {
            for change in run {
                let record = ChangeRecord(change: change, transaction: transaction)
                switch change.changeType {
                case .insert: self.append(.insert(DefaultHistoryInsert<Model>(record: record)))
                case .update: self.append(.update(DefaultHistoryUpdate<Model>(record: record)))
                case .delete:
                    let tombstone = HistoryTombstone<Model>(values: change.tombstone ?? [:], type: modelType)
                    self.append(.delete(DefaultHistoryDelete<Model>(record: record, tombstone: tombstone)))
                }
            }
        }
        appendAll(modelType.type)
    }
}

/// What all kinds of changes have. It is small enough for a value of a protocol's type without memory of its own.
struct ChangeRecord: Hashable, @unchecked Sendable {  // a change of the framework is immutable
    let change: NSPersistentHistoryChange
    let transaction: Int64

    /// The number of the change in its store.
    var number: Int64 { change.changeID }
    var model: PersistentIdentifier { PersistentIdentifier(change.changedObjectID) }

    static func == (lhs: ChangeRecord, rhs: ChangeRecord) -> Bool {
        lhs.number == rhs.number && lhs.transaction == rhs.transaction && lhs.model == rhs.model
    }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// The addition of a model, as the history of a store has it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/defaulthistoryinsert)
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert, Hashable {
    let record: ChangeRecord

    /// The number of the change in its store.
    public var changeIdentifier: Int64 { record.number }
    /// The identifier of the model.
    public var changedPersistentIdentifier: PersistentIdentifier { record.model }
    /// The number of the transaction in its store.
    public var transactionIdentifier: Int64 { record.transaction }
}

/// A change of a model's properties, as the history of a store has it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/defaulthistoryupdate)
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate, Hashable {
    /// A changed property.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/defaulthistoryupdate/propertyupdate)
    public typealias PropertyUpdate = any PartialKeyPath<Model> & Sendable

    let record: ChangeRecord
    /// The names of the changed properties.
    private var names: Set<String> { Set(record.change.updatedProperties?.map(\.name) ?? []) }

    /// The number of the change in its store.
    public var changeIdentifier: Int64 { record.number }
    /// The identifier of the model.
    public var changedPersistentIdentifier: PersistentIdentifier { record.model }
    /// The number of the transaction in its store.
    public var transactionIdentifier: Int64 { record.transaction }

    /// The changed properties that the class itself declares, without those of a superclass.
    public var updatedAttributes: [any PartialKeyPath<Model> & Sendable] {
        let names = names
        return Model.schemaMetadata.compactMap { property in
            guard names.contains(property.name), let keyPath = property.keypath as? PartialKeyPath<Model> else {
                return nil
            }
            // The key path of a property captures nothing.
            return unsafeBitCast(keyPath, to: (any PartialKeyPath<Model> & Sendable).self)
        }
    }

    /// Whether a property was changed.
    ///
    /// - Parameter keyPath: The property, which the class itself declares.
    /// - Returns: Whether it was changed.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/defaulthistoryupdate/containsattribute(_:))
    public func containsAttribute(_ keyPath: any PartialKeyPath<Model> & Sendable) -> Bool {
        ModelKeyPaths.name(of: keyPath, from: Model.self).map { names.contains($0) } ?? false
    }
}

/// The removal of a model, as the history of a store has it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/defaulthistorydelete)
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete, Hashable {
    let record: ChangeRecord
    /// The values of the properties with the option `.preserveValueOnDeletion`.
    public let tombstone: HistoryTombstone<Model>

    /// The number of the change in its store.
    public var changeIdentifier: Int64 { record.number }
    /// The identifier that the model had.
    public var changedPersistentIdentifier: PersistentIdentifier { record.model }
    /// The number of the transaction in its store.
    public var transactionIdentifier: Int64 { record.transaction }

    /// Whether two removals are the same one.
    public static func == (lhs: DefaultHistoryDelete, rhs: DefaultHistoryDelete) -> Bool { lhs.record == rhs.record }
    /// Hashes the number of the removal.
    public func hash(into hasher: inout Hasher) { hasher.combine(record) }
}

/// The values of a removed model that the history has kept.
///
/// Any thread may use it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/historytombstone)
public struct HistoryTombstone<Model: PersistentModel>: @unchecked Sendable {  // the values are immutable
    private let values: [AnyHashable: Any]
    private let type: ModelType

    init(values: [AnyHashable: Any], type: ModelType) {
        self.values = values
        self.type = type
    }

    /// The value of a property; nil if it was nil, or was not kept.
    ///
    /// - Parameter keyPath: The property.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/historytombstone/subscript(_:))
    public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
        guard let name = ModelKeyPaths.name(of: keyPath, from: Model.self),
            let stored = values[name] ?? elements(of: name)
        else { return nil }
        let core = type.makeCore()
        core.setValue(stored, forKey: name)
        let value = type.makeModel(core) as? Model
        guard let found = value?[keyPath: keyPath] else { return nil }
        return Self.unwrapped(found)
    }

    /// The elements of a composite attribute, which the history keeps one by one; nil if there are none.
    private func elements(of path: String) -> [String: Any]? {
        var found: [String: Any] = [:]
        for (key, value) in values {
            guard let key = key as? String, key.hasPrefix("\(path).") else { continue }
            let rest = key.dropFirst(path.count + 1).split(separator: ".", maxSplits: 1)
            let name = String(rest[0])
            if rest.count == 1 {
                found[name] = value
            } else {
                found[name] = elements(of: "\(path).\(name)")
            }
        }
        return found.isEmpty ? nil : found
    }

    private static func unwrapped(_ value: Any) -> (any Sendable)? {
        let value: Any? = (value as? any OptionalType).map(\.anyWrapped) ?? value
        // What a store has kept is a value of its own. `Sendable` has no table of functions, so the layouts are equal.
        return value.flatMap { unsafeBitCast([$0] as [Any], to: [any Sendable].self).first }
    }
}
