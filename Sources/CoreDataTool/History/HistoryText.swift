import CoreData
import Foundation

/// What `history` and `watch` print of a transaction.
struct HistoryText {
    let console: Console
    let isJSON: Bool

    func write(_ transaction: NSPersistentHistoryTransaction) throws {
        if isJSON { return try console.writeLine(json(transaction)) }
        var parts = ["#\(transaction.transactionNumber)", DateText.iso(transaction.timestamp)]
        if let author = transaction.author { parts.append("author \(author)") }
        if let name = transaction.contextName { parts.append("context \(name)") }
        if !transaction.bundleID.isEmpty { parts.append("program \(transaction.bundleID)") }
        if !transaction.processID.isEmpty { parts.append("process \(transaction.processID)") }
        try console.line(console.styled(Table.onOneLine(parts.joined(separator: "  ")), .bold))
        for change in transaction.changes ?? [] { try write(change) }
    }

    private func write(_ change: NSPersistentHistoryChange) throws {
        let (sign, style): (String, Console.Style) =
            switch change.changeType {
            case .insert: ("+", .green)
            case .update: ("~", .yellow)
            case .delete: ("-", .red)
            @unknown default: ("?", .dim)
            }
        var line = "\(sign) \(ObjectName.of(change.changedObjectID))"
        let names = properties(of: change)
        if !names.isEmpty { line += "  \(names.joined(separator: ", "))" }
        let kept = tombstone(of: change)
        if !kept.isEmpty { line += "  " + kept.map { "\($0.0): \(ValueText.text($0.1))" }.joined(separator: ", ") }
        try console.line("  \(console.styled(Table.onOneLine(line), style))")
    }

    private func properties(of change: NSPersistentHistoryChange) -> [String] {
        (change.updatedProperties ?? []).map(\.name).sorted()
    }

    /// The values that a deleted object has left.
    private func tombstone(of change: NSPersistentHistoryChange) -> [(String, Any)] {
        (change.tombstone ?? [:]).compactMap { key, value in (key as? String).map { ($0, value) } }
            .sorted { $0.0 < $1.0 }
    }

    private func json(_ transaction: NSPersistentHistoryTransaction) -> JSON {
        func text(_ value: String?) -> JSON { value.flatMap { $0.isEmpty ? nil : .string($0) } ?? .null }
        return .object([
            ("transaction", .integer(transaction.transactionNumber)),
            ("date", .string(DateText.iso(transaction.timestamp))), ("author", text(transaction.author)),
            ("context", text(transaction.contextName)), ("program", text(transaction.bundleID)),
            ("process", text(transaction.processID)),
            ("changes", .array((transaction.changes ?? []).map(json))),
        ])
    }

    private func json(_ change: NSPersistentHistoryChange) -> JSON {
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
