import Foundation

/// The cost of a migration, as far as the platform can find it out before the migration begins.
///
/// Figures that the platform does not have are nil. Apple's framework only finds out whether a migration is required.
public struct LaunchForecast: Sendable, Equatable {
    /// Whether the store was written by another version of the model.
    public var isMigrationRequired: Bool
    /// Whether the migration takes the same short time whatever the size of the store.
    public var isInstant: Bool?
    /// The estimated time in seconds on this machine.
    public var seconds: TimeInterval?
    /// The estimated number of rows that the migration reads or writes.
    public var rows: Int?
    /// The estimated number of bytes that must be free on the store's volume during the migration.
    public var bytesNeeded: Int64?
    /// The number of bytes that are free on the store's volume.
    public var bytesAvailable: Int64?
    /// The reasons why the migration is impossible, one sentence each, for the developer. Empty if the forecast found
    /// none.
    public var obstacles: [String]
    /// The objects and values for which this version of the model has no place, allowed or not. Empty if the forecast
    /// found none.
    public var losses: [Loss] = []
    /// A report of several lines for the developer. It may be empty.
    public var report: String

    /// Makes a forecast that only has whether a migration is required.
    ///
    /// - Parameter isMigrationRequired: Whether the store was written by another version of the model.
    public init(isMigrationRequired: Bool) {
        self.isMigrationRequired = isMigrationRequired
        obstacles = []
        report = ""
    }

    /// Objects of an entity, or values of a property, that a migration loses.
    public struct Loss: Sendable, Equatable {
        /// The name of the entity in the store's version of the model.
        public var entity: String
        /// The name of the property; nil if objects are lost.
        public var property: String?
        /// The number of objects that are lost, or that lose a value.
        public var count: Int
        /// Whether ``count`` is the exact number. Otherwise there may be more.
        public var isExact: Bool
        /// Whether the migration runs in spite of the loss.
        public var isAllowed: Bool

        /// Makes a loss of objects, or of the values of a property.
        ///
        /// - Parameters:
        ///   - entity: The name of the entity in the store's version of the model.
        ///   - property: The name of the property; nil if objects are lost.
        ///   - count: The number of objects that are lost, or that lose a value.
        ///   - isExact: Whether `count` is the exact number.
        ///   - isAllowed: Whether the migration runs in spite of the loss.
        public init(entity: String, property: String? = nil, count: Int, isExact: Bool = true, isAllowed: Bool) {
            self.entity = entity
            self.property = property
            self.count = count
            self.isExact = isExact
            self.isAllowed = isAllowed
        }
    }

    /// Whether the free bytes of the volume are too few. False if either number is missing.
    public var lacksDiskSpace: Bool {
        guard let bytesNeeded, let bytesAvailable else { return false }
        return bytesAvailable < bytesNeeded
    }
}
