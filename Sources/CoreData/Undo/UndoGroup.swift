import Foundation

/// The actions and groups that one undo, or one nested undo, performs, in the order in which they were registered.
final class UndoGroup {
    enum Entry {
        case action(UndoAction)
        case group(UndoGroup)
    }

    var entries: [Entry] = []
    var actionName = ""
    var isDiscardable = false

    var isEmpty: Bool { entries.isEmpty }

    /// Performs everything in the group, the last first.
    func perform() {
        for entry in entries.reversed() {
            switch entry {
            case .action(let action): action.perform()
            case .group(let group): group.perform()
            }
        }
    }

    /// Removes a target's actions, and groups that have none left. `isEmpty` is then true for an emptied group.
    func removeActions(of target: AnyObject) {
        entries.removeAll { entry in
            switch entry {
            case .action(let action):
                return action.target == nil || action.target === target
            case .group(let group):
                group.removeActions(of: target)
                return group.isEmpty
            }
        }
    }
}

/// One undo action for one target, which is not retained. An action whose target no longer exists does nothing.
struct UndoAction {
    private(set) weak var target: AnyObject?
    private let body: (AnyObject) -> Void

    init(target: AnyObject, body: @escaping (AnyObject) -> Void) {
        self.target = target
        self.body = body
    }

    func perform() {
        if let target { body(target) }
    }
}
