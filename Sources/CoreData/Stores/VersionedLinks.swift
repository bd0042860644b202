/// Changes of a row that lie in other rows, because somebody else keeps them in the row. By the numbers of layouts.
package struct VersionedLinks: Equatable, Sendable {
    /// To-many relationships whose changes raise the version of their owner's row.
    package var toManys: [Set<Int>]
    /// Slots of to-one relationships: a change of the row raises the version of the one that it leads to.
    package var toOnes: [Set<Int>]
}
