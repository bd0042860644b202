/// Stops the process unless the condition holds. Only a mistake in a program can make the condition false.
///
/// Unlike `precondition` it prints the reason in release builds, too. Without a condition `fatalError` does so.
@inline(__always)
func require(
    _ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String, file: StaticString = #fileID,
    line: UInt = #line
) {
    guard condition() else { fatalError(message(), file: file, line: line) }
}
