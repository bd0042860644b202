import Foundation

/// Records how changes are taken back, and takes them back: Foundation's class of this name, which Foundation on Linux
/// does not have.
///
/// Actions are registered in groups; `undo()` takes back the last group, and what is registered meanwhile is what
/// `redo()` does. With `groupsByEvent` (the default) the first action of an event opens a group, which ends with the
/// event: with the outermost block on the queue of a context whose undo manager this is, on the main queue with the
/// turn that is running, and in any case with `undo()`. Groups in which nothing was registered leave no trace.
///
/// To be used on one queue only; with a context, on the context's.
open class UndoManager: NSObject {
    private var undoStack: [UndoGroup] = []
    private var redoStack: [UndoGroup] = []
    /// The groups that are open, innermost last.
    private var openGroups: [UndoGroup] = []
    /// Whether the outermost open group was opened by the first action of an event.
    private var isEventGroupOpen = false
    private var isEventEndScheduled = false
    private var disableCount = 0
    private var direction = Direction.none

    private enum Direction {
        case none, undoing, redoing
    }

    // MARK: Groups

    /// Opens a group; everything until the matching `endUndoGrouping()` is undone together. Groups nest.
    open func beginUndoGrouping() {
        if groupsByEvent, direction == .none, openGroups.isEmpty {
            // Whoever has changes to register yet opens the event's group by that.
            post(.NSUndoManagerCheckpoint)
            if openGroups.isEmpty { openEventGroup() }
        }
        openGroup()
    }

    private func openGroup() {
        if direction == .none { post(.NSUndoManagerCheckpoint) }
        openGroups.append(UndoGroup())
        post(.NSUndoManagerDidOpenUndoGroup)
    }

    private func openEventGroup() {
        isEventGroupOpen = true
        openGroup()
        // Blocks of private contexts end their events themselves.
        guard !isEventEndScheduled, HeldContexts.isOnMainQueue else { return }
        isEventEndScheduled = true
        let manager = Transfer(Weak(manager: self))
        DispatchQueue.main.async {
            manager.value.manager?.isEventEndScheduled = false
            manager.value.manager?.endEvent()
        }
    }

    /// A main queue that never runs must not keep what it was given.
    private struct Weak {
        weak var manager: UndoManager?
    }

    /// Closes the group that was opened last. Stops the process when none is open.
    open func endUndoGrouping() {
        require(!openGroups.isEmpty, "endUndoGrouping called with no matching begin")
        if direction == .none { post(.NSUndoManagerCheckpoint) }
        closeGroup()
    }

    private func closeGroup() {
        guard let group = openGroups.last else { return }
        post(
            .NSUndoManagerWillCloseUndoGroup, [NSUndoManagerGroupIsDiscardableKey: NSNumber(value: group.isDiscardable)]
        )
        openGroups.removeLast()
        if openGroups.isEmpty { isEventGroupOpen = false }
        if !group.isEmpty { keep(group) }
        post(.NSUndoManagerDidCloseUndoGroup)
    }

    private func keep(_ group: UndoGroup) {
        if let outer = openGroups.last {
            outer.entries.append(.group(group))
            if outer.actionName.isEmpty { outer.actionName = group.actionName }
        } else if direction == .undoing {
            redoStack.append(group)
        } else {
            undoStack.append(group)
            trim()
        }
    }

    /// How many groups are open.
    open var groupingLevel: Int { openGroups.count }

    /// Whether the first action of an event opens a group by itself.
    open var groupsByEvent = true

    /// Ends the group that the running event opened, unless others are open in it.
    final func endEvent() {
        guard isEventGroupOpen, openGroups.count == 1, direction == .none else { return }
        endUndoGrouping()
    }

    /// How many groups can be undone at most; 0 means any number. The oldest are dropped.
    open var levelsOfUndo = 0 {
        didSet { trim() }
    }

    private func trim() {
        if levelsOfUndo <= 0 { return }
        if undoStack.count > levelsOfUndo { undoStack.removeFirst(undoStack.count - levelsOfUndo) }
        if redoStack.count > levelsOfUndo { redoStack.removeFirst(redoStack.count - levelsOfUndo) }
    }

    // MARK: Registering

    /// Stops recording until the matching `enableUndoRegistration()`.
    open func disableUndoRegistration() { disableCount += 1 }

    /// Records again. Stops the process when recording was not stopped.
    open func enableUndoRegistration() {
        require(
            disableCount > 0,
            "enableUndoRegistration may only be invoked with matching call to disableUndoRegistration")
        disableCount -= 1
    }

    /// Whether actions are recorded.
    open var isUndoRegistrationEnabled: Bool { disableCount == 0 }

    /// Records an action that takes back what was just done. The target is not retained and is given to the handler;
    /// while undoing, what is registered is recorded for redo.
    ///
    /// Stops the process when no group is open and none is opened by itself.
    public func registerUndo<TargetType: AnyObject>(
        withTarget target: TargetType, handler: @escaping (TargetType) -> Void
    ) {
        guard isUndoRegistrationEnabled else { return }
        if openGroups.isEmpty, groupsByEvent, direction == .none { openEventGroup() }
        require(
            !openGroups.isEmpty,
            "\(type(of: self)) is in invalid state, must begin a group before registering undo")
        let action = UndoAction(target: target) { handler(unsafeDowncast($0, to: TargetType.self)) }
        openGroups[openGroups.count - 1].entries.append(.action(action))
        if direction == .none { redoStack = [] }
    }

    /// Forgets everything, and records again if that was stopped. Open groups stay open.
    open func removeAllActions() {
        undoStack = []
        redoStack = []
        for group in openGroups { group.entries = [] }
        disableCount = 0
    }

    /// Forgets the actions of a target.
    open func removeAllActions(withTarget target: Any) {
        let target = target as AnyObject
        for group in undoStack + redoStack + openGroups { group.removeActions(of: target) }
        undoStack.removeAll(where: \.isEmpty)
        redoStack.removeAll(where: \.isEmpty)
    }

    // MARK: Undo and redo

    /// Whether there is something to undo. Open groups may have to be closed first.
    open var canUndo: Bool { !undoStack.isEmpty || openGroups.contains { !$0.isEmpty } }

    /// Whether there is something to redo.
    open var canRedo: Bool {
        if direction == .none { post(.NSUndoManagerCheckpoint) }
        return !redoStack.isEmpty
    }

    /// How many groups can be undone.
    open var undoCount: Int { undoStack.count }

    /// How many groups can be redone.
    open var redoCount: Int { redoStack.count }

    /// Whether something is being undone.
    open var isUndoing: Bool { direction == .undoing }

    /// Whether something is being redone.
    open var isRedoing: Bool { direction == .redoing }

    /// Ends the group that is open, if it is the only one, and takes back the last group. Stops the process when
    /// several are open.
    open func undo() {
        if direction == .none { post(.NSUndoManagerCheckpoint) }
        if openGroups.count == 1 { endUndoGrouping() }
        require(openGroups.isEmpty, "undo was called with too many nested undo groups")
        undoNestedGroup()
    }

    /// Takes back the last group that was closed, which may be one within an open group. Stops the process when
    /// something was registered since.
    open func undoNestedGroup() {
        if direction == .none { post(.NSUndoManagerCheckpoint) }
        require(direction == .none, "undoNestedGroup was called while undoing or redoing")
        let group: UndoGroup
        if let open = openGroups.last, let entry = open.entries.last {
            guard case .group(let nested) = entry else {
                fatalError(
                    "undoNestedGroup was called with actions registered since the last group was closed")
            }
            open.entries.removeLast()
            group = nested
        } else {
            guard openGroups.allSatisfy(\.isEmpty), let last = undoStack.popLast() else { return }
            group = last
        }
        post(.NSUndoManagerWillUndoChange)
        perform(group, .undoing)
        post(.NSUndoManagerDidUndoChange)
    }

    /// Does again what was undone last. Nothing happens when something was registered since.
    open func redo() {
        require(direction != .undoing, "redo was called while undoing")
        if direction == .none { post(.NSUndoManagerCheckpoint) }
        guard direction == .none, let group = redoStack.popLast() else { return }
        post(.NSUndoManagerWillRedoChange)
        perform(group, .redoing)
        post(.NSUndoManagerDidRedoChange)
    }

    /// Does what is in a group; what is registered meanwhile is one group on the other stack.
    private func perform(_ group: UndoGroup, _ direction: Direction) {
        let outer = (groups: openGroups, isEventGroupOpen: isEventGroupOpen)
        openGroups = []
        self.direction = direction
        openGroup()
        openGroups[0].actionName = group.actionName
        openGroups[0].isDiscardable = group.isDiscardable
        group.perform()
        while !openGroups.isEmpty { closeGroup() }
        self.direction = .none
        openGroups = outer.groups
        isEventGroupOpen = outer.isEventGroupOpen
    }

    // MARK: Names

    /// Names what the group that is being recorded does, for a menu.
    open func setActionName(_ actionName: String) {
        (openGroups.first ?? undoStack.last)?.actionName = actionName
    }

    /// The name of what `undo()` would take back; empty when there is none.
    open var undoActionName: String { (openGroups.first { !$0.isEmpty } ?? undoStack.last)?.actionName ?? "" }

    /// The name of what `redo()` would do; empty when there is none.
    open var redoActionName: String { redoStack.last?.actionName ?? "" }

    /// "Undo" and the action's name.
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

    /// "Redo" and the action's name.
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// "Undo" and the given name.
    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }

    /// "Redo" and the given name.
    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }

    /// Says whether what the group does may be lost when a document is closed without asking.
    open func setActionIsDiscardable(_ discardable: Bool) {
        (openGroups.first ?? undoStack.last)?.isDiscardable = discardable
    }

    /// Whether what `undo()` would take back may be lost.
    open var undoActionIsDiscardable: Bool { undoStack.last?.isDiscardable ?? false }

    /// Whether what `redo()` would do may be lost.
    open var redoActionIsDiscardable: Bool { redoStack.last?.isDiscardable ?? false }

    private func post(_ name: Notification.Name, _ userInfo: [AnyHashable: Any]? = nil) {
        NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }
}
