/// Why nothing was ported.
package struct PortError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
