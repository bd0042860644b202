/// What a container does with a store whose version is none of its plan's.
///
/// OpenCoreData only.
public enum UnknownVersions: Hashable, Sendable {
    /// Opening the store is an error that names the nearest version and the properties that differ.
    case refuse
    /// Inferred changes lead the store to the nearest version that loses nothing, and the stages go on from there. A
    /// store for which there is none is refused.
    ///
    /// Losses that ``ModelConfiguration/allowedLosses`` names count as none.
    case inferToNearest
}
