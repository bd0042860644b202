import CoreData
import MacCheckKit

/// How one store of the kit is made.
struct StorePlan {
    /// What happens to the store after its saves.
    enum Finish: Equatable {
        case close
        /// The files are copied while the store is open, so that the `-wal` has the rows.
        case leaveLog
        /// The store is migrated to another version of its model, by this framework.
        case migrate(to: String, mapping: String?)
        /// Transactions are removed from the history.
        case purgeHistory
    }

    let name: String
    let model: String
    var type = NSSQLiteStoreType
    var hasHistory = false
    /// Whether the file has Apple's triggers for derived attributes.
    var hasTriggers = false
    var saves: [[Change]] = []
    var finish = Finish.close
    /// The row of DEVIATIONS.md by which the saves of a check may have other results.
    var row: String?
    /// The saves that a check does.
    var changes: [[Change]]?

    init(_ name: String, _ model: String, saves: [[Change]] = [], changes: [[Change]]? = nil) {
        self.name = name
        self.model = model
        self.saves = saves
        self.changes = changes
    }

    /// The plan with a part that differs.
    func with(_ body: (inout StorePlan) -> Void) -> StorePlan {
        var copy = self
        body(&copy)
        return copy
    }

    /// The plan of an XML store, where the first object has the key 102.
    var asXML: StorePlan {
        with { plan in
            plan.type = "XML"
            plan.saves = Self.raised(plan.saves)
            plan.changes = plan.changes.map(Self.raised)
        }
    }

    private static func raised(_ saves: [[Change]]) -> [[Change]] {
        saves.map { save in
            save.map { change in
                var change = change
                if let number = Int(change.key.dropFirst()), change.key.hasPrefix("p") {
                    change.key = "p\(number + 101)"
                }
                change.values = change.values.mapValues { text in
                    text.replacing(/\/p([0-9]+)/) { "/p\((Int($0.1) ?? 0) + 101)" }
                }
                return change
            }
        }
    }
}

extension Change {
    static func insert(_ entity: String, _ key: String = "", _ values: [String: String] = [:]) -> Change {
        Change(.insert, entity, key, values)
    }

    static func update(_ entity: String, _ key: String, _ values: [String: String]) -> Change {
        Change(.update, entity, key, values)
    }

    static func delete(_ entity: String, _ key: String) -> Change { Change(.delete, entity, key) }
}
