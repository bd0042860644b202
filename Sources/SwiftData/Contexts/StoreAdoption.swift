import CoreData
import Foundation

/// Decides whether a store has an unsettled rule in another way than the schema, and gives the schema the store's form.
struct StoreAdoption {
    let schema: Schema
    let url: URL

    /// The schema in the store's form; nil if its own form fits, or if the store is of another version.
    func managedSchema() throws -> ManagedSchema? { nil }
}
