/// The reason why no file was ported.
package struct PortError: Error, CustomStringConvertible {
    package let description: String
    /// Whether the error concerns the files to write. Otherwise it concerns the files to read.
    package let isAboutTarget: Bool

    init(_ description: String, isAboutTarget: Bool = false) {
        self.description = description
        self.isAboutTarget = isAboutTarget
    }
}
