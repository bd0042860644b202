import CoreData
import Foundation

/// Saves the main context by itself, one second after its first unsaved change, on the main queue.
final class Autosave: @unchecked Sendable {  // used on the main thread only
    private weak var context: ModelContext?
    private var isScheduled = false
    private var lastError: String?

    init(_ context: ModelContext) { self.context = context }

    /// Saves soon, unless that is planned already.
    func schedule() {
        if isScheduled { return }
        isScheduled = true
        DispatchQueue.main.asyncAfter(deadline: .now() + 1) { [weak self] in
            self?.run()
        }
    }

    private func run() {
        isScheduled = false
        guard let context, context.autosaveEnabled, context.hasChanges else { return }
        do {
            try context.save()
            lastError = nil
        } catch {
            let text = "\(error)"
            if text != lastError {
                FileHandle.standardError.write(Data("SwiftData: error: autosave failed: \(text)\n".utf8))
            }
            lastError = text
            NotificationCenter.default.post(
                name: ModelContext.didFailToSave, object: context, userInfo: [NSUnderlyingErrorKey: error])
        }
    }
}
