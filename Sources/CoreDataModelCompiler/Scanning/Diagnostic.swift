import CoreDataModelReading

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

    /// An error of a model: at its place in the source, or at the beginning of the model.
    init(of error: any Error, in model: String) {
        guard let (place, reason) = ModelSourcePlace.of(error) else {
            self.init(file: model, line: 1, message: error.localizedDescription)
            return
        }
        self.init(file: place.file, line: place.line, column: place.column, message: reason)
    }

    package var description: String { "\(file):\(line):\(column): \(isWarning ? "warning" : "error"): \(message)" }
}
