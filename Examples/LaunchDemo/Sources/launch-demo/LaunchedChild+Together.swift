import Foundation
import Synchronization

extension LaunchedChild {
    /// Runs so many bodies on threads of their own, and another on this one until they have ended.
    static func together(
        _ count: Int, _ body: @escaping @Sendable (Int) throws -> LaunchedChild.Outcome,
        meanwhile: () -> Void = {}
    ) throws -> [LaunchedChild.Outcome] {
        let results = Results(count)
        let group = DispatchGroup()
        for number in 0..<count {
            group.enter()
            Thread.detachNewThread {
                results.set(number, Result { try body(number) })
                group.leave()
            }
        }
        while group.wait(timeout: .now() + .milliseconds(50)) == .timedOut { meanwhile() }
        return try results.all()
    }

    private final class Results: Sendable {
        private let results: Mutex<[Result<LaunchedChild.Outcome, any Error>?]>

        init(_ count: Int) { results = Mutex(Array(repeating: nil, count: count)) }

        func set(_ number: Int, _ result: Result<LaunchedChild.Outcome, any Error>) {
            results.withLock { $0[number] = result }
        }

        func all() throws -> [LaunchedChild.Outcome] {
            try results.withLock { try $0.compactMap { try $0?.get() } }
        }
    }
}
