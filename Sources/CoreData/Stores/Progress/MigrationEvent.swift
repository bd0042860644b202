/// How far a migration is at one moment. An addition to Apple's interface.
public struct MigrationEvent: Sendable, Equatable {
    /// What a migration is doing.
    public enum Stage: String, Sendable, CaseIterable {
        /// Looks at the store and plans.
        case preparing
        /// Looks for rows that the newer model does not allow.
        case checking
        /// Changes tables in place.
        case rewriting
        /// Copies the store's files.
        case copying
        /// Makes the objects of the new store, by a mapping model.
        case creatingObjects
        /// Sets the relationships of the new objects.
        case creatingRelationships
        /// Looks at the objects that were not valid when they were made.
        case validating
        /// Runs the program's own code for a stage.
        case handling
        /// Compares the copy with what it must be.
        case verifying
        /// Commits, or puts the copy in the store's place.
        case finishing
        /// Everything is done.
        case done
    }

    /// What is being done.
    public var stage: Stage
    /// The entity, or the table where a statement is about a whole table; nil where the stage is about neither.
    public var entity: String?
    /// How many rows of the entity are done in this stage.
    public var rowsDone: Int
    /// How many rows of the entity the stage is about; 0 when that is not known or nothing takes long.
    public var rowsTotal: Int
    /// How much of the whole migration is done, from 0 to 1. Never less than in the event before.
    public var fraction: Double
    /// How many seconds are left, as far as one can tell; nil as long as one cannot. It runs down evenly: a better
    /// estimate is approached, not jumped to.
    public var secondsLeft: Double?

    /// Makes an event.
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
    /// The share in per cent, the stage, the entity with its rows, and the time left.
    public var description: String {
        var parts = ["\(Int(fraction * 100)) %", stage.rawValue]
        if let entity { parts.append(rowsTotal > 0 ? "\(entity) \(rowsDone) of \(rowsTotal)" : entity) }
        if let secondsLeft { parts.append("\(Int(secondsLeft.rounded(.up))) s left") }
        return parts.joined(separator: ", ")
    }
}
