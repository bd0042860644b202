import Foundation

/// The versions of a program's classes, and the stages that lead from one to the next.
///
/// Pass it to a container. A store of any version is then brought to the container's schema when it is opened.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/schemamigrationplan)
public protocol SchemaMigrationPlan: SendableMetatype {
    /// The versions, the oldest first.
    static var schemas: [any VersionedSchema.Type] { get }
    /// The stages. From each version at most one leads on.
    static var stages: [MigrationStage] { get }
}

/// A stage of a plan, from one version to the next.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/migrationstage)
public enum MigrationStage: @unchecked Sendable {  // the handlers run on the thread that makes the container
    /// A stage whose changes are inferred.
    case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
    /// A stage with code of the program before and after the inferred changes.
    ///
    /// `willMigrate` gets a context with the classes of the older version, `didMigrate` one with those of the newer.
    /// Each saves its changes itself. An error that a handler throws ends the migration, and the store is as it was.
    /// If the process is killed, the next one runs both handlers again, on a fresh copy of the store.
    case custom(
        fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
        willMigrate: ((ModelContext) throws -> Void)?, didMigrate: ((ModelContext) throws -> Void)?)

    var from: any VersionedSchema.Type {
        switch self {
        case .lightweight(let from, _), .custom(let from, _, _, _): from
        }
    }

    var to: any VersionedSchema.Type {
        switch self {
        case .lightweight(_, let to), .custom(_, let to, _, _): to
        }
    }
}
