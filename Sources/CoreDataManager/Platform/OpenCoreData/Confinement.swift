import CoreData

extension CoreDataManager.Configuration.Confinement {
    /// Applies this response to a context that no code uses yet.
    func apply(to context: NSManagedObjectContext) {
        context.confinementResponse =
            switch self {
            case .ignore: .ignore
            case .report: .report
            case .stop: .stop
            }
    }
}
