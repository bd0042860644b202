/// Stops the process unless the condition holds: for what only a mistake in a program can bring about.
///
/// Unlike `precondition` it says why in programs that were built for release, too; where no condition is asked,
/// `fatalError` does so.
@inline(__always)
func require(
    _ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String, file: StaticString = #fileID,
    line: UInt = #line
) {
    guard condition() else { fatalError(message(), file: file, line: line) }
}
