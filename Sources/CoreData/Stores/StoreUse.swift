/// The purpose for which a store is opened. The code that opens it gives it; no option of a program does.
package enum StoreUse: Equatable, Sendable {
    /// A program works with it, and others may do so too.
    case work
    /// A migration reads every row once. Where the process holds the lock on the file, nobody can change it meanwhile.
    case migrationSource(isLocked: Bool)
    /// A migration writes it and checks all of it at the end. If nobody else opens it before, the migration commits all
    /// changes at once.
    case migrationDestination(isSole: Bool)

    /// Whether rows that were read or written are needed again: only then a cache saves time.
    package var cachesRows: Bool { !isWholeMigration }

    /// Whether the code that opened the store commits its changes.
    package var holdsTransaction: Bool { isWholeMigration }

    /// Whether the file cannot change while the store is open.
    package var isImmutable: Bool { self == .migrationSource(isLocked: true) }

    /// Whether a save makes sure that the rows it refers to are there: others may delete them. The destination of a
    /// migration is checked whole at the end.
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
