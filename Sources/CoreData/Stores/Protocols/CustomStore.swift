// Implementation notes: Stores/Atomic, Stores/Incremental.
//
// - Adapters present such stores as row stores, like those of SQL. An atomic store's nodes are read into rows and
//   searched in memory. An incremental store answers fetches with keys, and reads a row when a fault fires. A
//   `ReferenceTable` gives numbers to the stores' reference objects.
// - Contexts pass the requests and objects of their calls to such stores (`ObjectStore`). Other stores do not get them.
// - XML and binary stores (`Stores/Atomic/Files`) are such atomic stores: one class, and two `RecordFormat`s.

import Foundation

/// The common part of atomic and incremental stores: object ids from reference objects.
protocol CustomStore: NSPersistentStore {
    /// The store's number within its coordinator.
    var storeNumber: Int { get }
}

extension CustomStore {
    /// The id of the record of an entity that a reference object identifies.
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

    /// The id of a key that the store has given out.
    func objectID(ofKey key: Int64, in modelLayout: ModelLayout) -> NSManagedObjectID? {
        guard let entry = references?.entry(for: key & ObjectKey.primaryKeyMask),
            let layout = modelLayout.layout(named: entry.entity)
        else { return nil }
        return NSManagedObjectID(
            objectKey: ObjectKey(layoutIndex: layout.index, key: key), modelLayout: modelLayout, store: self)
    }

    /// The reference object of the record with an id. Stops the process if the id belongs to another store.
    func reference(of objectID: NSManagedObjectID) -> Any {
        guard !objectID.isTemporaryID, objectID.references === references,
            let entry = references?.entry(for: objectID.objectKey.primaryKey)
        else { fatalError("The object id \(objectID) was not created by the store \(self)") }
        return entry.reference
    }

    /// Stops the process because a subclass lacks a required method.
    func abstract(_ method: String) -> Never {
        let name = String(describing: Swift.type(of: self))
        fatalError("\(name).\(method): method only defined for abstract class. Define \(name).\(method)!")
    }
}
