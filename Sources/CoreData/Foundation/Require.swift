/// Stops the process unless the condition holds, which only a mistake in a program can cause.
///
/// Unlike `precondition` it says why in programs that were built for release, too. Without a condition `fatalError`
/// does so.
@inline(__always)
func require(
    _ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String, file: StaticString = #fileID,
    line: UInt = #line
) {
    guard condition() else { fatalError(message(), file: file, line: line) }
}
