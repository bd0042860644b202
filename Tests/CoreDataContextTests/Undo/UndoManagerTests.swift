import CoreData
import Testing
import TestSupport

@testable import CoreDataTestSupport

@Suite("An undo manager")
struct UndoManagerTests {
    /// A number that registers how it is changed back.
    private final class Counter {
        let manager: UndoManager
        private(set) var value = 0

        init(_ manager: UndoManager) { self.manager = manager }

        func set(_ new: Int) {
            let old = value
            manager.registerUndo(withTarget: self) { $0.set(old) }
            value = new
        }
    }

    private func counter(groupsByEvent: Bool = false) -> Counter {
        let manager = UndoManager()
        manager.groupsByEvent = groupsByEvent
        return Counter(manager)
    }

    private func group(_ manager: UndoManager, _ body: () -> Void) {
        manager.beginUndoGrouping()
        body()
        manager.endUndoGrouping()
    }

    @Test("Undo takes back a group from its last action to its first, redo does it again")
    func undoAndRedo() {
        let counter = counter()
        let manager = counter.manager
        #expect(!manager.canUndo)
        group(manager) {
            counter.set(1)
            counter.set(2)
        }
        group(manager) { counter.set(3) }
        manager.undo()
        #expect(counter.value == 2)
        #expect(manager.canUndo && manager.canRedo)
        manager.undo()
        #expect(counter.value == 0)
        #expect(!manager.canUndo)
        manager.undo()
        #expect(counter.value == 0)
        manager.redo()
        #expect(counter.value == 2)
        manager.redo()
        #expect(counter.value == 3)
        #expect(!manager.canRedo)
        manager.undo()
        #expect(counter.value == 2)
    }

    @Test("A new action ends the redo of earlier ones")
    func newActionClearsRedo() {
        let counter = counter()
        group(counter.manager) { counter.set(1) }
        counter.manager.undo()
        #expect(counter.manager.canRedo)
        group(counter.manager) { counter.set(5) }
        #expect(!counter.manager.canRedo)
        counter.manager.redo()
        #expect(counter.value == 5)
    }

    @Test("Groups nest; the last one closed can be taken back within an open one")
    func nested() {
        let counter = counter()
        let manager = counter.manager
        manager.beginUndoGrouping()
        counter.set(1)
        group(manager) { counter.set(2) }
        #expect(manager.groupingLevel == 1)
        manager.undoNestedGroup()
        #expect(counter.value == 1)
        manager.endUndoGrouping()
        manager.undo()
        #expect(counter.value == 0)
    }

    @Test("Groups in which nothing was registered leave no trace")
    func emptyGroups() {
        let counter = counter()
        group(counter.manager) { group(counter.manager) {} }
        #expect(!counter.manager.canUndo)
        group(counter.manager) { counter.set(1) }
        group(counter.manager) {}
        counter.manager.undo()
        #expect(counter.value == 0)
    }

    @Test("A limited number of levels is kept, on both sides")
    func levels() {
        let counter = counter()
        let manager = counter.manager
        manager.levelsOfUndo = 2
        for value in 1...5 { group(manager) { counter.set(value) } }
        for _ in 0..<5 { manager.undo() }
        #expect(counter.value == 3)
        for _ in 0..<5 { manager.redo() }
        #expect(counter.value == 5)
        manager.levelsOfUndo = 1
        for _ in 0..<5 { manager.undo() }
        #expect(counter.value == 4)
    }

    @Test("Registration can be disabled, and calls that disable it can be nested")
    func disabling() {
        let counter = counter()
        let manager = counter.manager
        manager.disableUndoRegistration()
        manager.disableUndoRegistration()
        manager.enableUndoRegistration()
        #expect(!manager.isUndoRegistrationEnabled)
        group(manager) { counter.set(1) }
        manager.enableUndoRegistration()
        #expect(manager.isUndoRegistrationEnabled)
        group(manager) { counter.set(2) }
        manager.undo()
        #expect(counter.value == 1)
        #expect(!manager.canUndo)
    }

    @Test("The first action opens a group with groups by event, and undo closes it")
    func groupsByEvent() {
        let counter = counter(groupsByEvent: true)
        counter.set(1)
        counter.set(2)
        #expect(counter.manager.groupingLevel == 1)
        #expect(counter.manager.canUndo)
        counter.manager.undo()
        #expect(counter.value == 0)
        #expect(counter.manager.groupingLevel == 0)
        counter.manager.redo()
        #expect(counter.value == 2)
    }

    @Test("An event's group ends on the main queue with the turn that is running")
    @MainActor func mainQueueEvents() async {
        let counter = counter(groupsByEvent: true)
        counter.set(1)
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        #expect(counter.manager.groupingLevel == 0)
        counter.set(2)
        counter.manager.undo()
        #expect(counter.value == 1)
        counter.manager.undo()
        #expect(counter.value == 0)
    }

    @Test("Actions have names, which menu titles show, and travel with undo and redo")
    func names() {
        let counter = counter()
        let manager = counter.manager
        #expect(manager.undoMenuItemTitle == "Undo")
        group(manager) {
            counter.set(1)
            manager.setActionName("Typing")
            manager.setActionIsDiscardable(true)
        }
        #expect(manager.undoActionName == "Typing")
        #expect(manager.undoMenuItemTitle == "Undo Typing")
        #expect(manager.undoActionIsDiscardable)
        manager.undo()
        #expect(manager.undoActionName == "")
        #expect(manager.redoActionName == "Typing")
        #expect(manager.redoMenuItemTitle == "Redo Typing")
        #expect(manager.redoActionIsDiscardable)
        manager.redo()
        #expect(manager.undoActionName == "Typing")
    }

    @Test("An action's discardability can be read while its group is open, as its name can")
    func openGroup() {
        let counter = counter()
        let manager = counter.manager
        group(manager) {
            manager.setActionIsDiscardable(true)
            #expect(!manager.undoActionIsDiscardable)
            counter.set(1)
            manager.setActionName("Typing")
            #expect(manager.undoActionName == "Typing")
            #expect(manager.undoActionIsDiscardable)
        }
        #expect(manager.undoActionIsDiscardable)
    }

    @Test("Targets are not retained, and their actions can be removed")
    func targets() {
        let manager = UndoManager()
        manager.groupsByEvent = false
        let first = Counter(manager)
        let second = Counter(manager)
        group(manager) {
            first.set(1)
            second.set(1)
        }
        group(manager) { first.set(2) }
        manager.removeAllActions(withTarget: first)
        #expect(manager.undoCount == 1)
        manager.undo()
        #expect(first.value == 2 && second.value == 0)
        manager.removeAllActions()
        #expect(!manager.canUndo && !manager.canRedo)
        weak var gone: Counter?
        do {
            let short = Counter(manager)
            group(manager) { short.set(1) }
            gone = short
        }
        #expect(gone == nil)
        manager.undo()
    }

    @Test("It says when groups open and close and when something is undone or redone")
    func notifications() {
        final class Log: @unchecked Sendable { var names: [String] = [] }  // posted and read on this thread alone
        let counter = counter()
        let log = Log()
        let all: [Notification.Name] = [
            .NSUndoManagerCheckpoint, .NSUndoManagerDidOpenUndoGroup, .NSUndoManagerWillCloseUndoGroup,
            .NSUndoManagerDidCloseUndoGroup, .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange,
            .NSUndoManagerWillRedoChange, .NSUndoManagerDidRedoChange,
        ]
        let tokens = all.map { name in
            NotificationCenter.default.addObserver(forName: name, object: counter.manager, queue: nil) { notification in
                log.names.append(
                    notification.name.rawValue.replacingOccurrences(of: "NSUndoManager", with: "")
                        .replacingOccurrences(of: "Notification", with: ""))
            }
        }
        defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
        group(counter.manager) { counter.set(1) }
        #expect(
            log.names == ["Checkpoint", "DidOpenUndoGroup", "Checkpoint", "WillCloseUndoGroup", "DidCloseUndoGroup"])
        log.names = []
        counter.manager.undo()
        #expect(log.names.contains("WillUndoChange") && log.names.last == "DidUndoChange")
        log.names = []
        counter.manager.redo()
        #expect(log.names.contains("WillRedoChange") && log.names.last == "DidRedoChange")
    }

    @Test("Unbalanced calls stop the process")
    func programmerErrors() async {
        let first = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            UndoManager().endUndoGrouping()
        }
        #expect(first.said("endUndoGrouping called with no matching begin"))
        let second = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            UndoManager().enableUndoRegistration()
        }
        #expect(second.said("with matching call to disableUndoRegistration"))
        let third = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let manager = UndoManager()
            manager.groupsByEvent = false
            manager.registerUndo(withTarget: manager) { _ in }
        }
        #expect(third.said("must begin a group before registering undo"))
        let fourth = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let manager = UndoManager()
            manager.beginUndoGrouping()
            manager.beginUndoGrouping()
            manager.undo()
        }
        #expect(fourth.said("undo was called with too many nested undo groups"))
    }
}
