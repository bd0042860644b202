import CoreData
import Foundation

/// Saves the main context by itself, at the end of the event in which it was changed.
final class Autosave: @unchecked Sendable {  // used with the main context only
    private weak var context: ModelContext?
    /// The context while its changes wait for the save, also if the program has let its container go.
    private var waiting: ModelContext?
    private var isScheduled = false
    private var lastError: String?

    init(_ context: ModelContext) {
        self.context = context
        SavesAtExit.add(self)
    }

    /// Saves behind the present block of the main queue, unless that is planned already.
    func schedule() {
        waiting = context
        if isScheduled { return }
        isScheduled = true
        DispatchQueue.main.async { [weak self] in self?.run() }
    }

    /// Keeps the context no longer, for its changes are saved or given up.
    func letGo() { waiting = nil }

    /// Whether a store outlives the program.
    fileprivate var isLasting: Bool { context?.parts.remoteCommits != nil }

    /// Saves now.
    func run() {
        isScheduled = false
        waiting = nil
        guard let context, context.autosaveEnabled, context.hasChanges else { return }
        // The end of the transaction saves.
        if context.transactionDepth > 0 { return }
        do {
            try context.save()
            lastError = nil
        } catch {
            let text = "\(error)"
            if text != lastError {
                FileHandle.standardError.write(Data("SwiftData: error: autosave failed: \(text)\n".utf8))
            }
            lastError = text
            context.noteNextChange()
            NotificationCenter.default.post(
                name: ModelContext.didFailToSave, object: context, userInfo: [NSUnderlyingErrorKey: error])
        }
    }
}

/// Saves the main contexts with unsaved changes before the program ends.
private enum SavesAtExit {
    private struct Weak: @unchecked Sendable {  // used on the main thread only
        weak var autosave: Autosave?
    }

    private static let saves = Locked<[Weak]>([])

    private static let installation: Void = {
        atexit { SavesAtExit.run() }
    }()

    static func add(_ autosave: Autosave) {
        installation
        saves.withLock { saves in
            saves.removeAll { $0.autosave == nil }
            saves.append(Weak(autosave: autosave))
        }
    }

    /// The main contexts belong to the main thread, and to the main queue, which `dispatchMain()` serves from any
    /// thread. If the program ends elsewhere, the contexts may be in use.
    private static func run() {
        guard MainQueue.isCurrent else { return }
        for save in saves.withLock({ $0.compactMap(\.autosave) }) where save.isLasting { save.run() }
    }
}
