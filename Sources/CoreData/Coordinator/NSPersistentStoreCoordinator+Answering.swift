import Foundation

extension NSPersistentStoreCoordinator {
    /// Whether the stores of an entity answer a fetch themselves, with this condition and this order.
    package final func answers(
        _ predicate: NSPredicate?, sortedBy sortDescriptors: [NSSortDescriptor] = [], entityName: String
    ) -> Bool {
        guard let layout = managedObjectModel.layout.layout(named: entityName) else { return false }
        var fetch = StoreFetch(layout: layout)
        fetch.predicate = predicate
        fetch.decidesByObject = predicate is ObjectDecidedPredicate
        fetch.sortDescriptors = sortDescriptors
        if FetchShape.of(fetch) != nil { return true }
        let stores = (try? attachedStores(for: layout, in: nil)) ?? []
        return stores.allSatisfy { $0.rows.translation(of: fetch) != .missing }
    }
}
