import CoreData

/// How a program opens its stores where it does not open them by the framework's calls, by the names of versions.
package struct TrialOpening {
    /// Opens a store with a version, which migrates it, and closes it.
    package var open: (_ store: URL, _ version: String) throws -> Void
    /// Whether the program has a migration from one version to another.
    package var offers: (_ older: String, _ newer: String) -> Bool
    /// Whether code of the program may change any object on the way from one version to another.
    package var runsCode: (_ older: String, _ newer: String) -> Bool
    /// The ways on which a store can go through several versions, one after the other.
    package var chains: [[String]]
    /// What is wrong with a store that has been opened with a version, in lines.
    package var inspect: (_ store: URL, _ version: String) throws -> [String]
    /// The stored values of an attribute of a version, by number; nil if any values of its type do.
    package var values: (_ version: String, _ entity: String, _ attribute: String) -> ((Int) -> Any?)?

    package init(
        open: @escaping (_ store: URL, _ version: String) throws -> Void,
        offers: @escaping (_ older: String, _ newer: String) -> Bool,
        runsCode: @escaping (_ older: String, _ newer: String) -> Bool, chains: [[String]],
        inspect: @escaping (_ store: URL, _ version: String) throws -> [String],
        values: @escaping (_ version: String, _ entity: String, _ attribute: String) -> ((Int) -> Any?)?
    ) {
        (self.open, self.offers, self.runsCode, self.chains) = (open, offers, runsCode, chains)
        (self.inspect, self.values) = (inspect, values)
    }
}
