import CoreData
import Foundation

/// `coredata watch`: the changes that other programs save in a store, as they happen.
package struct WatchCommand: Command {
    package static let page = CommandPage(
        "watch", "print the changes of other programs as they are saved",
        operands: [.store],
        discussion: [
            "Waits for other processes to save, and prints their transactions as 'coredata history' does. Of a store that "
                + "keeps no history it prints which entities have more or fewer objects than before. Ends with ^C."
        ],
        options: [RequestOptions.limit, .model, .json],
        examples: [
            .init("coredata watch Library.sqlite", "follow the changes of a program"),
            .init("coredata watch Library.sqlite --limit 1", "wait for the next change"),
        ],
        found: "the store does not report its changes")

    private let store: String
    private let model: String?
    private let limit: Int
    private let isJSON: Bool

    package init(_ arguments: Arguments) throws {
        store = try arguments.required(0)
        model = arguments.value("model")
        limit = try arguments.number("limit", atLeast: 1) ?? Int.max
        isJSON = arguments.has(.json)
    }

    /// The events that wake the command.
    private final class Wake: Sendable {
        private let changes = DispatchSemaphore(value: 0)
        func signal() { changes.signal() }
        func wait() { changes.wait() }
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let store = try ResolvedStore(store, model: model)
        guard store.address.isInTables else {
            throw ToolError(
                .found, "\(store.shown): a store of the kind \(store.address.type) does not report its changes")
        }
        try requireNotices(of: store)
        let wake = Wake()
        Interruption.watch { wake.signal() }
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: nil, queue: nil
        ) { _ in wake.signal() }
        defer { NotificationCenter.default.removeObserver(observer) }
        let context = try store.context(options: [
            NSPersistentHistoryTrackingKey: true, NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
        ])
        let reader = HistoryReader(context: context, store: store, predicate: nil)
        let text = HistoryText(console: console, isJSON: isJSON)
        var left = limit
        var number: Int64 = 0
        var counts: [String: Int] = [:]
        let keepsHistory = try context.performAndWait {
            let keepsHistory = try store.keepsHistory(context)
            if keepsHistory { number = try reader.newest() } else { counts = try self.counts(store, context) }
            return keepsHistory
        }
        console.say("watching \(Table.onOneLine(store.shown)); ^C ends")
        while left > 0, !Interruption.wasRequested {
            wake.wait()
            try context.performAndWait {
                if keepsHistory {
                    try reader.each(after: number) { transaction in
                        number = transaction.transactionNumber
                        try text.write(transaction)
                        left -= 1
                        return left > 0
                    }
                } else {
                    let now = try self.counts(store, context)
                    if now != counts {
                        try write(from: counts, to: now, console)
                        left -= 1
                    }
                    counts = now
                }
            }
            try console.flush()
        }
        return .done
    }

    /// Throws if the command would not receive changes. A user without the right to write beside the file does not get
    /// notices of commits.
    private func requireNotices(of store: ResolvedStore) throws {
        guard store.url.isFileURL else { return }
        let folder = store.url.deletingLastPathComponent().path
        if access(folder, W_OK) == 0 || access(store.url.path + "-shm", W_OK) == 0 { return }
        throw ToolError(
            .found, "\(store.shown): its changes are reported only to users who may write into its folder")
    }

    private func counts(_ store: ResolvedStore, _ context: NSManagedObjectContext) throws -> [String: Int] {
        try store.model.entities.reduce(into: [:]) { counts, entity in
            counts[entity.name ?? ""] = try store.ownCount(of: entity, context)
        }
    }

    private func write(from before: [String: Int], to now: [String: Int], _ console: Console) throws {
        let changed = now.keys.sorted().filter { now[$0] != before[$0] }
        let date = DateText.iso(Date())
        if isJSON {
            let members = changed.map { name in (name, JSON.integer(Int64(now[name] ?? 0))) }
            return try console.writeLine(.object([("date", .string(date)), ("counts", .object(members))]))
        }
        let shown = changed.map { "\($0): \(before[$0] ?? 0) → \(now[$0] ?? 0)" }.joined(separator: ", ")
        try console.line(Table.onOneLine("\(date)  \(shown)"))
    }
}
