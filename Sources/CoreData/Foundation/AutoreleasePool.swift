/// Runs the closure and returns its result. There are no autoreleased objects here, so nothing waits to be released;
/// loops written with pools compile and run as they are.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
    try body()
}
