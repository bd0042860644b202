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
            // A new object has none.
            if id?.isTemporaryID == true { return json([], next: nil, of: nil) }
            let reader = HistoryReader(context: session.context, store: session.store, predicate: nil)
            let found = try reader.latest(before: Int64(before), limit: limit, of: id)
            return json(found, next: found.count == limit ? found.last?.transactionNumber : nil, of: id)
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
