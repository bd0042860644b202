import Foundation

/// A warning about a probable mistake in a model's source, with the way in which the text was read.
package struct ModelWarning: Hashable, Sendable, CustomStringConvertible {
    /// The source's file.
    package let file: String
    /// The line of the element, from 1.
    package let line: Int
    /// The column of the element in bytes, from 1.
    package let column: Int
    /// The problem, and the way in which it was read.
    package let text: String

    package var description: String { "\(file):\(line):\(column): warning: \(text)" }

    init(place: ModelSourcePlace, text: String) {
        (file, line, column) = (place.file, place.line, place.column)
        self.text = text
    }

    /// A value that holds the function: optimised code that keeps a function in a task-local crashes (Swift 6.3).
    private struct Taker: Sendable {
        let take: @Sendable (ModelWarning) -> Void
    }

    @TaskLocal private static var taker: Taker?

    /// Runs work whose warnings a closure receives. Outside of such work they go to the standard error stream.
    package static func taken<Result>(
        by take: @escaping @Sendable (ModelWarning) -> Void, during work: () throws -> Result
    ) rethrows -> Result {
        try $taker.withValue(Taker(take: take), operation: work)
    }

    /// Passes the warning to the receiver. Without a receiver each warning is written to standard error once, because
    /// programs read models often.
    func post() {
        if let taker = Self.taker { return taker.take(self) }
        guard Self.printed.insert(self) else { return }
        FileHandle.standardError.write(Data("CoreData: warning: \(file), line \(line): \(text)\n".utf8))
    }

    /// Whether a warning that ends in this text, behind the element of the source, was written to standard error.
    static func isPrinted(_ text: String) -> Bool { printed.contains { $0.text.hasSuffix(text) } }

    /// The text of a warning about an element of an index.
    static func missingColumn(of expression: String) -> String {
        "no column holds the values of '\(expression)', so stores of this library do not have the index."
    }

    private static let printed = Printed()

    // @unchecked Sendable: the lock guards the set.
    private final class Printed: @unchecked Sendable {
        private let lock = NSLock()
        private var warnings: Set<ModelWarning> = []

        func insert(_ warning: ModelWarning) -> Bool { lock.withLock { warnings.insert(warning).inserted } }

        func contains(where isWanted: (ModelWarning) -> Bool) -> Bool {
            lock.withLock { warnings.contains(where: isWanted) }
        }
    }
}
