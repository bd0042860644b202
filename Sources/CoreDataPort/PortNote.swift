/// Something the user should know about a place in the source, printed as the compiler prints its own.
package struct PortNote: Equatable, CustomStringConvertible {
    package enum Kind: String {
        /// What has to be done by hand.
        case byHand = "warning"
        /// What was done with a consequence, or may matter.
        case hint = "note"
    }

    package let kind: Kind
    package let file: String
    package let line: Int
    package let column: Int
    package let message: String

    package var description: String { "\(file):\(line):\(column): \(kind.rawValue): \(message)" }
}
