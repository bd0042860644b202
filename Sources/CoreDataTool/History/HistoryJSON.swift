import CoreData
import Foundation

/// A transaction of the history as JSON.
enum HistoryJSON {
    static func properties(of change: NSPersistentHistoryChange) -> [String] {
        (change.updatedProperties ?? []).map(\.name).sorted()
    }

    /// The values that a deleted object has left.
    static func tombstone(of change: NSPersistentHistoryChange) -> [(String, Any)] {
        (change.tombstone ?? [:]).compactMap { key, value in (key as? String).map { ($0, value) } }
            .sorted { $0.0 < $1.0 }
    }

    /// - Parameters:
    ///   - limit: the maximum number of changes in the result; if there are more, the result also has their number.
    ///   - id: the object to whose changes the result is limited; nil for all.
    static func of(
        _ transaction: NSPersistentHistoryTransaction, changes limit: Int = .max, of id: NSManagedObjectID? = nil
    ) -> JSON {
        let changes = (transaction.changes ?? []).filter { id == nil || $0.changedObjectID == id }
        func text(_ value: String?) -> JSON { value.flatMap { $0.isEmpty ? nil : .string($0) } ?? .null }
        return .object(
            [
                ("transaction", .integer(transaction.transactionNumber)),
                ("date", .string(DateText.iso(transaction.timestamp))), ("author", text(transaction.author)),
                ("context", text(transaction.contextName)), ("program", text(transaction.bundleID)),
                ("process", text(transaction.processID)),
                ("changes", .array(changes.prefix(limit).map(of))),
            ] + (changes.count > limit ? [("changeCount", .integer(Int64(changes.count)))] : []))
    }

    static func of(_ change: NSPersistentHistoryChange) -> JSON {
        let kind =
            switch change.changeType {
            case .insert: "insert"
            case .update: "update"
            case .delete: "delete"
            @unknown default: "unknown"
            }
        var members: [(String, JSON)] = [
            ("type", .string(kind)), ("object", .string(ObjectName.of(change.changedObjectID))),
        ]
        if change.changeType == .update {
            members.append(("properties", .array(properties(of: change).map(JSON.string))))
        }
        let kept = tombstone(of: change)
        if !kept.isEmpty { members.append(("tombstone", .object(kept.map { ($0.0, ValueText.json($0.1)) }))) }
        return .object(members)
    }
}
