import CoreData

extension CoreDataManager.Configuration.Confinement {
    /// Has a context that nobody uses yet do it.
    func apply(to context: NSManagedObjectContext) {
        context.confinementResponse =
            switch self {
            case .ignore: .ignore
            case .report: .report
            case .stop: .stop
            }
    }
}
