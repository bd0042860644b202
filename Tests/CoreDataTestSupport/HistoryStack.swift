import CoreData
import Foundation
import TestSupport
import Testing

/// A store that keeps history, and requests for it.
struct HistoryStack {
    static let text = """
        entity Author
          name string
          books many Book.author
        entity Book
          isbn string
          pages int32
          title string
          author one Author.books
          tags many Tag.books
        entity Novel : Book
          genre string
        entity Tag
          name string
          books many Book.tags
        """

    let stack: TextStack
    let context: NSManagedObjectContext
    private let kind = StoreKind.current
    /// The numbers of all transactions and changes that were read.
    private let known = Locked<(transactions: Set<Int64>, changes: Set<Int64>)>(([], []))

    init(in folder: TemporaryFolder? = nil, posting: Bool = false) throws {
        var options = [NSPersistentHistoryTrackingKey: true]
        if posting { options[NSPersistentStoreRemoteChangeNotificationPostOptionKey] = true }
        stack = try TextStack(Self.text, in: folder, kind: .current, options: options) { model in
            for name in ["isbn", "pages"] {
                model.entitiesByName["Book"]?.attributesByName[name]?.preservesValueInHistoryOnDeletion = true
            }
        }
        context = stack.context()
    }

    /// Makes changes and saves them as one transaction.
    @discardableResult
    func save<Result>(
        author: String? = nil, name: String? = nil, _ body: (NSManagedObjectContext) throws -> Result
    ) throws -> Result {
        try context.performAndWait {
            context.transactionAuthor = author
            context.name = name
            let result = try body(context)
            try context.save()
            return result
        }
    }

    func result(_ request: NSPersistentHistoryChangeRequest, as type: NSPersistentHistoryResultType) throws -> Any? {
        #if PostgreSQL
        // Older transactions that still run hold history back.
        if kind != .sqlite {
            try PostgreSQLServer.shared.get().awaitHistory(of: stack.folder.url.lastPathComponent)
        }
        #endif
        return try context.performAndWait {
            request.resultType = type
            let result = try #require(try context.execute(request) as? NSPersistentHistoryResult)
            #expect(result.resultType == type)
            return result.result
        }
    }

    func transactions(_ request: NSPersistentHistoryChangeRequest) throws -> [NSPersistentHistoryTransaction] {
        try #require(try result(request, as: .transactionsAndChanges) as? [NSPersistentHistoryTransaction])
    }

    func all() throws -> [NSPersistentHistoryTransaction] {
        try transactions(.fetchHistory(after: Date.distantPast))
    }

    // MARK: Numbers

    // A file numbers transactions and changes from 1 on. Another database's numbers only have an order.

    /// The places of transactions in the history of all that there were.
    func places(_ transactions: [NSPersistentHistoryTransaction]) throws -> [Int] {
        try places(transactions.map(\.transactionNumber), \.transactions)
    }

    /// The places of changes in the history of all that there were.
    func places(_ changes: [NSPersistentHistoryChange]) throws -> [Int] {
        try places(changes.map(\.changeID), \.changes)
    }

    private func places(
        _ numbers: [Int64], _ kind: KeyPath<(transactions: Set<Int64>, changes: Set<Int64>), Set<Int64>>
    ) throws -> [Int] {
        let all = try all()
        let sorted = known.withLock { known in
            known.transactions.formUnion(all.map(\.transactionNumber))
            known.changes.formUnion(all.flatMap { $0.changes ?? [] }.map(\.changeID))
            return known[keyPath: kind].sorted()
        }
        let places = try numbers.map { number in try #require(sorted.firstIndex(of: number)) + 1 }
        if self.kind == .sqlite { #expect(numbers == places.map(Int64.init)) }
        return places
    }

    var token: NSPersistentHistoryToken? { stack.coordinator.currentPersistentHistoryToken(fromStores: nil) }

    /// Changes in a few words: `+Book1 -Tag3 Author2(books,name)`, sorted.
    static func words(_ transaction: NSPersistentHistoryTransaction) -> String {
        (transaction.changes ?? []).map { change in
            let id =
                "\(change.changedObjectID.entity.name ?? "")\(change.changedObjectID.uriRepresentation().lastPathComponent.dropFirst())"
            switch change.changeType {
            case .insert: return "+\(id)"
            case .delete: return "-\(id)"
            case .update:
                return "\(id)(\((change.updatedProperties ?? []).map(\.name).sorted().joined(separator: ",")))"
            }
        }.sorted().joined(separator: " ")
    }
}
