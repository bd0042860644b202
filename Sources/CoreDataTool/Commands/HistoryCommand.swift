import CoreData
import Foundation

/// `coredata history`: the changes in a store that keeps history, with their authors.
package struct HistoryCommand: Command {
    package static let page = CommandPage(
        "history", "print the changes, with their authors",
        operands: [.store],
        discussion: [
            "Prints the transactions of a store that keeps history, oldest first: number, date, author, and each object "
                + "that was inserted (+), changed (~, with its properties) or deleted (-, with the values that the model "
                + "keeps of deleted objects). With --json each transaction is one line."
        ],
        options: [
            Option(
                "since", value: "NUMBER|DATE",
                "only what came after a transaction, or after a date: 2026-11-26, 2026-11-26T09:30:00Z"),
            Option("author", value: "NAME", "only transactions of an author"),
            RequestOptions.limit, .model, .json,
        ],
        examples: [
            .init("coredata history Library.sqlite --since 2026-11-01", "what was changed in November"),
            .init("coredata history Library.sqlite --author import --json", "what the import did, for a script"),
        ],
        found: "the store keeps no history")

    private enum Since {
        case number(Int64)
        case date(Date)
    }

    private let store: String
    private let model: String?
    private let since: Since
    private let author: String?
    private let limit: Int
    private let isJSON: Bool

    package init(_ arguments: Arguments) throws {
        store = try arguments.required(0)
        model = arguments.value("model")
        author = arguments.value("author")
        limit = try arguments.number("limit", atLeast: 1) ?? Int.max
        isJSON = arguments.has(.json)
        guard let text = arguments.value("since") else {
            since = .number(0)
            return
        }
        if let number = Int64(text), number >= 0 {
            since = .number(number)
        } else if let date = DateText.date(text) {
            since = .date(date)
        } else {
            throw arguments.misuse("'--since' needs the number of a transaction or a date, not '\(text)'")
        }
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let store = try ResolvedStore(store, model: model)
        let context = try store.context(options: [NSPersistentHistoryTrackingKey: true])
        return try context.performAndWait {
            let reader = HistoryReader(context: context, store: store, predicate: predicate)
            guard try store.keepsHistory(context) else {
                console.say("coredata: \(Table.onOneLine(store.shown)): the store keeps no history")
                return .found
            }
            let text = HistoryText(console: console, isJSON: isJSON)
            var number: Int64 = 0
            if case .number(let given) = since { number = given }
            var left = limit
            try reader.each(after: number) { transaction in
                try text.write(transaction)
                left -= 1
                return left > 0
            }
            return .done
        }
    }

    private var predicate: NSPredicate? {
        var parts: [NSPredicate] = []
        if let author { parts.append(NSPredicate(format: "author == %@", author)) }
        if case .date(let date) = since { parts.append(NSPredicate(format: "timestamp > %@", date)) }
        return parts.isEmpty ? nil : NSCompoundPredicate(andPredicateWithSubpredicates: parts)
    }
}
