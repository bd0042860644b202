import Foundation

/// Decides whether a transaction is repeated that another one has disturbed, or whose connection was lost.
package struct Repetitions {
    private var attempts = Attempts(.conflict)
    /// The attempts at finding another server, from the first failure on.
    private var failover: Attempts?
    private var isOver = false

    package init() {}

    /// Ends the repetitions: no later failure is repeated.
    mutating func end() { isOver = true }

    /// Whether the transaction is run once more. Waits a random time before it returns true, so that other transactions
    /// can end, or another server can take over. The limit of this time grows with each repetition.
    package mutating func goOn(after failure: any SQLFailure) -> Bool {
        if isOver || !failure.mayBeRepeated { return false }
        guard failure.kind == .lost else { return attempts.goOn() }
        guard let patience = failure.patience else { return attempts.goOn(as: .lostConnection) }
        var attempts = failover ?? Attempts(.failover(patience))
        defer { failover = attempts }
        return attempts.goOn()
    }
}

extension RetryPolicy {
    /// After a conflict with another transaction, such as a deadlock.
    fileprivate static let conflict = RetryPolicy(pauses: 0...0.001, upTo: 0.128, limit: 8)
    /// After the loss of a connection to the only server.
    fileprivate static let lostConnection = RetryPolicy(pauses: 0...0.02, upTo: 2.56, limit: 8)
    /// Until another server has taken over.
    fileprivate static func failover(_ patience: Duration) -> RetryPolicy {
        RetryPolicy(pauses: 0...0.02, upTo: 0.2, timeout: patience / .seconds(1))
    }
}
