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
    /// The values that no change describes ("Person/p1.animals"), and those of the saves of a check.
    var facts: [String: String] = [:]
    var factsAfter: [String: String] = [:]
    /// The lines of the history, and those that the saves of a check add to it.
    var history: [String] = []
    var historyAfter: [String] = []

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

    /// The plan with facts, as texts.
    func with(_ facts: String, after: String = "") -> StorePlan {
        with { ($0.facts, $0.factsAfter) = (Self.facts(facts), Self.facts(after)) }
    }

    /// The plan of an XML store, where the first object has the key 102.
    var asXML: StorePlan {
        with { plan in
            plan.type = "XML"
            plan.saves = Self.raised(plan.saves)
            plan.changes = plan.changes.map(Self.raised)
            (plan.facts, plan.factsAfter) = (Self.raised(plan.facts), Self.raised(plan.factsAfter))
        }
    }

    private static func raised(_ facts: [String: String]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: facts.map { (raised($0), raised($1)) })
    }

    private static func raised(_ saves: [[Change]]) -> [[Change]] {
        saves.map { save in
            save.map { change in
                var change = change
                if let number = Int(change.key.dropFirst()), change.key.hasPrefix("p") {
                    change.key = "p\(number + 101)"
                }
                change.values = change.values.mapValues(raised)
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
