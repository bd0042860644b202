#if DEBUG
    import Foundation

    /// What of the framework was made in a test and is still there. Debug builds alone have it.
    ///
    /// Coordinators, stores, contexts and controllers count in the account that is `current` where they are made;
    /// contexts that are made where there is none, in that of their parent or coordinator; objects in that of their
    /// context.
    package final class LiveAccount: @unchecked Sendable {  // `living` and `made` are used under `lock` only
        package enum Kind: Hashable, Sendable {
            case coordinator, store, context, controller
            case object(entity: String)
        }

        /// Who keeps the account of the running test; nil outside of tests that want it kept.
        @TaskLocal package static var current: LiveAccount?

        private let lock = NSLock()
        private var living: [Kind: Int] = [:]
        private var made = 0

        package init() {}

        /// How many were made.
        package var total: Int { lock.withLock { made } }

        /// How many of each kind are there.
        package var present: [Kind: Int] { lock.withLock { living } }

        func note(_ kind: Kind, comes: Bool) {
            lock.withLock {
                if comes { made += 1 }
                let count = living[kind, default: 0] + (comes ? 1 : -1)
                living[kind] = count == 0 ? nil : count
            }
        }

        /// Stands in an account as long as whoever holds it is there.
        final class Entry {
            let account: LiveAccount
            private let kind: Kind

            /// Nil where nobody keeps an account.
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
