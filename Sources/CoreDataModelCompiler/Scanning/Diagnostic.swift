/// An error or warning about a place in a source file, printed in the compiler's format.
package struct Diagnostic: Error, CustomStringConvertible, Equatable {
    package let file: String
    package let line: Int
    package let column: Int
    package let message: String
    let isWarning: Bool

    package init(file: String, line: Int, column: Int = 1, isWarning: Bool = false, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.message = message
        self.isWarning = isWarning
    }

    package var description: String { "\(file):\(line):\(column): \(isWarning ? "warning" : "error"): \(message)" }
}
