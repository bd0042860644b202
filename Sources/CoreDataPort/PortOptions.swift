/// What the user chooses.
package struct PortOptions: Sendable {
    /// Whether OpenCombine is written in the place of Combine.
    package var combine = false
    /// Whether the product OSLogging stands in for the modules os and OSLog.
    package var logging = true

    package init() {}
}
