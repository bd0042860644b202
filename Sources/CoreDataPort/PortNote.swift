/// A message about a place in the source, printed in the compiler's format.
package struct PortNote: Equatable, CustomStringConvertible {
    package enum Kind: String {
        /// Work that has to be done by hand.
        case byHand = "warning"
        /// A change with a consequence, or a fact that may matter.
        case hint = "note"
    }

    package let kind: Kind
    package let file: String
    package let line: Int
    package let column: Int
    package let message: String

    package var description: String { "\(file):\(line):\(column): \(kind.rawValue): \(message)" }
}
