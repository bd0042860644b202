/// Runs a closure and returns its result.
///
/// There are no autoreleased objects on Linux, so the function does nothing else. Loops that are written with pools
/// compile and run unchanged.
///
/// - Parameter body: The closure.
/// - Returns: The result of the closure.
/// - Throws: The error of the closure.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
    try body()
}
