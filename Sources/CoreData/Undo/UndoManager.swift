import Foundation

/// Records how changes are undone, and undoes and redoes them; Foundation on Linux lacks this class.
///
/// Actions are registered in groups. ``undo()`` undoes the last group, and the actions that are registered during that
/// are those of ``redo()``.
///
/// With ``groupsByEvent`` (the default) the first action of an event opens a group, and the end of the event closes it.
/// The event of a context's undo manager ends with the outermost block on the context's queue. On the main queue it
/// ends with the running turn of the queue. ``undo()`` ends it in any case. Groups without actions leave no trace.
///
/// Use an undo manager on one queue only, which is the context's queue if it belongs to a context.
///
/// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager)
open class UndoManager: NSObject {
    private var undoStack: [UndoGroup] = []
    private var redoStack: [UndoGroup] = []
    /// The groups that are open, innermost last.
    private var openGroups: [UndoGroup] = []
    /// Whether the first action of an event opened the outermost open group.
    private var isEventGroupOpen = false
    private var isEventEndScheduled = false
    private var disableCount = 0
    private var direction = Direction.none

    private enum Direction {
        case none, undoing, redoing
    }

    // MARK: Groups

    /// Opens a group. Everything until the matching ``endUndoGrouping()`` is undone together.
    ///
    /// Groups may be nested.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/beginundogrouping())
    open func beginUndoGrouping() {
        if groupsByEvent, direction == .none, openGroups.isEmpty {
            // An observer that still has changes registers them, which opens the event's group.
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
        let manager = UncheckedSendable(Weak(manager: self))
        DispatchQueue.main.async {
            manager.value.manager?.isEventEndScheduled = false
            manager.value.manager?.endEvent()
        }
    }

    /// A weak reference to the manager, so that a main queue that never runs does not keep the manager alive.
    private struct Weak {
        weak var manager: UndoManager?
    }

    /// Closes the group that was opened last; stops the process if no group is open.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/endundogrouping())
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

    /// The number of open groups.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/groupinglevel)
    open var groupingLevel: Int { openGroups.count }

    /// Whether the first action of an event opens a group; true unless set.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/groupsbyevent)
    open var groupsByEvent = true

    /// Closes the group that the running event opened, unless other groups are open in it.
    final func endEvent() {
        guard isEventGroupOpen, openGroups.count == 1, direction == .none else { return }
        endUndoGrouping()
    }

    /// The number of groups that can be undone; 0 for any number. The oldest groups are dropped.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/levelsofundo)
    open var levelsOfUndo = 0 {
        didSet { trim() }
    }

    private func trim() {
        if levelsOfUndo <= 0 { return }
        if undoStack.count > levelsOfUndo { undoStack.removeFirst(undoStack.count - levelsOfUndo) }
        if redoStack.count > levelsOfUndo { redoStack.removeFirst(redoStack.count - levelsOfUndo) }
    }

    // MARK: Registering

    /// Stops the recording until the matching ``enableUndoRegistration()``. Calls may be nested.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/disableundoregistration())
    open func disableUndoRegistration() { disableCount += 1 }

    /// Resumes the recording; stops the process if it was not stopped.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/enableundoregistration())
    open func enableUndoRegistration() {
        require(
            disableCount > 0,
            "enableUndoRegistration may only be invoked with matching call to disableUndoRegistration")
        disableCount -= 1
    }

    /// Whether actions are recorded.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/isundoregistrationenabled)
    open var isUndoRegistrationEnabled: Bool { disableCount == 0 }

    /// Registers an action that undoes a change.
    ///
    /// While a group is being undone, the action is registered for redo. Otherwise registering drops everything that
    /// could be redone. The process stops if no group is open and ``groupsByEvent`` is false.
    ///
    /// - Parameters:
    ///   - target: The object that the handler gets. It is held weakly.
    ///   - handler: The action.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/registerundo(withtarget:handler:))
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

    /// Drops all actions and resumes the recording if it was stopped. Open groups stay open.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/removeallactions())
    open func removeAllActions() {
        undoStack = []
        redoStack = []
        for group in openGroups { group.entries = [] }
        disableCount = 0
    }

    /// Drops the actions of a target.
    ///
    /// - Parameter target: The target of the actions.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/removeallactions(withtarget:))
    open func removeAllActions(withTarget target: Any) {
        let target = target as AnyObject
        for group in undoStack + redoStack + openGroups { group.removeActions(of: target) }
        undoStack.removeAll(where: \.isEmpty)
        redoStack.removeAll(where: \.isEmpty)
    }

    // MARK: Undo and redo

    /// Whether there is a group to undo, which may still be open.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/canundo)
    open var canUndo: Bool { !undoStack.isEmpty || openGroups.contains { !$0.isEmpty } }

    /// Whether there is a group to redo.
    ///
    /// Reading it posts `NSUndoManagerCheckpoint`, so an observer may register changes first.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/canredo)
    open var canRedo: Bool {
        if direction == .none { post(.NSUndoManagerCheckpoint) }
        return !redoStack.isEmpty
    }

    /// The number of groups that can be undone.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/undocount)
    open var undoCount: Int { undoStack.count }

    /// The number of groups that can be redone.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/redocount)
    open var redoCount: Int { redoStack.count }

    /// Whether a group is being undone.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/isundoing)
    open var isUndoing: Bool { direction == .undoing }

    /// Whether a group is being redone.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/isredoing)
    open var isRedoing: Bool { direction == .redoing }

    /// Closes the open group, if there is exactly one, and undoes the last group.
    ///
    /// The process stops if more than one group is open. Without a group nothing happens.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/undo())
    open func undo() {
        if direction == .none { post(.NSUndoManagerCheckpoint) }
        if openGroups.count == 1 { endUndoGrouping() }
        require(openGroups.isEmpty, "undo was called with too many nested undo groups")
        undoNestedGroup()
    }

    /// Undoes the group that was closed last, which may lie within an open group.
    ///
    /// The process stops if actions were registered in the open group since then, and while undoing or redoing.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/undonestedgroup())
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

    /// Redoes the group that was undone last.
    ///
    /// Nothing happens if an action was registered since then. The process stops while undoing.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/redo())
    open func redo() {
        require(direction != .undoing, "redo was called while undoing")
        if direction == .none { post(.NSUndoManagerCheckpoint) }
        guard direction == .none, let group = redoStack.popLast() else { return }
        post(.NSUndoManagerWillRedoChange)
        perform(group, .redoing)
        post(.NSUndoManagerDidRedoChange)
    }

    /// Performs the actions of a group. Actions that are registered during that become one group on the opposite stack.
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

    /// Names the group that is being recorded, or else the last group, for a menu.
    ///
    /// - Parameter actionName: The name.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/setactionname(_:))
    open func setActionName(_ actionName: String) {
        (openGroups.first ?? undoStack.last)?.actionName = actionName
    }

    /// The name of the group that ``undo()`` would undo; empty if it has none.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/undoactionname)
    open var undoActionName: String { nextToUndo?.actionName ?? "" }

    /// The group that `undo()` would undo, which may still be open.
    private var nextToUndo: UndoGroup? { openGroups.first { !$0.isEmpty } ?? undoStack.last }

    /// The name of the group that ``redo()`` would redo; empty if it has none.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/redoactionname)
    open var redoActionName: String { redoStack.last?.actionName ?? "" }

    /// The word "Undo" with the name of the group that would be undone.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/undomenuitemtitle)
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

    /// The word "Redo" with the name of the group that would be redone.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/redomenuitemtitle)
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// Returns the word "Undo" with a name.
    ///
    /// - Parameter actionName: The name, which may be empty.
    /// - Returns: The title, which is always in English.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/undomenutitle(forundoactionname:))
    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }

    /// Returns the word "Redo" with a name.
    ///
    /// - Parameter actionName: The name, which may be empty.
    /// - Returns: The title, which is always in English.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/redomenutitle(forundoactionname:))
    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }

    /// Marks the group that is being recorded, or else the last group, as one that may be lost when a document is
    /// closed.
    ///
    /// - Parameter discardable: Whether it may be lost.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/setactionisdiscardable(_:))
    open func setActionIsDiscardable(_ discardable: Bool) {
        (openGroups.first ?? undoStack.last)?.isDiscardable = discardable
    }

    /// Whether the group that ``undo()`` would undo may be lost.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/undoactionisdiscardable)
    open var undoActionIsDiscardable: Bool { nextToUndo?.isDiscardable ?? false }

    /// Whether the group that ``redo()`` would redo may be lost.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/undomanager/redoactionisdiscardable)
    open var redoActionIsDiscardable: Bool { redoStack.last?.isDiscardable ?? false }

    private func post(_ name: Notification.Name, _ userInfo: [AnyHashable: Any]? = nil) {
        NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }
}
