// About the stores that programs write (`Stores/Atomic`, `Stores/Incremental`).
//
// - Such stores stand behind adapters that speak rows as SQL stores do. An atomic store's nodes are read into rows and
//   searched in memory. An incremental store answers fetches with keys, and is asked for a row when a fault fires.
//   Their names for records become numbers in a `ReferenceTable`.
// - Contexts pass such stores the requests and objects that they want to see (`ObjectStore`). Other stores get no more
//   than before.
// - XML and binary stores (`Stores/Atomic/Files`) are such atomic stores: one class, and two `RecordFormat`s.

import Foundation

/// The common part of atomic and incremental stores: ids made of reference objects.
protocol CustomStore: NSPersistentStore {
    /// The store's number within its coordinator.
    var storeNumber: Int { get }
}

extension CustomStore {
    /// The id of the record that a reference names among those of an entity.
    func makeObjectID(_ entity: NSEntityDescription, _ reference: Any) -> NSManagedObjectID {
        guard let modelLayout = storeHost?.modelLayout, let layout = modelLayout.layout(of: entity),
            let references
        else {
            fatalError(
                "The entity '\(entity.name ?? "")' is not in the model of the coordinator of the store \(self)")
        }
        let primaryKey = references.primaryKey(of: reference, entity: layout.name)
        return NSManagedObjectID(
            objectKey: ObjectKey(
                layoutIndex: layout.index, key: ObjectKey.key(storeNumber: storeNumber, primaryKey: primaryKey)),
            modelLayout: modelLayout, store: self)
    }

    /// The id of a key that the store has handed out.
    func objectID(ofKey key: Int64, in modelLayout: ModelLayout) -> NSManagedObjectID? {
        guard let entry = references?.entry(for: key & ObjectKey.primaryKeyMask),
            let layout = modelLayout.layout(named: entry.entity)
        else { return nil }
        return NSManagedObjectID(
            objectKey: ObjectKey(layoutIndex: layout.index, key: key), modelLayout: modelLayout, store: self)
    }

    /// The name of the record of an id. Stops the process if the id is of another store.
    func reference(of objectID: NSManagedObjectID) -> Any {
        guard !objectID.isTemporaryID, objectID.references === references,
            let entry = references?.entry(for: objectID.objectKey.primaryKey)
        else { fatalError("The object id \(objectID) was not created by the store \(self)") }
        return entry.reference
    }

    /// Stops the process: a subclass lacks a method that it has to have.
    func abstract(_ method: String) -> Never {
        let name = String(describing: Swift.type(of: self))
        fatalError("\(name).\(method): method only defined for abstract class. Define \(name).\(method)!")
    }
}
