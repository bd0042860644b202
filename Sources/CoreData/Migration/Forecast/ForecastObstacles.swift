import Foundation

/// The errors of a migration that a forecast gives as obstacles.
enum ForecastObstacles {
    static let codes = [
        NSInferredMappingModelError, NSMigrationMissingSourceModelError, NSManagedObjectModelReferenceNotFoundError,
        NSStagedMigrationBackwardMigrationError, NSMigrationMissingMappingModelError,
    ]

    /// The obstacles that an error names.
    static func of(_ error: NSError) -> [MigrationForecast.Obstacle] {
        if let details = error.userInfo[NSDetailedErrorsKey] as? [NSError] { return details.flatMap(of) }
        var help = error.localizedRecoverySuggestion ?? ""
        if error.code == NSMigrationMissingSourceModelError, help.isEmpty {
            help = "Keep the older versions of the model in the program’s bundle, or give them to the migration."
        }
        if error.code == NSMigrationMissingMappingModelError {
            help = "Keep a mapping model among the program’s resources, or let one be inferred."
        }
        if error.code == NSManagedObjectModelReferenceNotFoundError {
            help = "Name the version in a stage, and keep its model among the program’s resources."
        }
        return [
            .init(
                entity: error.userInfo[MigrationErrors.entityKey] as? String,
                property: error.userInfo[MigrationErrors.propertyKey] as? String,
                reason: error.userInfo[MigrationErrors.rowsKey] as? String ?? error.userInfo["reason"] as? String
                    ?? error.localizedDescription, help: help, errorCode: error.code)
        ]
    }
}
