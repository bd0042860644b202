import Foundation

/// Makes new objects of one entity that belong to no context.
///
/// The objects share one entity binding, so that making one costs no more than inserting one. An object gets a binding
/// of its own when it is related to another one or observed. Any thread may use it.
package final class DetachedObjects: @unchecked Sendable {  // the binding does not change as long as it is shared
    /// The entity, of a model that is frozen.
    package let entity: NSEntityDescription
    private let binding: EntityBinding

    /// - Parameter entity: An entity of a model, with a representation.
    package init(of entity: NSEntityDescription) {
        self.entity = entity
        ObjectMaterializer.prepare()
        binding = NSManagedObjectContext.detachedBinding(for: entity)
        binding.isShared = true
    }

    /// Makes an object with the default values of its attributes.
    package func make() -> NSManagedObject {
        ObjectMaterializer(binding: binding).materialize(
            key: NSManagedObjectID.nextTemporaryKey(), row: binding.layout.defaultRow, flags: [])
    }
}

extension NSManagedObject {
    /// A number that no other layout of any model in the process has, for caches.
    package final var layoutNumber: UInt32 { layoutIdentifier }

    /// Whether the object has lost its context: by a saved deletion, by `reset()`, or by the context's end.
    package final var hasLostContext: Bool { flags.contains(.detached) }

    /// Gives an object that shares its entity binding a binding of its own.
    final func unshareBinding() {
        if binding.isShared { binding = binding.unsharedCopy() }
    }
}
