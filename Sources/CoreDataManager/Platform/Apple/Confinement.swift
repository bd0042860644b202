import CoreData

extension CoreDataManager.Configuration.Confinement {
    /// Does nothing: Apple's framework knows the launch argument only.
    func apply(to context: NSManagedObjectContext) {}
}
