/// The reason why a gate cannot compare anything: no repository, no such commit, a clone without its history.
public struct ModelGateError: Error, CustomStringConvertible, Sendable {
    /// The problem.
    public let reason: String
    /// A way to solve it; empty if there is none.
    public let help: String

    init(_ reason: String, help: String) { (self.reason, self.help) = (reason, help) }

    /// The problem and the way to solve it.
    public var description: String { help.isEmpty ? reason : "\(reason)\n\(help)" }
}
