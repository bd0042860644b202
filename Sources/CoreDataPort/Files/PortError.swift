/// Why nothing was ported.
package struct PortError: Error, CustomStringConvertible {
    package let description: String
    /// Whether it is about what was to be written; the others are about what was read.
    package let isAboutTarget: Bool

    init(_ description: String, isAboutTarget: Bool = false) {
        self.description = description
        self.isAboutTarget = isAboutTarget
    }
}
