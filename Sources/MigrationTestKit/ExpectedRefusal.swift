/// A way between two versions that a program does not offer: the trial expects that the migration is refused.
public struct ExpectedRefusal: Hashable, Sendable {
    /// The name of the older version.
    public var older: String
    /// The name of the newer version.
    public var newer: String

    /// The refusal of the way from one version to a later one, by the names of the versions.
    public init(from older: String, to newer: String) {
        self.older = older
        self.newer = newer
    }
}
