import CoreData
import Foundation

extension ModelContext {
    /// Runs a block, and saves after it. If the block or the save fails, the changes of the block are taken back.
    ///
    /// A transaction within another one saves nothing; the outer one saves at its end.
    ///
    /// - Parameter block: The block.
    /// - Throws: The error of the block, or of the save.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontext/transaction(block:))
    public func transaction(block: () throws -> Void) throws {
        usage.begin("transaction(block:)")
        transactionDepth += 1
        defer {
            transactionDepth -= 1
            usage.end()
        }
        applyCollectedDeletions()
        if !hasChanges, transactionDepth == 1 { return try run(block, orElse: rollback) }
        // The changes that were made before stay, so the undo manager takes back those of the block alone.
        let own = undoManager == nil ? UndoManager() : nil
        if let own {
            own.groupsByEvent = false
            managed.undoManager = own
        }
        defer { if own != nil { managed.undoManager = nil } }
        managed.processPendingChanges()
        guard let undoManager else { return }
        undoManager.beginUndoGrouping()
        var isOpen = true
        func close() {
            guard isOpen else { return }
            isOpen = false
            managed.processPendingChanges()
            undoManager.endUndoGrouping()
        }
        try run({
            try block(); close()
        }) {
            close()
            undoManager.undoNestedGroup()
            managed.processPendingChanges()
        }
    }

    private func run(_ block: () throws -> Void, orElse takeBack: () -> Void) throws {
        do {
            try block()
            if transactionDepth == 1 { try save() }
        } catch {
            takeBack()
            if hasChanges { noteChange() }
            throw error
        }
    }
}
