/// A pair of versions between which the program offers no migration: the trial expects a refusal.
public struct ExpectedRefusal: Hashable, Sendable {
    /// The name of the older version.
    public var older: String
    /// The name of the newer version.
    public var newer: String

    /// Makes an expectation.
    ///
    /// - Parameters:
    ///   - older: The name of the older version.
    ///   - newer: The name of the newer version.
    public init(from older: String, to newer: String) {
        self.older = older
        self.newer = newer
    }
}
