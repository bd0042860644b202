import CoreData

// A class whose properties are generated ("Codegen: Category/Extension"), with behaviour written by hand.

public class Expense: NSManagedObject {
    /// The events of expenses, for the tests of the life cycle.
    // nonisolated(unsafe): one test reads them, on the main thread.
    nonisolated(unsafe) static var events: [String] = []

    public override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue("other", forKey: "category")
    }

    public override func awakeFromFetch() {
        super.awakeFromFetch()
        Self.events.append("fetched")
    }

    public override func willSave() {
        super.willSave()
        let cents = (amount ?? 0).multiplying(byPowerOf10: 2).int64Value
        // Only a value that differs is set: setting marks the object as changed, and `willSave()` would be called
        // again.
        if !isDeleted, self.cents != cents {
            self.cents = cents
        }
    }

    public override func prepareForDeletion() {
        super.prepareForDeletion()
        Self.events.append("deleted \(category ?? "")")
    }
}
