import CoreData
import Foundation
import StudioServer

/// The store's history, the newest first.
struct StudioHistory {
    let session: StudioSession

    private static let mostTransactions = 200
    private static let mostChanges = 200

    func answer(_ request: HTTPRequest) throws -> JSON {
        let limit = try request.number("limit", in: 1...Self.mostTransactions, else: 50)
        let before = try request.number("before", in: 0...Int.max, else: Int.max)
        let name = request.query["id"]
        return try session.perform {
            guard session.keepsHistory else { return json([], next: nil, of: nil) }
            let id = try name.map { try session.object($0).objectID }
            // A new object has no history.
            if id?.isTemporaryID == true { return json([], next: nil, of: nil) }
            let reader = HistoryReader(context: session.context, store: session.store, predicate: nil)
            let found = try reader.latest(before: Int64(before), limit: limit, of: id)
            return json(found, next: found.count == limit ? found.last?.transactionNumber : nil, of: id)
        }
    }

    /// A part of the changes of one transaction.
    func changes(_ request: HTTPRequest) throws -> JSON {
        _ = try request.required("transaction")
        let number = Int64(try request.number("transaction", in: 1...Int.max - 1, else: 1))
        let offset = try request.number("offset", in: 0...Int.max, else: 0)
        return try session.perform {
            let reader = HistoryReader(context: session.context, store: session.store, predicate: nil)
            let found = try session.keepsHistory ? reader.latest(before: number + 1, limit: 1, of: nil).first : nil
            guard let found, found.transactionNumber == number else {
                throw StudioFailure(404, "there is no transaction \(number)")
            }
            let changes = (found.changes ?? []).dropFirst(offset).prefix(Self.mostChanges)
            return .object([("changes", .array(changes.map(HistoryJSON.of)))])
        }
    }

    private func json(
        _ transactions: [NSPersistentHistoryTransaction], next: Int64?, of id: NSManagedObjectID?
    ) -> JSON {
        let shown = transactions.map { transaction in
            HistoryJSON.of(transaction, changes: Self.mostChanges, of: id)
        }
        return .object([
            ("keepsHistory", .bool(session.keepsHistory)), ("transactions", .array(shown)),
            ("next", .optional(next)),
        ])
    }
}
