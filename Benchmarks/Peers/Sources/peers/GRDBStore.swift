import Foundation
import GRDB

/// A store that Core Data made, as GRDB opens it.
enum GRDBStore {
    /// Opens a store with the settings that all contenders share.
    static func opened(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(
                sql: """
                    PRAGMA synchronous=NORMAL;
                    PRAGMA wal_autocheckpoint=0;
                    PRAGMA cache_size=\(StoreSettings.cacheSize);
                    """)
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        // The schema is read once here, as a program that has opened its store has done.
        _ = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") }
        return queue
    }

    static func refusal(of work: Work) -> BenchmarkFailure {
        BenchmarkFailure(description: "GRDB has no \(work.rawValue)")
    }
}

extension Database {
    /// Takes primary keys as Core Data does.
    /// - Returns: the first key, and the entity's number, which each row holds.
    func reserveKeys(of entity: String, count: Int) throws -> (first: Int64, entity: Int64) {
        guard
            let row = try Row.fetchOne(
                self, sql: "SELECT Z_ENT,Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME=?", arguments: [entity])
        else { throw BenchmarkFailure(description: "no entity \(entity)") }
        let highest: Int64 = row[1]
        try execute(
            sql: "UPDATE Z_PRIMARYKEY SET Z_MAX=? WHERE Z_NAME=?", arguments: [highest + Int64(count), entity])
        return (highest + 1, row[0])
    }
}

/// A book as either way of GRDB has it.
protocol GRDBBook {
    var title: String { get }
    var isbn: String { get }
    var pages: Int64 { get }
    var price: Double { get }
    var published: Date { get }
    var rating: Float { get }
    var note: String? { get }
    var author: Int64? { get }
}

extension GRDBBook {
    /// What is compared between contenders: something of every value.
    var fieldSum: Double {
        var sum = Double(pages) + price + published.timeIntervalSinceReferenceDate + Double(rating)
        sum += Double(title.utf8.count + isbn.utf8.count)
        sum += Double(note?.utf8.count ?? 0)
        sum += author == nil ? 0 : 1
        return sum
    }
}
