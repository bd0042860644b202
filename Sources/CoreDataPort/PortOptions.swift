/// The choices of the user.
package struct PortOptions: Sendable {
    /// Whether OpenCombine replaces Combine.
    package var combine = false
    /// Whether the product OSLogging replaces the modules os and OSLog.
    package var logging = true

    package init() {}
}
