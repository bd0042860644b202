import Foundation

/// What all objects of one entity in one context have in common; objects keep one pointer to it instead of three.
final class ObjectHome: @unchecked Sendable {  // `context` is cleared once, by the context's own deinitialiser
    /// Not retained: a context clears it when it goes. Nil for objects that belong to no context.
    unowned(unsafe) var context: NSManagedObjectContext?
    let layout: EntityLayout
    let identityMap: IdentityMap?
    let managedClass: NSManagedObject.Type
    /// Keep the descriptions alive as long as any object is.
    let modelLayout: ModelLayout
    let model: NSManagedObjectModel

    init(
        context: NSManagedObjectContext?, layout: EntityLayout, identityMap: IdentityMap?,
        managedClass: NSManagedObject.Type, modelLayout: ModelLayout, model: NSManagedObjectModel
    ) {
        self.context = context
        self.layout = layout
        self.identityMap = identityMap
        self.managedClass = managedClass
        self.modelLayout = modelLayout
        self.model = model
    }
}
