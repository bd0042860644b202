/// The purpose for which a store is opened. The code that opens it sets the purpose; no option of a program does.
package enum StoreUse: Equatable, Sendable {
    /// A program works with the store, and other programs may do so, too.
    case work
    /// A migration reads every row once. If the process holds the lock on the file, no other process can change it.
    case migrationSource(isLocked: Bool)
    /// A migration writes the store and checks all of it at the end. If no other connection opens the store before, the
    /// migration commits all changes at once.
    case migrationDestination(isSole: Bool)

    /// Whether rows that were read or written are needed again. Only then does a cache save time.
    package var cachesRows: Bool { !isWholeMigration }

    /// Whether the code that opened the store commits its changes.
    package var holdsTransaction: Bool { isWholeMigration }

    /// Whether the file cannot change while the store is open.
    package var isImmutable: Bool { self == .migrationSource(isLocked: true) }

    /// Whether a save checks that the rows to which it refers exist, because other processes may delete them. The
    /// destination of a migration is checked as a whole at the end.
    package var checksReferences: Bool {
        if case .migrationDestination = self { false } else { true }
    }

    private var isWholeMigration: Bool {
        switch self {
        case .work, .migrationDestination(isSole: false): false
        case .migrationSource, .migrationDestination(isSole: true): true
        }
    }
}
