#if DEBUG
import Foundation

/// The objects of the framework that a test has made and that still exist. Only debug builds have it.
///
/// Coordinators, stores, contexts and controllers count in the account that is `current` where they are made.
/// Contexts that are made without a current account count in the account of their parent or coordinator. Objects
/// count in the account of their context.
package final class LiveAccount: @unchecked Sendable {  // `living` and `made` are used under `lock` only
    package enum Kind: Hashable, Sendable {
        case coordinator, store, context, controller
        case object(entity: String)
    }

    /// The account of the running test; nil outside of tests that need one.
    @TaskLocal package static var current: LiveAccount?

    private let lock = NSLock()
    private var living: [Kind: Int] = [:]
    private var made = 0

    package init() {}

    /// The number of objects that were made.
    package var total: Int { lock.withLock { made } }

    /// The number of present objects of each kind.
    package var present: [Kind: Int] { lock.withLock { living } }

    func note(_ kind: Kind, comes: Bool) {
        lock.withLock {
            if comes { made += 1 }
            let count = living[kind, default: 0] + (comes ? 1 : -1)
            living[kind] = count == 0 ? nil : count
        }
    }

    /// An entry in an account, which ends with its owner.
    final class Entry {
        let account: LiveAccount
        private let kind: Kind

        /// Nil if there is no account.
        init?(_ kind: Kind, in account: LiveAccount? = .current) {
            guard let account else { return nil }
            self.account = account
            self.kind = kind
            account.note(kind, comes: true)
        }

        deinit { account.note(kind, comes: false) }
    }
}
#endif
