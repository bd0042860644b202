import Foundation

/// Something in a model's source that cannot be meant as it is written, and the way in which it was read.
package struct ModelWarning: Hashable, Sendable, CustomStringConvertible {
    /// The source's file.
    package let file: String
    /// The line of the element, from 1.
    package let line: Int
    /// The problem, and the way in which it was read.
    package let text: String

    package var description: String { "\(file):\(line):1: warning: \(text)" }

    /// A value that holds the function: optimised code that keeps a function in a task-local crashes (Swift 6.3).
    private struct Taker: Sendable {
        let take: @Sendable (ModelWarning) -> Void
    }

    @TaskLocal private static var taker: Taker?

    /// Does some work, whose warnings somebody takes. Without that they go to the standard error stream.
    package static func taken<Result>(
        by take: @escaping @Sendable (ModelWarning) -> Void, during work: () throws -> Result
    ) rethrows -> Result {
        try $taker.withValue(Taker(take: take), operation: work)
    }

    /// Hands the warning to the receiver. Without a receiver it goes to standard error, each only once: programs read
    /// models often.
    func post() {
        if let taker = Self.taker { return taker.take(self) }
        guard Self.printed.insert(self) else { return }
        FileHandle.standardError.write(Data("CoreData: warning: \(file), line \(line): \(text)\n".utf8))
    }

    private static let printed = Printed()

    // @unchecked Sendable: the lock guards the set.
    private final class Printed: @unchecked Sendable {
        private let lock = NSLock()
        private var warnings: Set<ModelWarning> = []

        func insert(_ warning: ModelWarning) -> Bool { lock.withLock { warnings.insert(warning).inserted } }
    }
}
