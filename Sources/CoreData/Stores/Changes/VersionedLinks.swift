/// Changes of a row that are stored in other rows, because programs of another version keep them in the row. The
/// numbers are those of layouts.
package struct VersionedLinks: Equatable, Sendable {
    /// To-many relationships whose changes raise the version of their owner's row.
    package var toManys: [Set<Int>]
    /// Slots of to-one relationships: a change of the row raises the version of the row to which the relationship
    /// leads.
    package var toOnes: [Set<Int>]
}
