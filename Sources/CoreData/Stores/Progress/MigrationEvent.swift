/// The state of a migration at one moment.
///
/// OpenCoreData only. ``MigrationMonitor`` gives the events of a migration.
public struct MigrationEvent: Sendable, Equatable {
    /// The stages of a migration.
    public enum Stage: String, Sendable, CaseIterable {
        /// The migration reads the store's metadata, and plans.
        case preparing
        /// The migration searches for rows that the newer model does not allow.
        case checking
        /// The migration changes tables in place.
        case rewriting
        /// The migration copies the files of the store.
        case copying
        /// The migration creates the objects of the new store, by a mapping model.
        case creatingObjects
        /// The migration sets the relationships of the new objects.
        case creatingRelationships
        /// The migration validates objects that were not valid when they were created.
        case validating
        /// The migration runs the code of the program for a stage.
        case handling
        /// The migration compares the copy with the store.
        case verifying
        /// The migration commits, or puts the copy in the store's place.
        case finishing
        /// The migration has ended.
        case done
    }

    /// The stage.
    public var stage: Stage
    /// The name of the entity, or of the table that a statement changes; nil if the stage is about neither.
    public var entity: String?
    /// The number of the entity's rows that are done in this stage.
    public var rowsDone: Int
    /// The number of the entity's rows in this stage; 0 if the number was not counted, or the stage is short.
    public var rowsTotal: Int
    /// The part of the whole migration that is done, from 0 to 1. It never decreases.
    public var fraction: Double
    /// An estimate of the seconds that are left; nil as long as there is none.
    ///
    /// It runs down evenly: a better estimate is approached in steps.
    public var secondsLeft: Double?

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - stage: The stage.
    ///   - entity: The name of the entity or table.
    ///   - rowsDone: The number of rows that are done.
    ///   - rowsTotal: The number of rows in the stage.
    ///   - fraction: The part of the whole migration that is done, from 0 to 1.
    ///   - secondsLeft: An estimate of the seconds that are left.
    public init(
        stage: Stage, entity: String? = nil, rowsDone: Int = 0, rowsTotal: Int = 0, fraction: Double = 0,
        secondsLeft: Double? = nil
    ) {
        self.stage = stage
        self.entity = entity
        self.rowsDone = rowsDone
        self.rowsTotal = rowsTotal
        self.fraction = fraction
        self.secondsLeft = secondsLeft
    }
}

extension MigrationEvent: CustomStringConvertible {
    /// The part in per cent, the stage, the entity with its rows, and the time left.
    public var description: String {
        var parts = ["\(Int(fraction * 100)) %", stage.rawValue]
        if let entity { parts.append(rowsTotal > 0 ? "\(entity) \(rowsDone) of \(rowsTotal)" : entity) }
        if let secondsLeft { parts.append("\(Int(secondsLeft.rounded(.up))) s left") }
        return parts.joined(separator: ", ")
    }
}
