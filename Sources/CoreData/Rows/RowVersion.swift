/// The version of a row: the number of times it was saved.
///
/// A save changes a row only if the row still has the version that the context has read; otherwise it is a conflict.
/// The context raises the version when it builds the row to save. Work that changes rows without reading them, such as
/// a batch update, lets the database raise it (`RowWriter.risenVersion`).
package enum RowVersion {
    /// The version that follows a version. The largest one is followed by the smallest one: a file can hold any number.
    @inline(__always)
    static func next(after version: Int32) -> Int32 { version &+ 1 }

    /// Whether one version came before another one, also around the largest number.
    @inline(__always)
    package static func isOlder(_ version: Int32, than other: Int32) -> Bool { version &- other < 0 }
}
