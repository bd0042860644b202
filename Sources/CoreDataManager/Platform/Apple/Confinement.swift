import CoreData

extension CoreDataManager.Configuration.Confinement {
    /// Does nothing, because Apple's framework has the launch argument only.
    func apply(to context: NSManagedObjectContext) {}
}
