import CoreData
import Foundation

/// The text of a transaction for `history` and `watch`.
struct HistoryText {
    let console: Console
    let isJSON: Bool

    func write(_ transaction: NSPersistentHistoryTransaction) throws {
        if isJSON { return try console.writeLine(HistoryJSON.of(transaction)) }
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
        let names = HistoryJSON.properties(of: change)
        if !names.isEmpty { line += "  \(names.joined(separator: ", "))" }
        let kept = HistoryJSON.tombstone(of: change)
        if !kept.isEmpty { line += "  " + kept.map { "\($0.0): \(ValueText.text($0.1))" }.joined(separator: ", ") }
        try console.line("  \(console.styled(Table.onOneLine(line), style))")
    }
}
